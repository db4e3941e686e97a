package grant

import (
	"encoding/json"
	"path"
	"strings"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/dialog/jsontext"
)

// Tried is what a command did that was tried, the note/json of the Note of Kind effect that
// has it as its Parent.
type Tried struct {
	Effect   effect.Effect `json:"effect"`
	Held     bool          `json:"held,omitempty"` // the bytes lie on this machine, and not in the project
	ExitCode int           `json:"exitCode"`
	Stdout   string        `json:"stdout"`
	Stderr   string        `json:"stderr"`
	MS       int64         `json:"ms"` // wall-clock milliseconds

	// What its result will say besides.
	Error   string           `json:"error,omitempty"`
	Note    string           `json:"note,omitempty"`
	Dropped int64            `json:"droppedBytes,omitempty"`
	Refused []effect.Refused `json:"refused,omitempty"`
}

// JSON is the text of the Note's payload.
func (t *Tried) JSON() (string, error) {
	b, err := jsontext.Marshal(t)
	return string(b), err
}

// TriedBy returns what such a Note says. ok is false for any other section, and for a Note
// that is torn, whose hash is not that of its changes, or that names a path which is not
// below the deed in its only spelling.
func TriedBy(s *dialog.Section) (t Tried, ok bool) {
	if s.Role != dialog.Note || s.Torn || s.Kind() != dialog.EffectNote || json.Unmarshal([]byte(s.Payload(dialog.NoteJSON)), &t) != nil {
		return Tried{}, false
	}
	for _, c := range t.Effect.Changes {
		if !strings.HasPrefix(c.Path, "deed/") || path.Clean(c.Path) != c.Path {
			return Tried{}, false
		}
	}
	if t.Effect.SHA256 != effect.Sum(t.Effect.Changes) {
		return Tried{}, false
	}
	return t, true
}
