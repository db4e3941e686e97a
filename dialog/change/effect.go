package change

import (
	"encoding/json"

	"vibey/dialog"
)

// Effect is the note/json of a Note of Kind effect.
type Effect struct {
	Changed []FileHash `json:"changed"`
	More    int        `json:"changedMore,omitempty"`
}

// EffectOf returns what a Note of Kind effect says; nothing for any other section.
func EffectOf(s *dialog.Section) (e Effect) {
	if s.Role != dialog.Note || s.Torn || s.Kind() != dialog.EffectNote || json.Unmarshal([]byte(s.Payload(dialog.NoteJSON)), &e) != nil {
		return Effect{}
	}
	return e
}
