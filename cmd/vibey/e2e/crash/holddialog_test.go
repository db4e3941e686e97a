package crash

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/project"
)

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
		v.say("%s is active, and no turn runs", f.ID())
	}
	if v.s.told.done[f.ID()] && f.Status() != dialog.Done {
		v.say("%s was told to be done, and is %s", f.ID(), f.Status())
	}
	if _, err := os.Lstat(filepath.Join(v.root, projectName, dialog.OpenName(f.ID()))); err == nil {
		v.say("the open response of %s is still there", f.ID())
	}
}

// text holds the file: what stood there stands there, and what is new can be
// read; only what was not synced is torn.
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
	d := dialog.Parse(now)
	for i := range d.Sections {
		s := &d.Sections[i]
		if !s.Torn {
			continue
		}
		v.h.seen["torn sections"]++
		if s.Role == dialog.Hole {
			v.h.seen["holes behind whole sections"]++
		}
		if line := d.Line(i); v.s.cut && !v.s.damaged(f.ID(), line) {
			v.say("%s:%d: the %s %s was synced, and is torn", f.ID(), line, s.Role, s.ID)
		}
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

// begins reports whether an answer is the beginning of one that the program wrote,
// perhaps with a part of the closing fence, or half of an ə.
func begins(truth *dialog.Dialog, s *dialog.Section) bool {
	text := strings.TrimSuffix(s.Text(), "ə"[:1])
	return slices.ContainsFunc(truth.Sections, func(t dialog.Section) bool {
		return t.Role == s.Role && strings.HasPrefix(t.Text()+"\nəəə\n", text)
	})
}

// calls holds that no tool runs twice or unasked: what began has a Note that
// says so, or its result; and nothing counts as granted that no human granted.
func (v *verdict) calls(id string, d *dialog.Dialog) {
	a := grant.Authority{Key: v.h.key, Project: projectName, DialogID: id}
	grants := grant.Of(d, a)
	for call, line := range grants.Decisions {
		if sent[call] != line.Verb {
			v.say("%s: %s %s counts, and was never sent", id, call, line.Verb)
		}
	}
	if len(grants.Decisions) == 0 && slices.ContainsFunc(v.s.told.sections, func(s toldSection) bool { return s.Role == dialog.Authorization }) {
		v.say("%s: the decisions that were acknowledged do not count any more", id)
	}
	open := map[string]grant.Call{}
	for _, c := range grant.Decide(d, grants, grant.Policy{}) {
		open[c.ID] = c
		_, decided := grants.Decisions[c.ID]
		if c.Verdict == grant.Run && !decided && !c.Blanket {
			v.say("%s: %s would run, and was not approved", id, c.ID)
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
	if err := history.Validate(history.Build(f.Dialog())); err != nil {
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
