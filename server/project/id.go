package project

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"vibey/tools/disk"
)

// idName is the file that holds a project's id: one line of 32 hex digits. It is
// no doc, so it is in no list and in no snapshot, and no tool writes it.
const idName = ".id"

// newID is a fresh id: 128 random bits.
func newID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// ID returns what tells this project from any other that has or had its name,
// or "" for one without: its folder was made by hand, and nothing was confirmed
// in it yet.
func (p *Project) ID() (string, error) {
	text, _, err := p.dir.readPlain(idName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("id of %s: %w", p.name, err)
	}
	id := strings.TrimSpace(text)
	if b, err := hex.DecodeString(id); err != nil || len(b) != 16 {
		return "", nil // damaged: as good as none
	}
	return id, nil
}

// EnsureID returns the project's id, which it makes where there is none.
func (p *Project) EnsureID() (string, error) {
	unlock, err := p.lock()
	if err != nil {
		return "", fmt.Errorf("id of %s: %w", p.name, err)
	}
	defer unlock()
	if id, err := p.ID(); id != "" || err != nil {
		return id, err
	}
	return p.renewID()
}

// RenewID gives the project another id, so that whatever was bound to the one
// before counts no more. It is for an edit within Change, which holds the lock.
func (p *Project) RenewID() error {
	_, err := p.renewID()
	return err
}

func (p *Project) renewID() (string, error) {
	id := newID()
	if st, err := p.dir.lstat(idName); err == nil && !st.plain {
		p.dir.root.Remove(idName) // a link by somebody's hand, say: it must not keep the old id in force
	}
	_, err := disk.Change(p.dir.root, idName, createMode, func(*os.File) ([]byte, error) { return []byte(id + "\n"), nil })
	if err != nil {
		return "", fmt.Errorf("id of %s: %w", p.name, err)
	}
	return id, nil
}
