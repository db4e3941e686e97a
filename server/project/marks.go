package project

import (
	"strings"

	"vibey/dialog/grant"
	"vibey/server/project/folder"
)

// Marks returns the Macs of confirmed wishes that stand in doc-main.md now, nil if it
// can't be read. It reads the file only if that has changed since the last time.
func (p *Project) Marks() []string {
	st, err := p.dir.Lstat(MainDoc)
	if err != nil {
		return nil
	}
	macs, _ := p.marks.get(MainDoc, st, func() ([]string, folder.Stamp, error) {
		text, at, err := p.dir.ReadPlain(MainDoc)
		macs := grant.Marks(text)
		for i := range macs {
			macs[i] = strings.Clone(macs[i]) // else the text stays with it
		}
		return macs, at, err
	})
	return macs
}
