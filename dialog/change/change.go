package change

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"vibey/dialog"
)

// Step is what one call made of one file, by its result; or what an undo, or a server
// between two calls, made of it, by the Note.
type Step struct {
	Section       int    // the index of the Tool Result or of the Note
	ID            string // of that section
	Tool          string // of the call; "" for an undo, "start_server" for what a server changed between two calls
	Path          string // in the project
	Before, After string // SHA-256 in lowercase hex; "" where there is no file
	// BeforePerm and AfterPerm are the permissions of the file; 0 if the result does not have them:
	// those of a new file, or the same before and after.
	BeforePerm, AfterPerm uint32
	// Unknown says why Before, or After, is not known, within a sentence; "" where both
	// are. What is not known can't be taken back.
	Unknown string

	from *string // the SHA-256 of what stood there, also where that can't be taken back; nil if it is not known

	took  []int // of an undo: what it took back, the last change first, as indexes of Log.all
	taken int   // 1 + the index of the last undo that took this one back; 0 for none

	// Part is what of a call the undo of one hunk took back. Such a Step stands for itself,
	// since the call's others hold. Passed: an undo of the whole call leads over it, and
	// never ends there.
	Part   *Part
	Passed bool
	parent string // the call's id
}

// Log is the changes of a dialog's calls and undos, in their order. It is a function of
// the dialog's text.
type Log struct {
	d   *dialog.Dialog
	all []Step
}

// Of folds a dialog's results and undos.
func Of(d *dialog.Dialog) *Log {
	c := &Log{d: d}
	for i, s := range d.Forward() {
		switch {
		case s.Role == dialog.ToolResult && d.Find(dialog.ToolResult, s.ID) == i:
			c.result(i, s)
		case undoes(s) && d.Find(dialog.Note, s.ID) == i:
			c.undo(i, s)
		case s.Role == dialog.Note && s.Kind() == dialog.EffectNote:
			for _, f := range EffectOf(s).Changed {
				// A human may as well have saved it: what stands there is not ours.
				c.all = append(c.all, Step{Section: i, ID: s.ID, Tool: "start_server", Path: f.Path, After: f.SHA256, Unknown: "a server changed it, and what stood there before is not certain"})
			}
		}
	}
	return c
}

// Unnamed reports whether a call behind section i changed files of the deed that its result
// does not name: the deed has too many of them.
func (c *Log) Unnamed(i int) bool {
	return slices.ContainsFunc(c.all, func(ch Step) bool { return ch.Section > i && ch.Path == deedPath })
}

// Leads returns the hashes from which the changes of path led to one of hashes, these
// included; "" is no file. known is false where one of them does not tell from what.
func (c *Log) Leads(path string, hashes ...string) (from []string, known bool) {
	from = slices.Clone(hashes)
	for i := 0; i < len(from); i++ {
		for k := range c.all {
			switch ch := &c.all[k]; {
			case ch.Path != path || ch.After != from[i]:
			case ch.from == nil:
				return nil, false
			case !slices.Contains(from, *ch.from):
				from = append(from, *ch.from)
			}
		}
	}
	return from, true
}

// result takes in what a call changed. A result without its request names no call.
func (c *Log) result(i int, s *dialog.Section) {
	k := c.d.Find(dialog.ToolRequest, s.ID)
	if k < 0 || s.Meta.Get("Status") != dialog.CallApproved {
		return
	}
	tool := c.d.Sections[k].Tool()
	next := Step{Section: i, ID: s.ID, Tool: tool}
	if tool == "run_command" || dialog.ServerTool(tool) {
		c.command(next, s.Text())
		return
	}
	var r struct {
		Success        bool
		Path, Replaced string
		SHA256         string `json:"sha256"`
	}
	if !dialog.WritesFile(tool) && tool != dialog.PlanTool || json.Unmarshal([]byte(s.Text()), &r) != nil || !r.Success || r.Path == "" || !isHash(r.SHA256) {
		return
	}
	if r.SHA256 == r.Replaced {
		return // as where the plan had the item already
	}
	next.Path, next.Before, next.After = r.Path, r.Replaced, r.SHA256
	if r.Replaced != "" && !isHash(r.Replaced) || r.Replaced == "" && tool == "edit_file" {
		next.Before, next.Unknown = "", "its result does not say what stood there before"
	} else {
		next.from = &r.Replaced
	}
	c.all = append(c.all, next)
}

