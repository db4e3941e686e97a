package effect

import (
	"fmt"
	"strconv"
	"strings"
)

// canonical appends a change as RFC 8785 writes it: keys in order, no blanks.
func (c *Change) canonical(b []byte) []byte {
	sep := byte('{')
	member := func(key string) {
		b = append(append(b, sep, '"'), key+`":`...)
		sep = ','
	}
	text := func(key, value string) {
		if value != "" {
			member(key)
			b = appendText(b, value)
		}
	}
	text("after", c.After)
	text("before", c.Before)
	if c.Type == File {
		member("bytes")
		b = strconv.AppendInt(b, c.Bytes, 10)
	}
	text("kind", string(c.Kind))
	text("mode", c.Mode)
	text("path", c.Path)
	text("type", string(c.Type))
	return append(b, '}')
}

// appendText appends a string as RFC 8785 writes it: UTF-8 as it is, but for what JSON must
// escape, with two characters where there are such.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range []byte(strings.ToValidUTF8(s, "\uFFFD")) {
		switch i := strings.IndexByte("\"\\\b\f\n\r\t", c); {
		case i >= 0:
			b = append(b, '\\', `"\bfnrt`[i])
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
