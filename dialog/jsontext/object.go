package jsontext

import (
	"encoding/json"
	"unicode/utf8"
)

// MaxDepth is how deep an object may be nested. Parsers of providers stop at 128
// levels (serde_json's limit), and some of those are the request's own.
const MaxDepth = 100

// IsObject reports whether s is one JSON object in UTF-8 and nothing else, and one
// that providers take: without half of a surrogate pair, and not nested too deep.
// A provider that refuses it once refuses every later request. Most calls are a
// flat object of strings, which flatObject knows faster than encoding/json: without
// it, parsing and history.Build of 20 MB take 12 scans of the text instead of 7
// (BenchmarkParseHistory/20MB).
func IsObject(s string) bool {
	i := skipBlank(s, 0)
	if i == len(s) || s[i] != '{' {
		return false
	}
	return flatObject(s, i+1) && utf8.ValidString(s) || Valid([]byte(s), MaxDepth)
}

// Valid reports whether b is JSON that providers take, nested no deeper than depth.
func Valid(b []byte, depth int) bool {
	return utf8.Valid(b) && json.Valid(b) && !LoneSurrogate(b) && !Deeper(b, depth)
}

// Deeper reports whether a JSON text, which is valid, is nested beyond most levels.
func Deeper[T string | ~[]byte](b T, most int) bool {
	depth, in := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			i++ // what is escaped, or its u: none of the below
		case c == '"':
			in = !in
		case in:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// flatObject reports whether s, from i behind its opening brace, is an object whose
// values are strings without \u, and nothing follows it. It does not look at UTF-8.
// Where it returns false, s may be an object all the same.
func flatObject(s string, i int) bool {
	if i = skipBlank(s, i); i < len(s) && s[i] == '}' {
		return skipBlank(s, i+1) == len(s)
	}
	for {
		if i = skipString(s, i); i == len(s) || s[i] != ':' {
			return false
		}
		if i = skipString(s, skipBlank(s, i+1)); i == len(s) {
			return false
		}
		switch s[i] {
		case '}':
			return skipBlank(s, i+1) == len(s)
		case ',':
			i = skipBlank(s, i+1)
		default:
			return false
		}
	}
}

func skipBlank(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the place behind the string literal at i, and behind the
// blanks that follow it, or len(s) where none stands there whole.
func skipString(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return len(s)
	}
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x20 && c != '"' && c != '\\':
		case c == '"':
			return skipBlank(s, i+1)
		case c != '\\' || i+1 == len(s) || !shortEscape[s[i+1]]:
			return len(s) // \u, and what is not JSON: encoding/json decides
		default:
			i++
		}
	}
	return len(s)
}

// shortEscape are the bytes that may follow a backslash, but for u.
var shortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}
