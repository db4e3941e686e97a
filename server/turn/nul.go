package turn

import (
	"encoding/json"
	"strings"
)

// A dialog file has no NUL. A human's text with one is refused, since it could not be
// kept as it is; in a model's and in a tool's U+FFFD takes its place before anything is
// shown, written or computed of it (record.WithoutNUL).

// hasNUL reports whether a prompt holds a NUL, in JSON also as an escape.
func (p *Prompt) hasNUL() bool {
	if !p.JSON {
		return strings.IndexByte(p.Text, 0) >= 0
	}
	for dec := json.NewDecoder(strings.NewReader(p.Text)); ; {
		token, err := dec.Token()
		if err != nil {
			return false // its end, or no JSON, which the server refuses before
		}
		if s, ok := token.(string); ok && strings.IndexByte(s, 0) >= 0 {
			return true
		}
	}
}
