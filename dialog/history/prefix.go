package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"

	"vibey/dialog"
	"vibey/dialog/picture"
)

// addPrefix adds to h what a model is sent of sections: role, id and payloads of each,
// preceded by their lengths. Authorizations, Notes to humans, and what is torn, are left out;
// so is metadata, so that a section can name the prefix that it ends itself, but for the
// pictures of a message.
func addPrefix(h hash.Hash, sections []dialog.Section) {
	var size [8]byte
	add := func(text string) {
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		io.WriteString(h, text)
	}
	for i := range sections {
		s := &sections[i]
		if s.Torn || s.Role == dialog.Authorization || s.Role == dialog.Note && s.Meta.Get("To") != "model" {
			continue
		}
		add(string(s.Role))
		add(s.ID)
		for _, p := range s.Payloads {
			add(p.Type)
			add(p.Text)
		}
		if len(usesOf(s)) > 0 {
			add(s.Meta.Get(picture.Field))
		}
	}
}

// Prefixes is the hash of what a model has seen of a dialog as it grows, SHA-256 in lowercase
// hex: each section is hashed once. The zero
// value is ready. It begins anew with another dialog, and where what was hashed has become
// torn.
type Prefixes struct {
	of      *dialog.Dialog
	version int
	seen    int // sections that are hashed
	h       hash.Hash
}

// At returns the hash of the first n sections of d.
func (p *Prefixes) At(d *dialog.Dialog, n int) string {
	p.begin(d, n)
	addPrefix(p.h, d.Sections[p.seen:n])
	p.seen = n
	return hex.EncodeToString(p.h.Sum(nil))
}

// begin begins anew where what is hashed is no beginning of d's first n sections.
func (p *Prefixes) begin(d *dialog.Dialog, n int) {
	if p.of != d || p.version != d.Version() || n < p.seen {
		*p = Prefixes{of: d, version: d.Version(), h: sha256.New()}
	}
}

// With returns the hash of all of d and of more sections behind it.
func (p *Prefixes) With(d *dialog.Dialog, more []dialog.Section) string {
	p.begin(d, len(d.Sections))
	h, err := p.h.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // crypto/sha256 clones
	}
	addPrefix(h, d.Sections[p.seen:])
	addPrefix(h, more)
	return hex.EncodeToString(h.Sum(nil))
}
