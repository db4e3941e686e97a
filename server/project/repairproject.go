package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project/folder"
)

// Repaired is one file that Repair repaired, or left to a human.
type Repaired struct {
	File string // its name now
	Did  string // what was done, in words
	Left string // what a human must decide, in words; then Did may be ""
}

// Repair opens every dialog of the project once, which repairs what a kill left. Of
// two files of one dialog the older one becomes a dialog of its own. No text is
// deleted. A dialog that is being written is left to its writer.
func (p *Project) Repair() ([]Repaired, error) {
	names, err := p.dir.Names()
	if err != nil {
		return nil, fmt.Errorf("mend %s: %w", p.name, err)
	}
	slices.Sort(names)
	var out []Repaired
	seen := map[string]bool{}
	for _, n := range names {
		id, _, ok := dialog.ParseName(n)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		parted, stuck := p.part(id)
		for _, next := range parted {
			of, _, _ := dialog.ParseName(next.File)
			if m := p.repair(of); m.Did != "" {
				next.Did += "; " + m.Did
				next.File = m.File
			} else if m.Left != "" {
				next.Left = m.Left
			}
			out = append(out, next)
		}
		if stuck.Left == "" {
			stuck = p.repair(id)
		}
		if stuck != (Repaired{}) {
			out = append(out, stuck)
		}
	}
	return append(out, p.strays(names)...), nil
}

// repair opens one dialog and returns what the opening did, the zero Repaired for a
// dialog that was whole.
func (p *Project) repair(id string) Repaired {
	at, err := p.find(id)
	if err != nil {
		return p.odd(id, err)
	}
	before, _, err := p.dir.ReadPlain(at.name)
	if err != nil {
		return Repaired{File: at.name, Left: "it can't be read: " + err.Error()}
	}
	_, openErr := p.dir.Lstat(dialog.OpenName(id))
	f, err := (*DialogFile)(nil), ErrBusy
	if !p.locked(at.name) {
		f, err = p.OpenDialog(id)
	}
	switch {
	case errors.Is(err, ErrBusy):
		return Repaired{File: at.name, Left: "it is being written by a server that runs; that one repairs it"}
	case err != nil:
		return Repaired{File: at.name, Left: err.Error()}
	}
	defer f.Close()
	var did []string
	tail := len(dialog.RepairTail(before, p.store.o.Now()))
	switch {
	case tail > len("\r\n") && strings.IndexByte(before, 0) >= 0:
		did = append(did, "what a power cut lost in it is marked")
	case tail > len("\r\n"):
		did = append(did, "its end, which was cut off, is closed and marked")
	case tail > 0:
		did = append(did, "its last line is ended")
	}
	if openErr == nil {
		if grown := f.Size() - int64(len(before)+tail); grown > 0 {
			did = append(did, "the interrupted response is kept, in "+strconv.FormatInt(grown, 10)+" bytes")
		} else {
			did = append(did, "the open response, which it holds already, is removed")
		}
	}
	switch {
	case at.status == dialog.Active:
		did = append(did, "it was active, and waits now")
	case otherWord(before, at.status):
		did = append(did, "its header has the status of its name again")
	}
	if did == nil {
		return Repaired{}
	}
	return Repaired{File: f.Filename(), Did: strings.Join(did, "; ")}
}

// odd returns what is wrong with a dialog that find did not find: an entry with its
// name that is no file, or nothing if it was renamed or deleted meanwhile.
func (p *Project) odd(id string, err error) Repaired {
	for _, st := range statuses {
		name := dialog.Filename(id, st)
		if at, serr := p.dir.Lstat(name); serr == nil && !at.Plain {
			return Repaired{File: name, Left: "it is no plain file, and no dialog is read from it; move it away"}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Repaired{}
	}
	return Repaired{File: id, Left: err.Error()}
}

// part gives all files of one dialog but the newest an id of their own. stuck is the
// first for which that can't be done.
func (p *Project) part(id string) (done []Repaired, stuck Repaired) {
	for range statuses {
		at, err := p.find(id)
		if err != nil || at.other == "" {
			return done, Repaired{}
		}
		next, err := p.partOne(id, at)
		switch {
		case errors.Is(err, ErrBusy):
			return done, Repaired{File: at.other, Left: "it is of the same dialog as " + at.name + ", and is being written: stop its server, then repair again"}
		case err != nil:
			return done, Repaired{File: at.other, Left: "it is of the same dialog as " + at.name + ": " + err.Error()}
		}
		done = append(done, next)
	}
	return done, Repaired{}
}

// errLinked is one file under two names. If one were renamed, two dialogs would
// write into one file.
var errLinked = errors.New("the two are one file under two names (hard links); remove one of the names")

// partOne renames the older file of two, and then writes its new id into its header;
// after a kill between the two the header is wrong, and the name decides. Approvals
// in it are void, because their Macs are bound to the old id.
func (p *Project) partOne(id string, at found) (Repaired, error) {
	_, st, _ := dialog.ParseName(at.other)
	lock, err := p.try(id)
	if err != nil {
		return Repaired{}, err
	}
	defer lock.Release()
	if p.locked(at.other) {
		return Repaired{}, ErrBusy
	}
	file, _, err := p.dir.OpenPlain(at.other, os.O_RDONLY)
	if err != nil {
		return Repaired{}, err
	}
	defer file.Close()
	if old, err := folder.StampOf(file); err != nil || old.Same(at.stamp) {
		return Repaired{}, errors.Join(errLinked, err)
	}
	for n := 2; n < clashes; n++ {
		next := id + "-" + strconv.Itoa(n)
		name := dialog.Filename(next, st)
		err := p.untaken(next)
		if err == nil {
			err = p.dir.Rename(at.other, name)
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = p.dir.Sync()
		}
		if err == nil {
			err = p.putID(name, id, next)
		}
		return Repaired{File: name, Did: "it was " + at.other + ", the older of two files of one dialog, and is a dialog of its own now"}, err
	}
	return Repaired{}, fs.ErrExist
}

// putID writes a file anew with its new id in its header.
func (p *Project) putID(name, old, id string) error {
	text, _, err := p.dir.ReadPlain(name)
	if err != nil {
		return err
	}
	if now := renamed(text, old, id); now != text {
		_, err = p.replace(name, now+grant.VoidTail(now, p.store.o.Now()), "")
	}
	return err
}

// strays returns the open responses without a dialog. They hold text, so they stay.
func (p *Project) strays(names []string) (out []Repaired) {
	for _, n := range names {
		id, ok := dialog.ParseOpenName(n)
		if !ok {
			continue
		}
		if _, err := p.find(id); errors.Is(err, fs.ErrNotExist) {
			out = append(out, Repaired{File: n, Left: "it is an interrupted response whose dialog is not here; bring the dialog back, or move it away"})
		}
	}
	return out
}
