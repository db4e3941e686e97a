package turn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/dialog"
	"vibey/server/turn/record"
	"vibey/tools/codebase"
	"vibey/tools/instructions"
)

// deedText is what a model is told of the deed, read once for each prompt.
type deedText struct {
	instructions string // of the deed itself, and the skills, as the package instructions writes them; "" where there are none
	codebase     string // what the deed holds, as the package codebase writes it
}

// deedText reads what a model is told of the deed as it stands now.
func (t *turn) deedText() (deedText, error) {
	deed, state, err := t.openDeed()
	if err != nil {
		return deedText{}, err
	}
	if deed != nil {
		defer deed.Close()
		state = t.r.deeds.Summary(deed)
	}
	p := t.in.Project
	text, err := instructions.Text(deed, p.Root(), p.DocNames)
	if err != nil {
		return deedText{}, fmt.Errorf("what the deed tells agents could not be read: %w", err)
	}
	return deedText{text, state}, nil
}

// openDeed opens the deed's folder. Where it can't be read, which may be for good, deed
// is nil and state says so; an error is one of the machine.
func (t *turn) openDeed() (deed *os.Root, state string, err error) {
	dir, err := t.in.Project.DeedDir()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, codebase.Empty, nil // the first write makes it
	}
	if err != nil {
		return nil, codebase.Unreadable, nil // what leads where it may not is not read
	}
	deed, err = os.OpenRoot(dir)
	if instructions.Broken(err) != nil {
		return nil, "", fmt.Errorf("the deed could not be opened: %w", err)
	}
	if err != nil {
		return nil, codebase.Unreadable, nil
	}
	return deed, "", nil
}

// tellCodebase is the Note before a prompt where text, what is told of the deed, is
// another than the model was told last. told are sections that will stand before it and
// are not appended yet.
func (t *turn) tellCodebase(told []dialog.Section, text string) []dialog.Section {
	if known, _ := t.known(told, "codebase", "Codebase"); known == record.Hash(text) {
		return nil
	}
	return t.tellAnew(told, "codebase", "[CODEBASE CHANGED] This is what deed/ holds now; it replaces what you were told of it before.\n\n"+text,
		dialog.Field{Key: "Codebase", Value: record.Hash(text)})
}

// tellAnew is a Note to the model behind told, with the hash of what it tells where that
// is told again when it has changed.
func (t *turn) tellAnew(told []dialog.Section, kind, text string, hash ...dialog.Field) []dialog.Section {
	return []dialog.Section{t.newNote(notes(told), kind, "model", text, hash...)}
}

// notes is how many Notes are among sections that are not appended yet.
func notes(secs []dialog.Section) (n int) {
	for i := range secs {
		if secs[i].Role == dialog.Note {
			n++
		}
	}
	return n
}

// known is the hash, under that key, of what the model was told last, by told or else
// by the dialog.
func (t *turn) known(told []dialog.Section, kind, key string) (hash string, ever bool) {
	if hash, ever = toldHash(told, kind, key); ever {
		return hash, ever
	}
	return toldHash(t.dialog().Sections, kind, key)
}

// hashOf is record.Hash, "" for no text.
func hashOf(text string) string {
	if text == "" {
		return ""
	}
	return record.Hash(text)
}

// toldHash is the hash, under that key, of what the model was told last: in a System
// section or a Note of that kind.
func toldHash(secs []dialog.Section, kind, key string) (hash string, ever bool) {
	for i := len(secs) - 1; i >= 0; i-- {
		s := &secs[i]
		if !s.Torn && s.Meta.Has(key) && (s.Role == dialog.System || s.Role == dialog.Note && s.Kind() == kind) {
			return s.Meta.Get(key), true
		}
	}
	return "", false
}
