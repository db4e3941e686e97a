package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/server/project"
)

// state is one thing that a crash may leave, and what must hold of it.
type state struct {
	tree tree
	told *told
	cut  bool // by a power cut: what was never synced may be gone
	// safe is how many bytes of each dialog were synced: what a cut may have torn
	// lies behind them.
	safe  map[string]int
	truth map[string]*dialog.Dialog // each dialog as it became in the end
}

// damaged tells whether a line of a dialog's repaired file is of what the cut
// may have torn. Nothing before and nothing after that may be out of order.
func (s *state) damaged(id string, line int) bool {
	text, ok := s.text(id)
	if !ok || !s.cut {
		return false
	}
	from := 1 + strings.Count(text[:min(len(text), s.safe[id])], "\n")
	return line >= from && line <= 2+strings.Count(text, "\n")
}

// besideDamage tells whether the section that begins in this line is the last
// one that was synced, so that what a cut tore stands behind it.
func (s *state) besideDamage(id string, line int) bool {
	text, ok := s.text(id)
	if !ok || !s.cut || s.safe[id] >= len(text) {
		return false
	}
	d := dialog.Parse(text[:s.safe[id]])
	return len(d.Sections) > 0 && d.Line(len(d.Sections)-1) == line
}

// renewed tells whether a file is another one than was told last, by a call
// whose result nobody has heard yet.
func (s *state) renewed(name string) bool {
	versions := s.told.versions[projectName+"/"+name]
	return len(versions) > 0 && versions[len(versions)-1] != s.told.files[projectName+"/"+name]
}

// text is a dialog's file as the crash left it.
func (s *state) text(id string) (string, bool) {
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
		if text, ok := s.tree[projectName+"/"+dialog.Filename(id, st)]; ok {
			return text, true
		}
	}
	return "", false
}

// holder starts on states and holds the promises against what it finds.
type holder struct {
	key []byte // the install key
	now time.Time
	// dir is where states are laid out; the repaired ones are kept as projects
	// below it for `vibey check`.
	dir  string
	n    int
	seen map[string]int // what was repaired, for the figures
}

// hold lays a state out, starts on it as the program does, and returns every
// promise that is broken.
func (h *holder) hold(s *state) (broken []string) {
	h.n++
	root := filepath.Join(h.dir, "start")
	if err := lay(root, s.tree); err != nil {
		return []string{"the state could not be laid out: " + err.Error()}
	}
	defer os.RemoveAll(root)
	store, err := project.Open(root, project.Options{Now: func() time.Time { return h.now }})
	if err != nil {
		return []string{"the store does not open: " + err.Error()}
	}
	defer store.Close()
	v := &verdict{h: h, s: s, root: root}
	if v.project(store) {
		v.files()
		v.dialogs()
		name := fmt.Sprintf("s%06d", h.n)
		if err := os.Rename(filepath.Join(root, projectName), filepath.Join(h.dir, "checked", name)); err != nil {
			v.say("%v", err)
		}
	}
	return v.broken
}

