package change

import (
	"encoding/json"
	"slices"

	"vibey/dialog"
)

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
	// Replaced is the hash that the file had, where a hunk was taken back.
	Replaced *string `json:"replaced,omitempty"`
	// ReplacedMode is the permissions of a file that the undo removed, as in FileHash.
	ReplacedMode string `json:"replacedMode,omitempty"`
}

// RefusedFile is a file that was left as it is. Why is a sentence without its full stop.
type RefusedFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// undoes reports whether s is the Note of an undo.
func undoes(s *dialog.Section) bool {
	return s.Role == dialog.Note && !s.Torn && s.Kind() == dialog.UndoNote
}

// UndoneBy returns what the Note of an undo says; nothing for any other section.
func UndoneBy(s *dialog.Section) (u Undone) {
	if !undoes(s) || json.Unmarshal([]byte(s.Payload(dialog.NoteJSON)), &u) != nil {
		return Undone{}
	}
	return u
}

// Left returns the files that a section left as they are, with their hashes: the result
// of a call that changed them, or the Note of an undo or of an effect.
func Left(s *dialog.Section) []FileHash {
	switch {
	case s.Torn:
	case s.Role == dialog.ToolResult:
		return Wrote(s.Tool(), s.Text())
	case s.Role == dialog.Note && s.Kind() == dialog.EffectNote:
		return EffectOf(s).Changed
	case s.Role == dialog.Note:
		return undoneFiles(s)
	}
	return nil
}

// Names returns the files that a section names with their hashes: a result (see Named),
// or the Note of an undo.
func Names(s *dialog.Section) []FileHash {
	if s.Role == dialog.ToolResult && !s.Torn {
		return Named(s.Text())
	}
	return undoneFiles(s)
}

func undoneFiles(s *dialog.Section) (files []FileHash) {
	for _, f := range UndoneBy(s).Undone {
		files = append(files, FileHash{Path: f.Path, SHA256: f.SHA256, Deleted: f.SHA256 == ""})
	}
	return files
}

// TakesBack reports whether the Note of an undo in section i takes back what calls did.
// Otherwise it is the undo of such an undo, and brings that back.
func TakesBack(d *dialog.Dialog, i int) bool {
	back := true
	for {
		k := d.Find(dialog.Note, d.Sections[i].Meta.Get("Parent"))
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
	Steps []Step
	Why   string
}

// Undo returns the files that an undo of id is about, that with the last change first:
// those of a call or of an undo or, with turn, of all calls of the turn that begins with
// that User section. Whether a file still is as the last change left it is for the caller
// to see. why says within a sentence that there are none; it is "" for an id that is
// neither a call's nor an undo's. What was done before d was forked is the other dialog's.
func (c *Log) Undo(id string, turn bool) (files []FileUndo, why string) {
	targets, why := c.targets(id, turn)
	if inherited := c.d.Inherited(); inherited > 0 && len(targets) > 0 {
		targets = slices.DeleteFunc(targets, func(k int) bool { return c.all[k].Section < inherited })
		if len(targets) == 0 {
			o, _ := c.d.Header.Origin()
			return nil, "that was done in the dialog " + o.Dialog + ", from which this one was forked; take it back there"
		}
	}
	for _, k := range slices.Backward(targets) {
		path := c.all[k].Path
		if slices.ContainsFunc(files, func(f FileUndo) bool { return f.Path == path }) {
			continue
		}
		f := FileUndo{Path: path, Steps: c.steps(c.live(targets, path, id), id)}
		if len(f.Steps) == 0 {
			f.Why = TakenBack + c.takenBy(targets, path)
		}
		files = append(files, f)
	}
	return files, why
}

// TakenBack says within a sentence why what was taken back already is not; the id of the undo follows.
const TakenBack = "it was taken back already, by the undo "

// takenBy returns the id of the undo that took back what targets did to a path.
func (c *Log) takenBy(targets []int, path string) string {
	for _, k := range slices.Backward(targets) {
		if ch := &c.all[k]; ch.Path == path && ch.taken != 0 && c.undone(k) {
			return c.all[ch.taken-1].ID
		}
	}
	return ""
}

// Changed reports whether a call or an undo with that id changed a file.
func (c *Log) Changed(id string) bool {
	return slices.ContainsFunc(c.all, func(s Step) bool { return s.ID == id })
}

// Made returns the changes that calls made: those of a call or, with turn, of all calls of the
// turn that begins with that User section, in their order, whether taken back or not.
func (c *Log) Made(id string, turn bool) (made []Step) {
	targets, _ := c.targets(id, turn)
	for _, k := range targets {
		if s := c.all[k]; c.d.Sections[s.Section].Role == dialog.ToolResult {
			made = append(made, s)
		}
	}
	return made
}

// Taken returns the id of the undo that took back what Made has of a call, or part of it;
// "" if it holds.
func (c *Log) Taken(s Step, part Part) (id string) {
	for k := range c.all {
		switch ch := &c.all[k]; {
		case ch.Part != nil && ch.parent == s.ID && *ch.Part == part && !c.undone(k):
			id = ch.ID
		case ch.Section == s.Section && ch.Path == s.Path && c.undone(k):
			return c.all[ch.taken-1].ID
		}
	}
	return id
}

// Took returns the changes that an undo took back, the last first.
func (c *Log) Took(undo Step) (took []Step) {
	for k := range c.all {
		if u := &c.all[k]; u.Section == undo.Section && u.Path == undo.Path {
			took = append(took, c.steps(u.took, "")...)
		}
	}
	return took
}
