package wire

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Misfit tells whether an event was JSON, but with a field of another type than
// ours. An API may add events whose fields mean something else; only the
// parser knows whether the event is one that it reads.
func Misfit(err error) bool {
	var e *json.UnmarshalTypeError
	return errors.As(err, &e)
}

const hexDigits = "0123456789abcdef"

// String appends s to dst as a JSON string: no more is escaped than JSON
// demands, and bytes that are not UTF-8 become U+FFFD. The same text gives the
// same bytes for ever, which caches and prefix hashes rest on.
func String(dst []byte, s string) []byte {
	return append(Escape(append(dst, '"'), s), '"')
}

// Escape appends what stands between the quotes of String.
func Escape(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), `\ufffd`...)
				from = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(dst, s[from:]...)
}
