package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/tools/disk"
)

// repair brings a dialog that nobody held to a state from which it can be
// continued: a torn tail is closed and marked, an open response becomes an
// interrupted one, and what was active waits. It only appends, and runs nothing.
func (f *DialogFile) repair(sync func() error) error {
	cut := f.cutSection()
	if err := f.repairTail(); err != nil {
		return fmt.Errorf("repair %s: %w", f.name(), err)
	}
	if err := f.repairOpen(cut); err != nil {
		return fmt.Errorf("repair %s: %w", f.name(), err)
	}
	if f.st != dialog.Active {
		return nil
	}
	f.p.store.o.Log.Info("interrupted dialog waits", "project", f.p.name, "dialog", f.id)
	if err := f.rename(dialog.Waiting, sync); err != nil {
		return fmt.Errorf("repair %s: %w", f.name(), err)
	}
	return nil
}

// repairTail appends what makes the next section readable as one.
func (f *DialogFile) repairTail() error {
	if wholeTail(f.src) && len(f.d.Problems) == 0 && !f.endsInSystem() {
		return nil // as nearly always; else it is parsed once more
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

// wholeTail tells whether a text ends as our sections do, with a closing fence
// and its line feed. Without the line feed the fence may be the beginning of an
// escaped line.
func wholeTail(src string) bool {
	return strings.HasSuffix(src, "\nəəə\n") || strings.HasSuffix(src, "\nəəə\r\n")
}

// endsInSystem tells whether the last section is the one that has two payloads
// and is torn with one.
func (f *DialogFile) endsInSystem() bool {
	n := len(f.d.Sections)
	return n > 0 && f.d.Sections[n-1].Role == dialog.System
}

// cutSection is the place of the last section if a kill may have cut it, else -1.
func (f *DialogFile) cutSection() int {
	if wholeTail(f.src) {
		return -1
	}
	return len(f.d.Sections) - 1
}

// repairOpen appends what a killed server left of a response, and removes the
// file it was in. The file's time is that of the last piece. cut is the section
// that the kill cut off, or -1.
func (f *DialogFile) repairOpen(cut int) error {
	name := dialog.OpenName(f.id)
	st, err := f.p.dir.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var secs []dialog.Section
	if st.plain {
		open, st, err := f.p.dir.readPlain(name)
		if err != nil {
			return err
		}
		if secs = f.unsaid(open, st.modTime(), cut); len(secs) > 0 {
			f.p.store.o.Log.Info("interrupted response kept", "project", f.p.name, "dialog", f.id, "bytes", len(open))
		}
	}
	return f.closeOpen(secs)
}

// unsaid is what an open response holds that the file does not: all of it, or
// nothing where it was appended. A kill in the middle of that append leaves
// only the beginning in the file, and its last section cut; a power cut leaves
// any of its pages, and sections torn by zeros. Then what is missing is said
// again, the cut section under a fresh id. Calls are not, for nobody has seen
// them.
func (f *DialogFile) unsaid(open string, last time.Time, cut int) []dialog.Section {
	if secs := dialog.CloseOpen(open, f.d, last); len(secs) > 0 {
		return secs
	}
	open, _, _ = strings.Cut(open, "\x00")
	shown, missing := dialog.Parse(open), false
	secs := dialog.CloseOpen(open, dialog.Parse(""), last)
	out := secs[:0]
	for _, s := range secs {
		i := f.d.Find(s.Role, s.ID)
		if s.Role == dialog.ToolRequest || i >= 0 && (i != cut || slices.Equal(s.Payloads, f.d.Sections[i].Payloads)) {
			continue
		}
		// An Assistant that only CloseOpen has put there says nothing by itself.
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

// touch repairs a dialog that nobody holds, for who only wants to read it.
// Where that can't be done the reader still gets what is there. It returns the
// holder where there is one in this process.
func (p *Project) touch(id string, sync func() error) *DialogFile {
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil || p.gone.Load() {
		return g.holder
	}
	f, err := p.openLocked(id, sync)
	switch {
	case err == nil:
		disk.Unlock(f.file)
	case errors.Is(err, ErrBusy), errors.Is(err, ErrTwoFiles), errors.Is(err, fs.ErrNotExist):
	default:
		p.store.o.Log.Warn("dialog not repaired", "project", p.name, "dialog", id, "err", err)
	}
	return nil
}
