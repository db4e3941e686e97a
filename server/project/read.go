package project

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// DialogText is a dialog as it stood at one moment.
type DialogText struct {
	ID       string
	Status   dialog.Status // as the name tells, but for an active one that no process writes: it waits
	Filename string
	Other    string // a second file of the same dialog, or ""
	Text     string // the file's bytes: whole sections, without the gaps of texts that are too long
	Size     int64  // the file's
	Open     string // the bytes of the response being streamed, or ""
	ModTime  time.Time

	shifts []dialog.Shift  // where Text stands in the file
	read   [2]folder.Stamp // of the two files, when they were read
	parsed *dialog.Dialog  // what Parse returns, where it was parsed to be read
}

// Parse returns the dialog of the text. It may be shared, and must not be changed.
func (t *DialogText) Parse() *dialog.Dialog {
	if t.parsed == nil {
		t.parsed = dialog.ParseShown(t.Text, t.shifts)
	}
	return t.parsed
}

// Same reports whether two readings are of the same files as they were at one moment.
func (t *DialogText) Same(o *DialogText) bool {
	return t.read == o.read && t.ID == o.ID && t.Filename == o.Filename && t.Text == o.Text && t.Open == o.Open
}

// Unchanged reports whether the files are as they were when t was read, by a look
// at their entries alone. It does not see that the process which wrote them has
// ended; ReadDialog does, and repairs what that one left.
func (p *Project) Unchanged(t DialogText) bool {
	at, err := p.find(t.ID)
	if err != nil || at.name != t.Filename || at.stamp != t.read[0] {
		return false
	}
	open, _ := p.dir.Lstat(dialog.OpenName(t.ID)) // the zero value where there is none
	return open == t.read[1]
}

// Settled reports whether t is what the last writer of the dialog left: nothing writes it
// now, in this process or another, and its files are as they were read. What is appended
// by one who holds the lock is no end: a turn stores what a human decided, and then begins.
func (p *Project) Settled(t DialogText) bool {
	// In this order: a writer that took the lock before we looked has changed the files,
	// or has done nothing yet.
	return !p.held(t.ID) && p.Unchanged(t)
}

// ReadDialog reads a dialog without holding it. If its lock is free, what a kill
// left is repaired first. Of two files it reads the one written last. Text and Open
// are of one moment: what was just appended to Text is not in Open as well. Of a text that
// is longer than a section may be only the head is read.
func (p *Project) ReadDialog(id string) (DialogText, error) {
	f := p.holder(id)
	repaired := f != nil
	for try := 0; ; try++ {
		t, still, err := p.readBetween(id, f)
		if err != nil {
			return DialogText{}, fmt.Errorf("read dialog %s: %w", id, err)
		}
		if !repaired && p.brokenOff(t) {
			repaired = true
			f = p.repairIfFree(id, p.dir.Sync)
			continue
		}
		if f == nil && (t.Status == dialog.Active || t.Open != "") && !wholeTail(t.Text) {
			still = false // another process is in the middle of an append
		}
		if !still && try < readTries {
			time.Sleep(readPause)
			continue
		}
		if t.Open != "" && (!still || dialog.CloseOpen(t.Open, t.Parse(), t.ModTime) == nil) {
			t.Open = ""
		}
		if p.Settled(t) {
			t.Status = p.shownStatus(id, found{name: t.Filename, status: t.Status})
		}
		return t, nil
	}
}

// ReadWhole is ReadDialog for one who needs every byte: Text has no gaps, and may end within
// what is being appended. Errors: also ErrTwoFiles.
func (p *Project) ReadWhole(id string) (DialogText, error) {
	for try := 0; ; try++ {
		t, err := p.ReadDialog(id)
		if err == nil && t.Other != "" {
			err = twoFiles(t.Filename, t.Other)
		}
		if err != nil || len(t.shifts) == 0 {
			return t, err
		}
		file, err := p.ReadFile(t.Filename)
		if errors.Is(err, fs.ErrNotExist) && try < renameTries { // it got another status
			continue
		}
		t.Text, t.shifts, t.parsed = file.Content, nil, nil
		return t, err
	}
}

// brokenOff reports whether a dialog that this process does not hold may be one
// that a kill left. Most are not, and are read without the lock.
func (p *Project) brokenOff(t DialogText) bool {
	if _, err := p.dir.Lstat(dialog.OpenName(t.ID)); err == nil || t.Status == dialog.Active || otherWord(t.Text, t.Status) {
		return true
	}
	// The next writer adds a last line feed that an editor left out.
	return !wholeTail(t.Text) && len(dialog.RepairTail(t.Text, p.store.o.Now())) > len("\r\n")
}

// readTries is how often a dialog is read again while another process writes it.
// After that it is returned without the open response.
const (
	readTries = 10
	readPause = time.Millisecond
)

// readBetween reads a dialog between two appends of f, its holder in this process,
// or nil. still reports that no other process wrote meanwhile.
func (p *Project) readBetween(id string, f *DialogFile) (t DialogText, still bool, err error) {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.file != nil { // else it was closed meanwhile, and what it left in doubt is known
			if err := f.sync(); err != nil { // what is read is shown
				return t, false, err
			}
		}
	}
	at, err := p.find(id)
	if err != nil {
		return t, false, err
	}
	text, shifts, st, err := p.readShown(at.name)
	if errors.Is(err, fs.ErrNotExist) {
		if at, err = p.find(id); err == nil { // renamed after we found it
			text, shifts, st, err = p.readShown(at.name)
		}
	}
	if err != nil {
		return t, false, err
	}
	open, openAt, err := p.readOpen(id)
	if err != nil {
		return t, false, err
	}
	text = p.certain(at.name, text, st)
	now, err := p.dir.Lstat(at.name)
	still = err == nil && now == st
	return DialogText{id, at.status, at.name, at.other, text, st.Size, open, st.ModTime(), shifts, [2]folder.Stamp{st, openAt}, nil}, still, nil
}

func (p *Project) readOpen(id string) (string, folder.Stamp, error) {
	open, at, err := p.dir.ReadPlain(dialog.OpenName(id))
	if errors.Is(err, fs.ErrNotExist) {
		return "", folder.Stamp{}, nil
	}
	return open, at, err
}
