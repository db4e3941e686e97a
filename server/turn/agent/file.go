package agent

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
	"vibey/tools"
)

// relative returns a path of the agent's as our tools take it: relative to the project.
// One that lies outside, or has a scheme, stays as it is, which every tool refuses.
func (x *exchange) relative(path string) string {
	if scheme.MatchString(path) {
		return path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.s.cwd, path)
	}
	clean := filepath.Clean(path)
	if rel, ok := below(x.s.cwd, clean); ok {
		return filepath.ToSlash(filepath.Join("deed", rel))
	}
	if project, err := filepath.Abs(x.turn.Project.Root().Name()); err == nil {
		if rel, ok := below(project, clean); ok {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// scheme matches a path that begins with the scheme of an address, such as file: or
// untitled:, and so names no file of a disk.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// errScheme answers a request about a path that has a scheme.
var errScheme = acp.Errorf(acp.CodeInvalidParams, "the path has a scheme, and only paths of files are taken here: send an absolute path in the project, without a scheme. Nothing was read or written")

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
		return err
	}
	switch {
	case p.Path == "":
		return acp.Errorf(acp.CodeInvalidParams, "path is missing")
	case scheme.MatchString(p.Path):
		return errScheme
	}
	env, err := x.turn.Env(&grant.Call{})
	if err != nil {
		return acp.Errorf(acp.CodeInternal, "the file can't be read: %s", withoutPath(err, x.s.cwd))
	}
	path := x.relative(p.Path)
	file, refused := tools.ReadWhole(x.turn.Context(), env, path)
	switch {
	case file.Missing: // clients that make a new file look for the code, or for one of these phrases
		return acp.Errorf(acp.CodeNotFound, "Resource not found: '%s' does not exist", clip(path))
	case refused != nil:
		return acp.Errorf(acp.CodeInvalidParams, "%s", errorOf(refused.JSON))
	}
	x.s.knows(file.Path, file.SHA256)
	r.Reply(acp.ReadFileResult{Content: lines(file.Text, p.Line, p.Limit)})
	return nil
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

// errorOf returns the error of a result.
func errorOf(result string) string {
	var r struct {
		Error string `json:"error"`
	}
	json.Unmarshal([]byte(result), &r)
	return cmp.Or(r.Error, "it failed")
}

// writeFile is a write_file of ours: asked about unless it is allowed, or exactly what a
// human approved for a call that runs.
func (x *exchange) writeFile(r *acp.Request) error {
	var p acp.WriteFileParams
	if err := r.Decode(&p); err != nil {
		return err
	}
	switch {
	case p.Path == "" || p.Content == nil:
		return acp.Errorf(acp.CodeInvalidParams, "path or content is missing, so nothing was written")
	case scheme.MatchString(p.Path):
		return errScheme
	}
	if err := x.release(isAny); err != nil {
		return err
	}
	path := x.relative(p.Path)
	b := jsontext.AppendString([]byte(`{"path":`), path)
	payload := string(append(jsontext.AppendString(append(b, `,"content":`...), dialog.WithoutNUL(*p.Content)), '}'))
	id, err := x.ask("", "write_file", payload)
	if err != nil {
		return err
	}
	x.await(&question{id: id, req: r})
	env, err := x.turn.Env(&grant.Call{})
	if err != nil {
		return err
	}
	c, ok := x.openCall(id)
	if !ok {
		return x.turn.Answer()
	}
	if refused := tools.Unwritable(env, path); refused != nil {
		return x.appendResults([]dialog.Section{x.result(c, dialog.CallError, refused.JSON, dialog.Field{Key: "Failure", Value: refused.Failure})})
	}
	if c.Verdict != grant.Wait {
		return x.turn.Answer()
	}
	if run, at, covered := x.covers(func(in approved) bool { return in.writes(p.Path, *p.Content) }, p.Path); covered {
		c.Decided, c.Target, c.Path = true, at.Word(), at.Path
		if at.Exists {
			x.s.knows(at.Path, at.SHA256) // it showed the text that stands there
		}
		return x.runWithin(&c, run)
	}
	return x.turn.Answer()
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

// writes reports whether it shows a diff of that file to exactly that text. shownTargets has
// checked the old text of the diff.
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
