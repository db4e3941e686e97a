package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/dialog"
)

// repair makes a dialog that was just locked one that can be continued: it closes
// and marks a torn tail, appends an open response as interrupted, and lets an active
// dialog wait. Where a power cut kept the file's new name and lost the status in its header,
// it writes that anew. Otherwise it only appends, and it runs no call. sync is called after
// the rename.
func (f *DialogFile) repair(sync func() error) error {
	cut := -1 // the index of the last section if a kill may have cut it
	if !wholeTail(f.src) {
		cut = len(f.d.Sections) - 1
	}
	if err := f.repairTail(); err != nil {
		return fmt.Errorf("repair %s: %w", f.name(), err)
	}
	if err := f.repairOpen(cut); err != nil {
		return fmt.Errorf("repair %s: %w", f.name(), err)
	}
	if f.st != dialog.Active {
		f.repairWord()
		return nil
	}
	f.p.store.o.Log.Info("interrupted dialog waits", "project", f.p.name, "dialog", f.id)
	if err := f.rename(dialog.Waiting, sync); err != nil {
		return fmt.Errorf("repair %s: %w", f.name(), err)
	}
	return nil
}

// repairWord writes the status into a header that a power cut left with another one. The
// name decides without it, so that a failure is none of the dialog's: another program may
// just rename the file.
func (f *DialogFile) repairWord() {
	if !otherWord(f.src, f.st) {
		return
	}
	if err := f.writeWord(f.st); err != nil {
		f.p.store.o.Log.Info("status in a header not repaired", "project", f.p.name, "dialog", f.id, "err", err)
	}
}

// otherWord reports whether the header of a dialog's text says another status than its name.
func otherWord(src string, st dialog.Status) bool {
	off, ok := dialog.StatusOffset(head(src))
	return ok && !strings.HasPrefix(src[off:], dialog.StatusWord(st))
}

// repairTail appends what a torn tail needs so that the next section can be parsed.
func (f *DialogFile) repairTail() error {
	if wholeTail(f.src) && len(f.d.Problems) == 0 && !f.endsInSystem() {
		return nil // nearly always: RepairTail would parse the text once more
	}
	tail := dialog.RepairTail(f.src, f.p.store.o.Now())
	if tail == "" {
		return nil
	}
	f.p.store.o.Log.Info("torn tail marked", "project", f.p.name, "dialog", f.id, "bytes", len(tail))
	if err := f.write(tail); err != nil {
		return err
	}
	f.take(f.src+tail, f.at)
	return nil
}

// wholeTail reports whether a text ends as sections do, with a closing fence and
// its line feed. Without the line feed the fence may be the beginning of an escaped
// line.
func wholeTail(src string) bool {
	return strings.HasSuffix(src, "\nəəə\n") || strings.HasSuffix(src, "\nəəə\r\n")
}

// endsInSystem reports whether the last section is a System, which has two payloads
// and so may end in a closing fence and still be torn.
func (f *DialogFile) endsInSystem() bool {
	n := len(f.d.Sections)
	return n > 0 && f.d.Sections[n-1].Role == dialog.System
}

// repairOpen appends what a killed server left of a response, and removes the open
// file, whose modification time is that of the last piece. cut is the index of the
// section that the kill cut, or -1.
func (f *DialogFile) repairOpen(cut int) error {
	name := dialog.OpenName(f.id)
	st, err := f.p.dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var secs []dialog.Section
	if st.Plain {
		open, st, err := f.p.dir.ReadPlain(name)
		if err != nil {
			return err
		}
		if secs = f.unrecorded(open, st.ModTime(), cut); len(secs) > 0 {
			f.p.store.o.Log.Info("interrupted response kept", "project", f.p.name, "dialog", f.id, "bytes", len(open))
		}
	}
	if secs, err = f.bounded(secs); err != nil {
		return err
	}
	return f.closeOpen(secs)
}

// unrecorded returns the sections of an open response that the dialog lacks: all, or
// none if they were appended. A kill within that append leaves only its beginning in
// the file, with the last section cut; a power cut leaves any of its pages, and
// sections torn by zeros. Then the missing ones are returned, the cut one under a
// fresh id. Calls are left out, since no viewer was shown them.
func (f *DialogFile) unrecorded(open string, last time.Time, cut int) []dialog.Section {
	open, _, _ = strings.Cut(open, "\x00") // where a power cut lost pages
	open = wholeRunes(open)
	if secs := dialog.CloseOpen(open, f.d, last); len(secs) > 0 {
		return secs
	}
	shown, missing := dialog.Parse(open), false
	secs := dialog.CloseOpen(open, dialog.Parse(""), last)
	out := secs[:0]
	for _, s := range secs {
		i := f.d.Find(s.Role, s.ID)
		if s.Role == dialog.ToolRequest || i >= 0 && (i != cut || slices.Equal(s.Payloads, f.d.Sections[i].Payloads)) {
			continue
		}
		// An Assistant that CloseOpen made alone is no missing text.
		made := shown.Find(s.Role, s.ID) < 0
		if missing = missing || !made; made || i == cut {
			s.ID = f.d.NextID(s.Role, last, 0)
		}
		out = append(out, s)
	}
	if !missing {
		return nil
	}
	return out
}

// wholeRunes returns a text without the beginning of a character at its end, which
// a crash may have cut.
func wholeRunes(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

// repairIfFree repairs a dialog before a read, if its lock is free. It returns the holder
// in this process, or nil. A repair that fails is logged and no error: the reader
// sees the file as it is.
func (p *Project) repairIfFree(id string, sync func() error) *DialogFile {
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil || p.gone.Load() {
		return g.holder
	}
	if at, err := p.find(id); err == nil && p.locked(at.name) {
		return nil
	}
	f, err := p.openLocked(id, sync)
	switch {
	case err == nil:
		f.free()
	case errors.Is(err, ErrBusy), errors.Is(err, ErrTwoFiles), errors.Is(err, fs.ErrNotExist):
	default:
		p.store.o.Log.Warn("dialog not repaired", "project", p.name, "dialog", id, "err", err)
	}
	return nil
}
