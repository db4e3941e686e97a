package turn

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
	"vibey/server/turn/record"
	"vibey/server/view"
	"vibey/tools"
)

// relative returns a path of the agent's as our tools take it: relative to the project.
// One that lies outside, or has a scheme, stays as it is, which every tool refuses.
func (x *exchange) relative(path string) string {
	if hasScheme(path) {
		return path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.s.cwd, path)
	}
	clean := filepath.Clean(path)
	if rel, ok := below(x.s.cwd, clean); ok {
		return filepath.ToSlash(filepath.Join("deed", rel))
	}
	if project, err := filepath.Abs(x.t.in.Project.Root().Name()); err == nil {
		if rel, ok := below(project, clean); ok {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// hasScheme reports whether a path begins with the scheme of an address, such as file: or
// untitled:, and so names no file of a disk.
func hasScheme(path string) bool { return scheme.MatchString(path) }

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// refuseScheme fails a request about a path that has a scheme, and reports whether it did.
func refuseScheme(r *acp.Request, path string) bool {
	if !hasScheme(path) {
		return false
	}
	r.Fail(acp.Errorf(acp.CodeInvalidParams, "the path has a scheme, and only paths of files are taken here: send an absolute path in the project, without a scheme. Nothing was read or written"))
	return true
}

// below returns path relative to dir, if it is dir or lies below it.
func below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// readFile answers a request for a file of the project. It is not recorded: it changes
// nothing, and needs no human.
func (x *exchange) readFile(r *acp.Request) error {
	var p acp.ReadFileParams
	if err := r.Decode(&p); err != nil {
		r.Fail(err)
		return nil
	}
	if p.Path == "" {
		r.Fail(acp.Errorf(acp.CodeInvalidParams, "path is missing"))
		return nil
	}
	if refuseScheme(r, p.Path) {
		return nil
	}
	env, err := x.t.env(&dialog.Call{})
	if err != nil {
		r.Fail(acp.Errorf(acp.CodeInternal, "the file can't be read: %s", told(err, x.s.cwd)))
		return nil
	}
	path := x.relative(p.Path)
	file, refused := tools.ReadWhole(x.t.ctx, env, path)
	switch {
	case file.Missing: // clients that make a new file look for the code, or for one of these phrases
		r.Fail(acp.Errorf(acp.CodeNotFound, "Resource not found: '%s' does not exist", clip(path)))
		return nil
	case refused != nil:
		r.Fail(acp.Errorf(acp.CodeInvalidParams, "%s", errorOf(refused.JSON)))
		return nil
	}
	x.s.knows(file.Path, file.SHA256)
	r.Reply(acp.ReadFileResult{Content: lines(file.Text, p.Line, p.Limit)})
	return nil
}

// knows keeps the hash of a file that the agent has read: a write of it is for that.
func (s *agentSession) knows(path, sha string) {
	if s.read == nil || len(s.read) >= readMost {
		s.read = map[string]string{}
	}
	s.read[path] = sha
}

// readMost is how many files that an agent has read are kept in mind.
const readMost = 10_000

// hash is the hash by which a write of the agent's finds a file changed: of what it has read
// by us, or else what the dialog's results name.
func (s *agentSession) hash(named func(path string) (string, bool)) func(path string) (string, bool) {
	return func(path string) (string, bool) {
		if sha, ok := s.read[path]; ok {
			return sha, true
		}
		return named(path)
	}
}

// lines returns limit lines of a text from line on, which counts from 1; 0 is all.
func lines(text string, line, limit int) string {
	all := strings.SplitAfter(text, "\n")
	all = all[min(max(line-1, 0), len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return strings.Join(all, "")
}

// errorOf is the error that a result tells.
func errorOf(result string) string {
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(result), &said) != nil || said.Error == "" {
		return "it failed"
	}
	return said.Error
}

// writeFile is a write_file of ours: asked about unless it is allowed, or exactly what a
// human approved for a call that runs.
func (x *exchange) writeFile(r *acp.Request) error {
	var p acp.WriteFileParams
	if err := r.Decode(&p); err != nil {
		r.Fail(err)
		return nil
	}
	if p.Path == "" || p.Content == nil {
		r.Fail(acp.Errorf(acp.CodeInvalidParams, "path or content is missing, so nothing was written"))
		return nil
	}
	if refuseScheme(r, p.Path) {
		return nil
	}
	if err := x.release(""); err != nil {
		return err
	}
	path := x.relative(p.Path)
	b := jsontext.AppendString([]byte(`{"path":`), path)
	payload := string(append(jsontext.AppendString(append(b, `,"content":`...), dialog.WithoutNUL(*p.Content)), '}'))
	id, err := x.ask("", "write_file", payload)
	if err != nil {
		return err
	}
	x.await(&agentAsk{id: id, req: r})
	env, err := x.t.env(&dialog.Call{})
	if err != nil {
		return err
	}
	c, ok := x.t.openCall(id)
	if !ok {
		return x.t.answer()
	}
	if refused := tools.Unwritable(env, path); refused != nil {
		return x.t.appendResults([]dialog.Section{x.t.result(c, dialog.CallError, refused.JSON, dialog.Field{Key: "Failure", Value: refused.Failure})})
	}
	if c.Verdict != dialog.Wait {
		return x.t.answer()
	}
	if run, at, covered := x.covers(func(in approved) bool { return in.writes(p.Path, *p.Content) }, p.Path); covered {
		c.Decided, c.Target, c.Path = true, at.Word(), at.Path
		if at.Exists {
			x.s.knows(at.Path, at.SHA256) // it showed the text that stands there
		}
		return x.t.runWithin(&c, run)
	}
	return x.t.answer()
}

// covers returns the request of a call that runs, which a human approved by its id and
// whose bytes the condition holds for, and what stood at path when the human was asked.
// It covers once: what the agent does again is asked again.
func (x *exchange) covers(holds func(approved) bool, path string) (id string, at dialog.Target, ok bool) {
	d := x.t.dialog()
	decisions := x.t.gr.Extend(d).Decisions
	for _, c := range x.s.calls {
		for _, r := range c.runs {
			l, i := decisions[r.id], d.Find(dialog.ToolRequest, r.id)
			if !r.asked || r.used[path] || i < 0 || l.Verb != dialog.Approve || l.SHA256 != dialog.InputHash(d.Sections[i].Text()) {
				continue
			}
			at, looked := r.targets[path]
			if path != "" && !looked {
				continue // what the human was shown of it is not what stands there
			}
			if holds(approved{d.Sections[i].Text()}) {
				r.used[path] = true
				return r.id, at, true
			}
		}
	}
	return "", dialog.Target{}, false
}

// approved is the payload of a call that a human approved.
type approved struct{ payload string }

// memberOf returns the member of an object that has exactly that name. ok is false where
// it is not there, or another one could be read in its place: what a human was shown
// would not be certain.
func memberOf(object json.RawMessage, name string) (value json.RawMessage, ok bool) {
	members, err := jsontext.Members(object)
	if err != nil {
		return nil, false
	}
	n := 0
	for _, m := range members {
		if strings.EqualFold(m.Name, name) {
			value, ok = m.Value, m.Name == name
			n++
		}
	}
	return value, ok && n == 1
}

// textMember is memberOf for a JSON string.
func textMember(object json.RawMessage, name string) (s string, ok bool) {
	value, ok := memberOf(object, name)
	return s, ok && json.Unmarshal(value, &s) == nil && !dialog.LoneSurrogate(value)
}

// diffs returns the diffs that the payload shows.
func (a approved) diffs() (diffs []json.RawMessage) {
	content, ok := memberOf(json.RawMessage(a.payload), "content")
	var all []json.RawMessage
	if !ok || json.Unmarshal(content, &all) != nil {
		return nil
	}
	for _, c := range all {
		if kind, ok := textMember(c, "type"); ok && kind == "diff" {
			diffs = append(diffs, c)
		}
	}
	return diffs
}

// writes reports whether it shows a diff of that file to exactly that text. That what it
// shows as the old text is the file's, targets has seen to.
func (a approved) writes(path, content string) bool {
	for _, d := range a.diffs() {
		at, ok := textMember(d, "path")
		now, ok2 := textMember(d, "newText")
		if ok && ok2 && at == path && now == content {
			return true
		}
	}
	return false
}

// targets returns what stands now at the paths of the diffs that a human is shown, by
// path: a write that comes later is for that. A diff whose old text is not the
// file's shows another change than the one that would be made, so it has none: it covers
// no write, which is asked about by itself then.
func (x *exchange) targets(payload string) map[string]dialog.Target {
	out := map[string]dialog.Target{}
	look := view.TargetsOf(x.t.in.Project)
	for _, d := range (approved{payload}).diffs() {
		path, ok := textMember(d, "path")
		if !ok || len(out) >= targetsMost {
			continue
		}
		b := jsontext.AppendString([]byte(`{"content":"","path":`), x.relative(path))
		if t, ok := look("write_file", string(append(b, '}'))); ok && isOld(d, t.Word()) {
			out[path] = t
		}
	}
	return out
}

// isOld reports whether a diff's old text is that of the file whose Target.Word is given.
// No file and an empty one look the same.
func isOld(diff json.RawMessage, word string) bool {
	old, there := memberOf(diff, "oldText")
	text, isText := textMember(diff, "oldText")
	switch {
	case isText && text != "":
		return word == record.Hash(text)
	case isText, there && string(old) == "null", !bytes.Contains(bytes.ToLower(diff), []byte("oldtext")):
		return word == dialog.NoFile || word == record.Hash("")
	}
	return false
}

// targetsMost is how many diffs of one call are looked at.
const targetsMost = 100

// runWithin runs a call of ours that a human approved as a part of the agent's call
// within.
func (t *turn) runWithin(c *dialog.Call, within string) error {
	if err := t.note("started", "", c.Tool+" started.", dialog.Field{Key: "Parent", Value: c.ID}); err != nil {
		return err
	}
	if began, err := t.beginAtAgent(c); began || err != nil {
		return err
	}
	return t.runHere(c, t.r.w.Now(), dialog.Field{Key: "Within", Value: within})
}
