package project

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"vibey/tools/disk"
)

// idName is the file that holds a project's id: one line of 32 hex digits, and behind it,
// of a project that was restored from a snapshot, one that says when. It is no doc, so it
// is in no list and in no snapshot, and no tool writes it.
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
func (p *Project) ID() (id string, err error) {
	defer wrap(&err, "id of %s", p.name)
	text, _, err := p.dir.ReadPlain(idName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	id, _ = parseID(text)
	return id, err
}

// restoredLine is how the second line of idName begins; a time follows.
const restoredLine = "restored "

// parseID returns the id in the text of idName, "" if it is damaged, and when the project
// was restored, the zero time for one that was made.
func parseID(text string) (id string, restored time.Time) {
	id, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if at, ok := strings.CutPrefix(rest, restoredLine); ok {
		restored, _ = time.Parse(time.RFC3339Nano, at)
	}
	if b, err := hex.DecodeString(id); err != nil || len(b) != 16 || rest != "" && restored.IsZero() {
		return "", time.Time{}
	}
	return id, restored
}

// idText is what parseID reads.
func idText(id string, restored time.Time) string {
	if restored.IsZero() {
		return id + "\n"
	}
	return id + "\n" + restoredLine + restored.UTC().Format(time.RFC3339Nano) + "\n"
}

// RestoredAt returns when the project in the folder dir was restored from a snapshot, the
// zero time for one that was made there, or if that is not known. It opens plain files alone.
func RestoredAt(dir string) time.Time {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return time.Time{}
	}
	defer root.Close()
	f, err := disk.Open(root, idName)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	text := make([]byte, 200)
	n, _ := io.ReadFull(f, text)
	_, at := parseID(string(text[:n]))
	return at
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

func (p *Project) renewID() (id string, err error) {
	defer wrap(&err, "id of %s", p.name)
	id, restored := newID(), time.Time{}
	if was, _, err := p.dir.ReadPlain(idName); err == nil {
		_, restored = parseID(was)
	}
	if st, err := p.dir.Lstat(idName); err == nil && !st.Plain {
		p.dir.Remove(idName) // such as a link to a file with the old id
	}
	_, err = disk.Change(p.Root(), idName, createMode, func(*os.File) ([]byte, error) { return []byte(idText(id, restored)), nil })
	return id, err
}
