// Package jsontext is JSON where encoding/json is too lenient, or writes what we
// don't want: a strict decoder of one object into a struct, and writers of strings
// and values that leave <, > and & as they are.
//
//	err := jsontext.Decode([]byte(`{"path":"a","path":"b"}`), &in) // *FieldError{Name: "path", Fault: Twice}
//	b = jsontext.AppendString(append(b, `{"text":`...), text)
//
// IsObject and Valid ask what providers take, LoneSurrogate for half of a pair of surrogates,
// which encoding/json reads as U+FFFD.
package jsontext

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Marshal is json.Marshal that leaves <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// AppendString appends s as a JSON string. It escapes no more than JSON demands,
// and bytes that are not UTF-8 become U+FFFD, as with encoding/json. The same text
// gives the same bytes for ever: caches and prefix hashes rest on it.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s, false) }

// AppendLine is AppendString that escapes U+2028 and U+2029 too, which some
// readers of a stream take for the end of a line.
func AppendLine(dst []byte, s string) []byte { return appendString(dst, s, true) }

const hexDigits = "0123456789abcdef"

func appendString(dst []byte, s string, oneLine bool) []byte {
	dst = append(dst, '"')
	from := 0 // what is before it has been appended
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = appendEscape(append(dst, s[from:i]...), c)
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			from = i + n
		case oneLine && (r == '\u2028' || r == '\u2029'):
			dst = append(append(dst, s[from:i]...), '\\', 'u', '2', '0', '2', hexDigits[r&15])
			from = i + n
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