func lay(root string, t tree) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for name, text := range t {
		at := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(at, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// verdict is one state while it is held against the promises.
type verdict struct {
	h      *holder
	s      *state
	root   string
	p      *project.Project
	broken []string
}

func (v *verdict) say(format string, args ...any) {
	v.broken = append(v.broken, fmt.Sprintf(format, args...))
}

// project opens the project, or makes it where nobody was told that it is there.
func (v *verdict) project(store *project.Store) bool {
	p, err := store.Project(projectName)
	if errors.Is(err, fs.ErrNotExist) && !v.s.told.project {
		if err := store.Create(projectName, ""); err != nil {
			v.say("the project can't be made: %v", err)
		}
		return false
	}
	if err != nil {
		v.say("the project that was told of is gone: %v", err)
		return false
	}
	v.p = p
	return true
}

// files holds each document and each file that a tool told of against what is
// there: what was told last, or what came after it.
func (v *verdict) files() {
	for name, told := range v.s.told.files {
		versions := v.s.told.versions[name]
		from := slices.Index(versions, told)
		if from < 0 {
			v.say("%s was told to be %.12s, which it never was", name, told)
			continue
		}
		is := ""
		if text, ok := v.s.tree[name]; ok {
			is = hashOf(text)
		}
		if !slices.Contains(versions[from:], is) {
			v.say("%s is %.12q, and not what was told (%.12s) or came after", name, is, told)
		}
	}
	if v.s.told.project {
		if _, err := v.p.DeedDir(); err != nil {
			v.say("%v", err)
		}
	}
}

// dialogs starts on every dialog that is there, and looks for those that were
// told of. What touches one first is by turns the list, a reader, a writer.
func (v *verdict) dialogs() {
	before := map[string]string{}
	for name, text := range v.s.tree {
		if id, _, ok := dialog.ParseName(filepath.Base(name)); ok && strings.HasPrefix(name, projectName+"/") {
			if _, twice := before[id]; twice {
				v.say("two files of the dialog %s", id)
			}
			before[id] = text
		}
	}
	for _, s := range v.s.told.sections {
		if _, ok := before[s.dialog]; !ok {
			v.say("the dialog %s that was told of is gone", s.dialog)
			return
		}
	}
	if v.h.n%3 == 0 {
		if _, err := v.p.Dialogs(); err != nil {
			v.say("the list: %v", err)
		}
	}
	for id, text := range before {
		if v.h.n%3 == 1 {
			if _, err := v.p.ReadDialog(id); err != nil {
				v.say("reading %s: %v", id, err)
			}
		}
		v.dialog(id, text)
	}
}

// dialog starts on one dialog and goes on with a message.
func (v *verdict) dialog(id, before string) {
	f, err := v.p.OpenDialog(id)
	if err != nil {
		v.say("%s does not open: %v", id, err)
		return
	}
	defer f.Close()
	v.status(f)
	v.text(f, before)
	d := f.Dialog()
	v.sections(id, d)
	v.whole(id, d)
	v.calls(id, d)
	v.goOn(f)
}

func (v *verdict) status(f *project.DialogFile) {
	if f.Status() == dialog.Active {
		v.say("%s is active, and nobody runs it", f.ID())
	}
	if v.s.told.done[f.ID()] && f.Status() != dialog.Done {
		v.say("%s was told to be done, and is %s", f.ID(), f.Status())
	}
	if _, err := os.Lstat(filepath.Join(v.root, projectName, dialog.OpenName(f.ID()))); err == nil {
		v.say("the open response of %s is still there", f.ID())
	}
}

// text holds the file: what stood there stands there, and what is new can be
// read; at most one section is torn, and marked.
func (v *verdict) text(f *project.DialogFile, before string) {
	b, err := os.ReadFile(filepath.Join(v.root, projectName, f.Filename()))
	if err != nil {
		v.say("%v", err)
		return
	}
	now := string(b)
	if off, ok := dialog.StatusOffset(before); ok && off+7 <= len(before) && off+7 <= len(now) {
		before = before[:off] + now[off:off+7] + before[off+7:]
	}
	if !strings.HasPrefix(now, before) {
		v.say("%s: bytes that were there were changed", f.ID())
	}
	if now != before {
		v.h.seen["dialogs repaired"]++
	}
	d, torn := dialog.Parse(now), 0
	for _, s := range d.Sections {
		if s.Torn {
			torn++
		}
	}
	if torn > 1 {
		v.say("%s: %d torn sections", f.ID(), torn)
	}
	if torn == 1 {
		v.h.seen["torn tails marked"]++
	}
	for _, p := range d.Problems {
		if p.Rule != "torn" && !v.s.damaged(f.ID(), p.Line) {
			v.say("%s:%d: %s: %s", f.ID(), p.Line, p.Rule, p.Text)
		}
	}
	if tail := dialog.RepairTail(now, v.h.now); tail != "" {
		v.say("%s: repaired, and to be repaired again: %q", f.ID(), tail)
	}
}

// sections looks for all that a client was sent. A kill must keep the pieces of
// an unfinished answer too.
func (v *verdict) sections(id string, d *dialog.Dialog) {
	for _, s := range v.s.told.sections {
		i := d.Find(s.Role, s.ID)
		if i < 0 || d.Sections[i].Torn || !reflect.DeepEqual(d.Sections[i].Payloads, s.Payloads) {
			v.say("%s: the %s %s that was told of is lost or changed", id, s.Role, s.ID)
		}
	}
	text := v.s.told.text[""]
	if v.s.cut || text == "" {
		return
	}
	if !slices.ContainsFunc(d.Sections, func(s dialog.Section) bool {
		return s.Role == dialog.Assistant && !s.Torn && strings.HasPrefix(s.Text(), text)
	}) {
		v.say("%s: the text %.60q was seen and is lost", id, text)
	}
}

// whole holds that nothing counts that was written by halves: each section is
// one that the program wrote, or a repair's: an answer as far as it came, and
// said to be interrupted, or the mark of a torn tail.
func (v *verdict) whole(id string, d *dialog.Dialog) {
	truth := v.s.truth[id]
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Torn || truth == nil || s.Role == dialog.Note && s.Kind() == "conflict" {
			continue
		}
		at := truth.Find(s.Role, s.ID)
		if at >= 0 && reflect.DeepEqual(s.Payloads, truth.Sections[at].Payloads) {
			continue
		}
		if s.Role != dialog.Assistant && s.Role != dialog.Reasoning || !begins(truth, s) {
			v.say("%s: the %s %s counts, and was never written so: %.80q", id, s.Role, s.ID, s.Text())
		}
	}
}

// begins tells whether an answer is the beginning of one that the program wrote,
// perhaps with some bytes of the fence that was to close it.
func begins(truth *dialog.Dialog, s *dialog.Section) bool {
	return slices.ContainsFunc(truth.Sections, func(t dialog.Section) bool {
		return t.Role == s.Role && strings.HasPrefix(t.Text()+"\nəəə\n", s.Text())
	})
}

// calls holds that no tool runs twice or unasked: what began has a Note that
// says so, or its result; and nothing counts as granted that no human granted.
func (v *verdict) calls(id string, d *dialog.Dialog) {
	a := dialog.Authority{Key: v.h.key, Project: projectName, DialogID: id}
	grants := d.Grants(a)
	for call, line := range grants.Decisions {
		if sent[call] != line.Verb {
			v.say("%s: %s %s counts, and nobody sent it", id, call, line.Verb)
		}
	}
	if len(grants.Decisions) == 0 && slices.ContainsFunc(v.s.told.sections, func(s toldSection) bool { return s.Role == dialog.Authorization }) {
		v.say("%s: the decisions that were acknowledged do not count any more", id)
	}
	open := map[string]dialog.Call{}
	for _, c := range dialog.Decide(d, grants, dialog.Policy{}) {
		open[c.ID] = c
		_, decided := grants.Decisions[c.ID]
		if c.Verdict == dialog.Run && !decided && !c.Blanket {
			v.say("%s: %s would run, and nobody approved it", id, c.ID)
		}
	}
	for call := range v.s.told.ran {
		if c, ok := open[call]; ok && !c.Started {
			v.say("%s: %s ran, and would run again (%v)", id, call, c.Verdict)
		} else if d.Find(dialog.ToolRequest, call) < 0 {
			v.say("%s: %s ran, and nothing tells of it", id, call)
		}
	}
}

// goOn sends one message, which must be enough to go on after any crash.
func (v *verdict) goOn(f *project.DialogFile) {
	d := f.Dialog()
	user := dialog.Section{
		Role: dialog.User, ID: d.NextID(dialog.User, v.h.now, 0), Time: dialog.Span(v.h.now, v.h.now),
		Meta: dialog.Fields{{Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go on"}},
	}
	if err := errors.Join(f.Append(user), f.SetStatus(dialog.Active), f.SetStatus(dialog.Waiting)); err != nil {
		v.say("%s does not go on: %v", f.ID(), err)
		return
	}
	if err := dialog.ValidateHistory(dialog.BuildHistory(f.Dialog())); err != nil {
		v.say("%s: a provider would refuse its history: %v", f.ID(), err)
	}
	t, err := v.p.ReadDialog(f.ID())
	if err != nil {
		v.say("%s: %v", f.ID(), err)
		return
	}
	again := dialog.Parse(t.Text)
	last := again.Sections[len(again.Sections)-1]
	if last.Role != dialog.User || last.Text() != "go on" || last.Torn || len(again.Sections) != len(d.Sections) {
		v.say("%s: a message after the repair is read as %s %.40q", f.ID(), last.Role, last.Text())
	}
}
