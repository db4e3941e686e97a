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

// ID returns the project's id, which no other project has, also none that had its
// name before. It is "" if the folder was made by hand and EnsureID was not called
// yet, or if the file is damaged.
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
		return "", nil
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

// RenewID gives the project another id, which voids everything bound to the one
// before. The caller must hold the lock, as an edit within Change does.
func (p *Project) RenewID() error {
	_, err := p.renewID()
	return err
}

func (p *Project) renewID() (string, error) {
	id := newID()
	if st, err := p.dir.lstat(idName); err == nil && !st.plain {
		p.dir.remove(idName) // such as a link to a file with the old id
	}
	_, err := disk.Change(p.Root(), idName, createMode, func(*os.File) ([]byte, error) { return []byte(id + "\n"), nil })
	if err != nil {
		return "", fmt.Errorf("id of %s: %w", p.name, err)
	}
	return id, nil
}
