package turn

import (
	"encoding/json"
	"strings"

	"vibey/dialog"
	"vibey/provider"
)

// A dialog file has no NUL. A human's text with one is refused, since it could
// not be kept as it is; in a model's and in a tool's U+FFFD takes its place
// before anything is shown, written or computed of it.

// eventWithoutNUL returns e as the rest of the turn gets it.
func eventWithoutNUL(e provider.Event) provider.Event {
	switch e := e.(type) {
	case provider.Text:
		e.Piece = dialog.WithoutNUL(e.Piece)
		return e
	case provider.Thinking:
		e.Piece = dialog.WithoutNUL(e.Piece)
		return e
	case provider.Reasoning:
		e.Text, e.Native = dialog.WithoutNUL(e.Text), dialog.WithoutNUL(e.Native)
		return e
	case provider.Call:
		e.Name, e.Args = dialog.WithoutNUL(e.Name), dialog.WithoutNUL(e.Args)
		return e
	}
	return e
}

// removeNUL does the same to all that is to be appended: results, notes, docs.
func removeNUL(secs []dialog.Section) {
	for i := range secs {
		for k := range secs[i].Payloads {
			p := &secs[i].Payloads[k]
			p.Text = dialog.WithoutNUL(p.Text)
		}
	}
}

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
