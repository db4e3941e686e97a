package dialog

import "encoding/json"

// EffectKind is the Kind of a Note that tells which files of the deed changed between two
// calls, while a server ran. Its note/json is {"changed": [FileHash, …]}, and a
// "changedMore" counts those that are not listed.
const EffectKind = "effect"

// Effect is the note/json of a Note of Kind effect.
type Effect struct {
	Changed []FileHash `json:"changed"`
	More    int        `json:"changedMore,omitempty"`
}

// Effect is what a Note of Kind effect says; nothing for any other section.
func (s *Section) Effect() (e Effect) {
	if s.Role != Note || s.Torn || s.Kind() != EffectKind || json.Unmarshal([]byte(s.Payload(NoteJSON)), &e) != nil {
		return Effect{}
	}
	return e
}
