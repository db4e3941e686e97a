package project

import (
	"strings"

	"vibey/dialog/grant"
)

// mainMarks are the Macs in doc-main.md as it was at that stamp.
type mainMarks struct {
	at   stamp
	macs []string
}

// Marks returns the Macs of confirmed wishes that stand in doc-main.md now, nil where it
// can't be read. It reads the file only where that has changed since the last time.
func (p *Project) Marks() []string {
	old := p.marks.Load()
	if st, err := p.dir.lstat(MainDoc); err == nil && old != nil && old.at == st {
		return old.macs
	}
	text, at, err := p.dir.readPlain(MainDoc)
	if err != nil {
		return nil
	}
	m := &mainMarks{at: at}
	for _, mac := range grant.Marks(text) {
		m.macs = append(m.macs, strings.Clone(mac)) // else the text stays with it
	}
	p.marks.Store(m)
	return m.macs
}