// command takes in what a command, or a tool of an MCP server, changed. What stood there
// before is known only where its result says so.
func (c *Log) command(next Step, result string) {
	who := "a command"
	if dialog.ServerTool(next.Tool) {
		who = "an MCP server"
	}
	var r struct {
		Changed     json.RawMessage
		ChangedMore int
	}
	if json.Unmarshal([]byte(result), &r) != nil {
		return
	}
	if string(r.Changed) == `"unknown"` || r.ChangedMore > 0 {
		all := next
		all.Path, all.Unknown = deedPath, who+" changed more files than could be told"
		c.all = append(c.all, all)
	}
	var files []FileHash
	if json.Unmarshal(r.Changed, &files) != nil {
		return
	}
	// What was removed, and is not known or not listed, may have been moved.
	moved := r.ChangedMore > 0 || slices.ContainsFunc(files, func(f FileHash) bool { return f.Deleted && f.Replaced == nil })
	for _, f := range files {
		ch := next
		ch.Path, ch.After = f.Path, f.SHA256
		ch.BeforePerm, ch.AfterPerm = parsePerm(f.ReplacedMode), parsePerm(f.Mode)
		switch {
		case f.Path == "":
			continue
		case f.ReplacedLink != "" && f.Link == "":
			ch.Unknown = who + " removed or replaced the link that it was"
		case f.Replaced != nil && isHash(f.SHA256) && *f.Replaced == f.SHA256 && ch.BeforePerm == ch.AfterPerm:
			continue // only its time is another
		case moved && f.Replaced != nil && *f.Replaced == "":
			ch.Unknown = who + " made it, and may have moved here what it removed elsewhere and is not certain"
		case f.Link != "":
			ch.Unknown = who + " made it a link"
		case !f.Deleted && !isHash(f.SHA256):
			ch.Unknown = who + " changed it, and it was not read after that"
		case f.Replaced == nil || *f.Replaced != "" && !isHash(*f.Replaced):
			ch.Unknown = who + " changed it, and what stood there before is not certain"
		default:
			ch.Before = *f.Replaced
		}
		if f.Replaced != nil && (*f.Replaced == "" || isHash(*f.Replaced)) {
			ch.from = f.Replaced
		}
		c.all = append(c.all, ch)
	}
}

// Ends reports whether a change of path ended with that hash.
func (c *Log) Ends(path, sha string) bool {
	return slices.ContainsFunc(c.all, func(ch Step) bool { return ch.Path == path && ch.After == sha })
}

// deedPath stands for files of the deed that no result names.
const deedPath = "deed/"

// undo takes in what the Note of an undo says. A file of it is no change if no live change
// of what the Note names led away from that hash.
func (c *Log) undo(i int, s *dialog.Section) {
	parent := s.Meta.Get("Parent")
	if part, ok := PartOf(s); ok {
		c.part(i, s, parent, part)
		return
	}
	targets, _ := c.targets(parent, c.d.Find(dialog.User, parent) >= 0)
	u := UndoneBy(s)
	for _, f := range u.Undone {
		live := c.live(targets, f.Path, parent)
		if len(live) == 1 && c.all[live[0]].Part != nil && f.Replaced != nil { // a hunk, beside what changed since
			for k := range c.all { // with it, the call is not taken back whole any more
				if by := c.all[k].taken; by != 0 && by != live[0]+1 && c.all[by-1].Part != nil && c.all[k].ID == c.all[live[0]].parent && c.all[k].Path == f.Path {
					c.all[k].taken, c.all[by-1].took = 0, nil
				}
			}
			c.all[live[0]].taken = len(c.all) + 1
			c.all = append(c.all, Step{Section: i, ID: s.ID, Path: f.Path, Before: *f.Replaced, After: f.SHA256, from: f.Replaced, took: live})
			continue
		}
		leads := func(n int) bool { return c.all[live[n]].Unknown == "" && c.all[live[n]].Before == f.SHA256 }
		n := len(live) - 1 // all, unless the rest was refused
		if slices.ContainsFunc(u.Refused, func(r RefusedFile) bool { return r.Path == f.Path }) {
			n = 0
			for n < len(live) && !leads(n) {
				n++
			}
		}
		if n < 0 || n >= len(live) || !leads(n) {
			continue
		}
		before := c.all[live[0]].After
		next := Step{Section: i, ID: s.ID, Path: f.Path, Before: before, After: f.SHA256, from: &before, took: live[:n+1]}
		steps := c.steps(next.took, parent)
		next.BeforePerm, next.AfterPerm = cmp.Or(parsePerm(f.ReplacedMode), PermAfter(steps)), PermBefore(steps)
		for _, k := range next.took {
			c.all[k].taken = len(c.all) + 1
		}
		c.all = append(c.all, next)
	}
}

