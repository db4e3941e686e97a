package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"

	"vibey/dialog"
	"vibey/tools/codebase"
)

// codebase is what a model is told of the deed as it stands now.
func (t *turn) codebase() string {
	dir, err := t.in.Project.DeedDir()
	if errors.Is(err, fs.ErrNotExist) {
		return codebase.Empty // the first write makes it
	}
	if err != nil {
		return codebase.Unreadable
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return codebase.Unreadable
	}
	defer root.Close()
	return t.r.deeds.Summary(root)
}

// tellCodebase is the Note before a prompt where what is told of the deed is another
// text than the model was told last. told are sections that will stand before it and
// are not appended yet.
func (t *turn) tellCodebase(told []dialog.Section) []dialog.Section {
	known := toldCodebase(told)
	if known == "" {
		known = toldCodebase(t.dialog().Sections)
	}
	text := t.codebase()
	hash := textHash(text)
	if known == hash {
		return nil
	}
	notes := 0
	for i := range told {
		if told[i].Role == dialog.Note {
			notes++
		}
	}
	return []dialog.Section{t.newNote(notes, "codebase", "model", "[CODEBASE CHANGED] This is what deed/ holds now; it replaces what you were told of it before.\n\n"+text,
		dialog.Field{Key: "Codebase", Value: hash})}
}

// textHash is by what a text that a model was told is known again.
func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// toldCodebase is the hash of what the model was told of the deed last, "" if nothing.
func toldCodebase(secs []dialog.Section) string {
	for i := len(secs) - 1; i >= 0; i-- {
		s := &secs[i]
		if !s.Torn && (s.Role == dialog.System || s.Role == dialog.Note && s.Kind() == "codebase") && s.Meta.Has("Codebase") {
			return s.Meta.Get("Codebase")
		}
	}
	return ""
}
