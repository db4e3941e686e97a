package why

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
)

// step is one change of one file.
type step struct {
	v             Version
	source        string // steps of one source lie in their order: a dialog's id, "" for saves
	section       int    // in that dialog
	start, end    string
	before, after string
	input         string   // of a write_file or an edit_file
	made          bool     // its hash must be that of bytes that follow from the input
	from          []string // of a new file: the paths that the same call removed
	undone        []string // of an undo: hashes that the file had before what it took back
}

// loose is the before of a step of which that is not known. It is no hash.
const loose = "?"

// reader collects the steps of all files of a project.
type reader struct {
	src   Source
	steps map[string][]*step // by path
	bytes map[string][]byte  // by hash, of texts that stand in calls, and of the last of derived
	made  map[string]*step   // by hash, the edit_file that leaves those bytes
	// Of a thousand edits of a large doc not all bytes are held at once.
	derived []string // hashes of those that are, the oldest first
	size    int      // bytes of them
}

// heldMost is how many bytes are held that calls of edit_file left; the last two are always.
const heldMost = 16 << 20

func newReader(src Source) *reader {
	r := &reader{src: src, steps: map[string][]*step{}, bytes: map[string][]byte{}, made: map[string]*step{}}
	seen := map[string]bool{}
	all := slices.Clone(src.Dialogs)
	slices.SortStableFunc(all, func(a, b Dialog) int {
		return cmp.Or(cmp.Compare(min(1, len(forked(a))), min(1, len(forked(b)))), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range all {
		if d.D.Header.DialogID == d.ID { // else it is a copy
			r.dialog(d, seen)
		}
	}
	return r
}

// forked names the section of another dialog at which one was forked, "" for none. Up to
// there its text is that of the other.
func forked(d Dialog) (at string) {
	_, at, _ = strings.Cut(d.D.Header.Meta.Get("From"), " at ")
	return at
}

// know takes in bytes that a version may have.
func (r *reader) know(b []byte) { r.bytes[dialog.SHA256(b)] = b }

// content returns the bytes with that hash; "" is the hash of no file.
func (r *reader) content(sha string) ([]byte, bool) {
	if sha == "" {
		return nil, true
	}
	if b, ok := r.bytes[sha]; ok {
		return b, true
	}
	if sha == loose || r.src.Kept == nil {
		return nil, false
	}
	b, ok := r.src.Kept(sha) // it is not held: all that is kept may be 200 MB
	return b, ok && dialog.SHA256(b) == sha
}

// dialog takes in the steps of one dialog. seen are the steps of the dialogs before it: of a
// fork those up to where it began are not its own.
func (r *reader) dialog(d Dialog, seen map[string]bool) {
	a := r.src.Authority
	a.DialogID = d.ID
	judge := &judge{d: d.D, policy: r.src.Policy, x: grant.Builder{Authority: a, Unjudged: a.Key == nil}}
	log := change.Of(d.D)
	for _, ch := range log.Steps() {
		s := &d.D.Sections[ch.Section]
		next := &step{
			v:      Version{Kind: OutsideKind, SHA256: ch.After, At: s.End(), Dialog: d.ID, Call: ch.ID, Tool: ch.Tool},
			source: d.ID, section: ch.Section, start: s.Start(), end: s.End(), before: ch.Before, after: ch.After,
		}
		if from, known := ch.From(); known {
			next.before = from
		} else {
			next.before = loose
		}
		key := strings.Join([]string{ch.Path, ch.ID, s.Time, next.before, ch.After}, "\n")
		if next.before == ch.After || seen[key] || !isTime(next.start) || !isTime(next.end) {
			continue
		}
		switch {
		case s.Role == dialog.ToolResult:
			if !r.call(judge, next, ch) {
				continue
			}
		case ch.Tool == "": // an undo
			next.v.Kind, next.v.Call, next.undone = UndoKind, "", undone(log, ch, s.Meta.Get("Parent"))
		default: // what a server changed between two calls may as well be another's
			next.v.Dialog, next.v.Call, next.v.Tool = "", "", ""
		}
		seen[key] = true
		r.steps[ch.Path] = append(r.steps[ch.Path], next)
	}
	r.moves(d.ID)
}

// undone returns what the file of an undo held before each change that it took back, and
// before what its parent did, of which it may have taken back a part.
func undone(log *change.Log, undo change.Step, parent string) (hashes []string) {
	for _, t := range log.Steps() {
		if t.ID == parent && t.Path == undo.Path && t.Section < undo.Section {
			if from, known := t.From(); known {
				hashes = append(hashes, from)
			}
		}
	}
	for _, t := range log.Took(undo) {
		if from, known := t.From(); known {
			hashes = append(hashes, from)
		}
	}
	return hashes
}

// isTime reports whether t is a time as a dialog has it, so that times compare as text.
func isTime(t string) bool { return len(t) == len("2006-01-02T15:04:05Z") && strings.HasSuffix(t, "Z") }

// call completes the step of a call. ok is false for one that no human let run.
func (r *reader) call(j *judge, next *step, ch change.Step) (ok bool) {
	d := j.d
	k := d.Find(dialog.ToolRequest, ch.ID)
	if k < 0 || k > ch.Section || !d.Started(ch.ID) || d.Sections[k].Torn || d.Sections[ch.Section].Torn {
		return false
	}
	if next.v.Allowed, ok = j.allowed(k, ch.Section, ch.Path); !ok {
		return false
	}
	next.v.Message = message(d, ch.Section)
	if ch.Unknown == "" || next.before != loose {
		next.v.Kind = CallKind
	}
	if dialog.WritesFile(ch.Tool) {
		next.made, next.input = true, d.Sections[k].Text()
		if in, ok := readInput(next.input); ok && ch.Tool == "write_file" && dialog.SHA256(in.Content) == ch.After {
			r.know([]byte(in.Content))
		}
	}
	return true
}

// message is the id of the User section whose turn section i is in. A call that was allowed
// together with a message is of the turn which that began, as for its undo (dialog/change):
// its result stands behind that message.
func message(d *dialog.Dialog, i int) string {
	for ; i >= 0; i-- {
		if d.Sections[i].Role == dialog.User {
			return d.Sections[i].ID
		}
	}
	return ""
}

// input is what write_file and edit_file are called with.
type input struct {
	Content   string
	OldString string `json:"old_string"`
	NewString string `json:"new_string"`
}

func readInput(text string) (in input, ok bool) {
	return in, json.Unmarshal([]byte(text), &in) == nil
}

// moves notes of each file that a call made which files the same call removed.
func (r *reader) moves(id string) {
	removed := map[int][]string{} // by section
	for path, all := range r.steps {
		for _, s := range all {
			if s.source == id && s.after == "" && s.v.Kind != UndoKind {
				removed[s.section] = append(removed[s.section], path)
			}
		}
	}
	for _, all := range r.steps {
		for _, s := range all {
			if s.source == id && s.before == "" && s.v.Kind == CallKind && !s.made {
				s.from = removed[s.section]
			}
		}
	}
}

// derive makes the bytes known that an edit_file left, if those that it found are.
func (r *reader) derive(s *step) {
	if _, known := r.content(s.after); known || s.v.Tool != "edit_file" {
		return
	}
	before, known := r.content(s.before)
	if !known {
		return
	}
	after, sha := s.edit(before)
	if sha != s.after {
		return
	}
	if r.made[sha] == nil {
		r.made[sha] = s
	}
	r.bytes[sha], r.derived, r.size = after, append(r.derived, sha), r.size+len(after)
	for r.size > heldMost && len(r.derived) > 2 {
		r.size -= len(r.bytes[r.derived[0]])
		delete(r.bytes, r.derived[0])
		r.derived = r.derived[1:]
	}
}

// edit returns what an edit_file makes of before.
func (s *step) edit(before []byte) (after []byte, sha string) {
	in, _ := readInput(s.input)
	if in.OldString == "" {
		return nil, ""
	}
	after = bytes.Replace(before, []byte(in.OldString), []byte(in.NewString), 1)
	return after, dialog.SHA256(after)
}

// again is content, also of what an edit_file left and is not held any more. Each step of
// made was derived before those that go on from it, so that the way back ends.
func (r *reader) again(sha string) (b []byte, known bool) {
	var way []*step
	for {
		if b, known = r.content(sha); known {
			break
		}
		s := r.made[sha]
		if s == nil {
			return nil, false
		}
		way, sha = append(way, s), s.before
	}
	for _, s := range slices.Backward(way) {
		b, _ = s.edit(b)
	}
	return b, true
}
