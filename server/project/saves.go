package project

import (
	"errors"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/why"
	"vibey/server/project/folder"
	"vibey/tools/disk"
)

// savesName is the folder of a project with a text for each doc about what humans saved of
// it (see why.AddSave). No tool and no command writes there, and its lines have a Mac.
const savesName = ".saves"

// SaveFile is WriteFile for what a human writes: of a doc it is noted that a human did, and
// what stood there and what stands there now are kept, so that the doc's history has them,
// also if another program writes it next.
func (p *Project) SaveFile(name, content, ifMatch string) (File, error) {
	if len(p.store.o.Key) == 0 || !dialog.ValidFile(name) || isDialog(name) || !utf8.ValidString(content) {
		return p.WriteFile(name, content, ifMatch)
	}
	s := &saving{p: p, name: name, now: p.store.o.Now(), content: content, after: dialog.SHA256(content)}
	f, err := p.replaceAs(name, content, ifMatch, writing{s.keeps, s.note})
	wrap(&err, "write %s", name)
	return f, err
}

// Saves returns the text about what humans saved of a doc, "" if there is none.
func (p *Project) Saves(name string) (text string, err error) {
	defer wrap(&err, "saves of %s", name)
	d, err := p.own(savesName, false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer d.Close()
	if text, _, err = d.ReadPlain(name); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return text, err
}

// A human who writes for an hour saves a thousand times. As many versions of a doc are kept
// in a while, and only one if they are large: else they would push out what undos need.
const (
	savesWhile = 10 * time.Minute
	savesOften = 20
	savesBytes = 4_000_000
)

// saving is one save of a doc. It is used under the project's lock.
type saving struct {
	p             *Project
	name          string
	now           time.Time
	content       string
	before, after string
	version       bool  // it makes a version, whose bytes are kept
	goesOn        bool  // it is of the version that the last save made
	unread        error // why it is not known what stood there
}

// keeps looks at what stands there, nil for nothing, and reports whether it is to be kept:
// where it is not what the last save left, and now and then where it is.
func (s *saving) keeps(old *os.File) bool {
	var at folder.Stamp
	if s.before, s.version, s.goesOn, s.unread = "", true, false, nil; old != nil {
		if at, s.unread = folder.StampOf(old); s.unread == nil {
			s.before, s.unread = hashFile(old, at.Size)
		}
	}
	if listed, err := s.p.dir.Spelled(s.name); err == nil {
		s.name = listed
	}
	if old == nil || s.unread != nil || s.before == s.after {
		return false
	}
	text, _ := s.p.Saves(s.name)                           // without it, all is kept; write reads it again
	all := why.ParseSaves(text, grant.Authority{}, s.name) // it only counts them
	if len(all) == 0 || all[len(all)-1].After != s.before {
		return true
	}
	recent, since := int64(0), dialog.FormatTime(s.now.Add(-savesWhile))
	for _, one := range all {
		if one.Start > since {
			recent++
		}
	}
	if recent == 0 || recent < savesOften && recent*at.Size < savesBytes {
		return true
	}
	_, err := s.p.Kept(s.before)
	s.version, s.goesOn = false, err != nil // else a call replaced it meanwhile
	return false
}

// note notes the save, which was written. If it can't be, it is not known who wrote.
func (s *saving) note() {
	if s.before == s.after {
		return
	}
	err := s.unread
	if err == nil && s.version {
		s.p.logUnkept(s.p.keepNow(s.content))
	}
	if err == nil {
		err = s.write()
	}
	if err != nil {
		s.p.store.o.Log.Warn("a save could not be noted for the doc's history", "project", s.p.name, "doc", s.name, "err", err)
	}
}

func (s *saving) write() error {
	at := dialog.FormatTime(s.now)
	a := grant.Authority{Key: s.p.store.o.Key, Project: s.p.name}
	d, err := s.p.own(savesName, true)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = disk.Change(d.Root(), s.name, createMode, func(old *os.File) (_ []byte, err error) {
		text := ""
		if old != nil {
			if text, _, err = folder.ReadAll(old); err != nil {
				return nil, err // else all that is noted would be lost
			}
		}
		return []byte(why.AddSave(text, a, s.name, why.Save{Start: at, End: at, Before: s.before, After: s.after}, s.goesOn)), nil
	})
	return err
}