// part takes in what the Note of an undo of one hunk says. If the file was then as it was
// before the call, all of the call is taken back there.
func (c *Log) part(i int, s *dialog.Section, parent string, part Part) {
	for _, f := range UndoneBy(s).Undone {
		if f.Path != part.Path || f.Replaced == nil {
			continue
		}
		next := Step{Section: i, ID: s.ID, Path: f.Path, Before: *f.Replaced, After: f.SHA256, from: f.Replaced, Part: &part, parent: parent}
		next.BeforePerm = parsePerm(f.ReplacedMode)
		for k := range c.all {
			if ch := &c.all[k]; ch.ID == parent && ch.Path == f.Path && ch.Part == nil && ch.Unknown == "" && ch.Before == f.SHA256 && !c.undone(k) {
				next.took = []int{k}
				ch.taken = len(c.all) + 1
			}
		}
		c.all = append(c.all, next)
	}
}

// undone reports whether what change k did is taken back, and by which undo. An undo that
// was itself undone took nothing back.
func (c *Log) undone(k int) bool {
	odd := false
	for ; c.all[k].taken != 0; k = c.all[k].taken - 1 {
		odd = !odd
	}
	return odd
}

// live returns those of targets, what id did, that changed path and are not taken back, the
// last first. The undo of a hunk of id is among them if it leads on from what stands behind
// it there.
func (c *Log) live(targets []int, path, id string) (found []int) {
	for _, k := range targets {
		ch := &c.all[k]
		if ch.Path != path || c.undone(k) || ch.Part != nil && ch.ID != id && (len(found) == 0 || c.all[found[len(found)-1]].After != ch.Before) {
			continue
		}
		found = append(found, k)
	}
	slices.Reverse(found)
	return found
}

// steps are the changes of those indexes, of which id did some.
func (c *Log) steps(of []int, id string) (steps []Step) {
	for _, k := range of {
		s := c.all[k]
		s.Passed = s.Part != nil && s.ID != id
		steps = append(steps, s)
	}
	return steps
}

// PermAfter returns the permissions that changes of one file left it, the last change
// first; 0 if they are not known.
func PermAfter(steps []Step) uint32 {
	for _, s := range steps {
		if s.AfterPerm != 0 || s.Before == "" {
			return s.AfterPerm
		}
	}
	return 0
}

// PermBefore returns the permissions that a file had before changes, the last change first;
// 0 if they are not known.
func PermBefore(steps []Step) uint32 {
	for _, s := range slices.Backward(steps) {
		if s.BeforePerm != 0 || s.After == "" {
			return s.BeforePerm
		}
	}
	return 0
}

// targets are the changes of the turn that begins with the User section id, or of the
// call or the undo with that id, in their order; why says within a sentence that there
// are none.
func (c *Log) targets(id string, turn bool) (found []int, why string) {
	from, to := 0, len(c.d.Sections)
	if turn {
		if from = c.d.Find(dialog.User, id); from < 0 {
			return nil, "there is no message of that id in this dialog"
		}
		for k, s := range c.d.Forward() {
			if k > from && s.Role == dialog.User {
				to = k
				break
			}
		}
	}
	for k := range c.all {
		ch := &c.all[k]
		of := ch.ID == id || ch.Part != nil && ch.parent == id // an undo of a hunk is a call's
		if turn {
			at := ch.Section
			if ch.Part != nil {
				at = c.d.Find(dialog.ToolResult, ch.parent)
			}
			of = from < at && at < to && (ch.Tool != "" || ch.Part != nil)
		}
		if of {
			found = append(found, k)
		}
	}
	switch {
	case len(found) > 0:
		return found, ""
	case turn:
		return nil, "no call of that turn changed a file, as far as their results say; there is nothing to take back"
	}
	return nil, c.nothing(id)
}

// nothing says why there is nothing to take back of id.
func (c *Log) nothing(id string) string {
	request, result := c.d.Find(dialog.ToolRequest, id), c.d.Find(dialog.ToolResult, id)
	switch {
	case result >= 0:
		return "that call changed no file; there is nothing to take back"
	case request >= 0:
		return "that call has not run; there is nothing to take back"
	}
	if k := c.d.Find(dialog.Note, id); k >= 0 && undoes(&c.d.Sections[k]) {
		return "that undo changed no file; there is nothing to take back"
	}
	return ""
}

// isHash reports whether s is a SHA-256 in lowercase hex.
func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
