package project

import (
	"io"
	"os"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// gapPart is how many bytes are looked at at a time.
const gapPart = 1 << 20

// readShown reads a dialog's file as readPlain does, but for its gaps: of what they hold
// no byte is kept, and once they are known none is read.
func (p *Project) readShown(name string) (text string, shifts []dialog.Shift, st folder.Stamp, err error) {
	f, _, err := p.dir.OpenPlain(name, os.O_RDONLY)
	if err != nil {
		return "", nil, folder.Stamp{}, err
	}
	defer f.Close()
	st, err = folder.ReadStill(f, func(st folder.Stamp) (size int64, err error) {
		gaps, err := p.gapsOf(name, f, st)
		if err == nil && len(gaps) == 0 {
			text, err = folder.ReadText(f, st.Size)
			shifts = nil
			return int64(len(text)), err
		}
		if err == nil {
			text, shifts, err = readAround(f, st.Size, gaps)
		}
		return st.Size, err
	})
	return text, shifts, st, err
}

// gapsOf returns the gaps of a dialog's file with that stamp.
func (p *Project) gapsOf(name string, f io.ReaderAt, st folder.Stamp) ([]dialog.Gap, error) {
	if st.Size <= dialog.SectionMost {
		return nil, nil
	}
	return p.gaps.get(name, st, func() ([]dialog.Gap, folder.Stamp, error) {
		gaps, err := findGaps(f, st.Size, dialog.TextMost)
		return gaps, st, err
	})
}

// findGaps reads size bytes and keeps none.
func findGaps(f io.ReaderAt, size, most int64) ([]dialog.Gap, error) {
	g := dialog.GapFinder{Most: most, Size: size}
	buf := make([]byte, min(gapPart, size))
	for off := int64(0); off < size; {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-off)], off)
		last := off+int64(n) >= size || err == io.EOF // it became shorter
		if err != nil && err != io.EOF {
			return nil, err
		}
		g.Next(buf[:n], off, last)
		if last {
			break
		}
		off += int64(n) - dialog.GapOverlap
	}
	return g.Gaps, nil
}

// readAround reads the file but for its gaps, with a line in the place of each.
func readAround(f io.ReaderAt, size int64, gaps []dialog.Gap) (string, []dialog.Shift, error) {
	room := size
	for _, g := range gaps {
		room += int64(len(dialog.GapLine(g.To-g.From))) + 8 - (g.To - g.From)
	}
	text, at := make([]byte, 0, room), int64(0)
	read := func(to int64) error {
		part := text[len(text) : int64(len(text))+to-at]
		n, err := f.ReadAt(part, at)
		text = text[:len(text)+n]
		if err == io.EOF {
			err = nil
		}
		return err
	}
	var shifts []dialog.Shift
	for _, g := range gaps {
		if err := read(g.From); err != nil {
			return "", nil, err
		}
		cut := len(text)
		text = text[:len(wholeRunes(folder.AsString(text)))]
		text = append(text, dialog.GapLine(g.To-g.From+int64(cut-len(text)))...)
		at = g.To
		shifts = append(shifts, dialog.Shift{At: int64(len(text)), By: at - int64(len(text))})
	}
	err := read(size)
	return folder.AsString(text), shifts, err
}
