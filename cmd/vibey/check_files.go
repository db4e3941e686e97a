package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"vibey/dialog"
	"vibey/dialog/picture"
	"vibey/server/project"
	"vibey/tools/disk"
)

// files checks the folder files/ of the project: what lies there that was never added, and
// what has other bytes by now than its name says. These are notes, for only a human can have
// put them there.
func (p *checkedProject) files() error {
	at := filepath.Join(p.dir, picture.Folder)
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		p.found(at, 1, "name", "this is no folder; nothing that it leads to is read, and nothing can be added to it")
		return nil
	}
	entries, err := os.ReadDir(at)
	for _, e := range entries {
		if disk.IsTemp(e.Name()) {
			continue
		}
		p.attached(e, filepath.Join(at, e.Name()))
	}
	return err
}

func (p *checkedProject) attached(e fs.DirEntry, at string) {
	info, err := e.Info()
	if err != nil {
		return // removed since the folder was read
	}
	if !info.Mode().IsRegular() || !picture.ValidName(e.Name()) || info.Size() > project.AttachedMost {
		p.found(at, 1, noteRule, "it was not added by the window, is never read, and is in no snapshot")
		return
	}
	b, err := os.ReadFile(at)
	if err != nil {
		p.found(at, 1, noteRule, "it can't be read (%v)", disk.Cause(err))
		return
	}
	rule := noteRule
	if p.holdClaims {
		rule = "file"
	}
	if !picture.Fits(e.Name(), dialog.SHA256(b)) {
		p.found(at, 1, rule, "its bytes are others than its name says; no model is sent them, and no snapshot has them")
	}
	if !picture.Taken(b) {
		p.found(at, 1, noteRule, "it is empty, or of a kind that is not added; no snapshot has it")
	}
}
