package jsontext

import (
	"bytes"
	"strconv"
)

// LoneSurrogate reports whether a JSON text escapes half of a character: the
// decoder would put U+FFFD for it, and what is stored or run would not be what was
// sent.
func LoneSurrogate(b []byte) bool {
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], '\\')
		if j < 0 || i+j+1 >= len(b) {
			return false
		}
		i += j
		unit, ok := escapedUnit(b[i:])
		switch {
		case !ok:
			i += 2
		case unit >= 0xd800 && unit < 0xdc00:
			if low, ok := escapedUnit(b[i+6:]); !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 12
		case unit >= 0xdc00 && unit < 0xe000:
			return true
		default:
			i += 6
		}
	}
}

// escapedUnit returns the number of the \uXXXX at the start of b.
func escapedUnit(b []byte) (n rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(unit), err == nil
}
