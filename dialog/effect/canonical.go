package effect

import (
	"strconv"

	"vibey/dialog/jsontext"
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
			b = jsontext.AppendString(b, value)
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
