package effect

import (
	"strconv"
	"strings"

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

// short are the two characters that RFC 8785 writes shorter than jsontext does.
var short = strings.NewReplacer("\b", `\b`, "\f", `\f`)

// appendText appends a string as RFC 8785 writes it.
func appendText(b []byte, s string) []byte {
	for i, c := range []byte(s) {
		if c == '\b' || c == '\f' {
			b = appendText(b, s[:i])
			b = append(b[:len(b)-1], short.Replace(s[i:i+1])...)
			return append(b, appendText(nil, s[i+1:])[1:]...)
		}
	}
	return jsontext.AppendString(b, s)
}
