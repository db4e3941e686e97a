package dialog

import (
	"encoding/json"
	"slices"
)

// UndoKind is the Kind of the Note that tells what a human took back. Its Parent is the
// call, the undo or, for a whole turn, the User section.
const UndoKind = "undo"

// Undone is the answer to an undo, and the note/json of its Note.
type Undone struct {
	Undone  []UndoneFile  `json:"undone"`
	Refused []RefusedFile `json:"refused"`
}

// UndoneFile is a file that is as it was before, with the hash that it has now, "" where
// there is none any more.
type UndoneFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	// ReplacedMode is the permissions of a file that the undo removed, as in FileHash.
	ReplacedMode string `json:"replacedMode,omitempty"`
}

// RefusedFile is a file that was left as it is. Why is a sentence without its full stop.
type RefusedFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// undoes reports whether s is the Note of an undo.
func (s *Section) undoes() bool { return s.Role == Note && !s.Torn && s.Kind() == UndoKind }

// Undone is what the Note of an undo says; nothing for any other section.
func (s *Section) Undone() (u Undone) {
	if !s.undoes() || json.Unmarshal([]byte(s.Payload(NoteJSON)), &u) != nil {
		return Undone{}
	}
	return u
}

// AsksModel reports whether s is a Note that the model is to answer. One that tells it
// of a commit or of an undo waits for the next message, and so does mail that wakes
// nobody.
func (s *Section) AsksModel() bool {
	if s.Role != Note || s.Meta.Get("To") != "model" {
		return false
	}
	switch s.Kind() {
	case "commit", UndoKind:
		return false
	case MailNote:
		return s.Wakes()
	}
	return true
}

// Left returns the files that a section left as they are, with their hashes: the result
// of a call that changed them, or the Note of an undo or of an effect.
func (s *Section) Left() []FileHash {
	switch {
	case s.Torn:
	case s.Role == ToolResult:
		return Wrote(s.Tool(), s.Text())
	case s.Role == Note && s.Kind() == EffectKind:
		return s.Effect().Changed
	case s.Role == Note:
		return s.undoneFiles()
	}
	return nil
}

// Names returns the files that a section names with their hashes: a result (see Named),
// or the Note of an undo.
func (s *Section) Names() []FileHash {
	if s.Role == ToolResult && !s.Torn {
		return Named(s.Text())
	}
	return s.undoneFiles()
}

func (s *Section) undoneFiles() (files []FileHash) {
	for _, f := range s.Undone().Undone {
		files = append(files, FileHash{Path: f.Path, SHA256: f.SHA256, Deleted: f.SHA256 == ""})
	}
	return files
}

// TakesBack reports whether the Note of an undo in section i takes back what calls did.
// Otherwise it is the undo of such an undo, and brings that back.
func (d *Dialog) TakesBack(i int) bool {
	back := true
	for {
		k := d.Find(Note, d.Sections[i].Meta.Get("Parent"))
		if k < 0 || k >= i {
			return back
		}
		i, back = k, !back
	}
}

// FileUndo is one file of an undo.
type FileUndo struct {
	Path string
	// Steps are the changes to take back, the last first; each leads back from its After
	// to its Before. Why is set where there are none, as for RefusedFile.
	Steps []Change
	Why   string
}

// Undo returns the files that an undo of id is about, that with the last change first:
// those of a call or of an undo or, with turn, of all calls of the turn that begins with
// that User section. Whether a file still is as the last change left it is for the caller
// to see. why says within a sentence that there are none; it is "" for an id that is
// neither a call's nor an undo's.
func (c *Changes) Undo(id string, turn bool) (files []FileUndo, why string) {
	targets, why := c.targets(id, turn)
	for _, k := range slices.Backward(targets) {
		path := c.all[k].Path
		if slices.ContainsFunc(files, func(f FileUndo) bool { return f.Path == path }) {
			continue
		}
		f := FileUndo{Path: path, Steps: c.steps(c.live(targets, path))}
		if len(f.Steps) == 0 {
			f.Why = "it was taken back already, by the undo " + c.all[c.all[k].taken-1].ID
		}
		files = append(files, f)
	}
	return files, why
}

// Took returns the changes that an undo took back, the last first.
func (c *Changes) Took(undo Change) (took []Change) {
	for k := range c.all {
		if u := &c.all[k]; u.Section == undo.Section && u.Path == undo.Path {
			took = append(took, c.steps(u.took)...)
		}
	}
	return took
}
