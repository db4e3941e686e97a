package dialog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Prefix is the SHA-256, in lowercase hex, of what sections say to a model: role, id and
// payloads of each, preceded by their lengths. Authorizations, Notes to humans, and what is
// torn, are not told; metadata neither, so that a section can name the Prefix that it ends itself.
func Prefix(sections []Section) string {
	h := sha256.New()
	var size [8]byte
	add := func(text string) {
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		h.Write([]byte(text))
	}
	for i := range sections {
		s := &sections[i]
		if s.Torn || s.Role == Authorization || s.Role == Note && s.Meta.Get("To") != "model" {
			continue
		}
		add(string(s.Role))
		add(s.ID)
		for _, p := range s.Payloads {
			add(p.Type)
			add(p.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
