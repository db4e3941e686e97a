package turn

import (
	"errors"
	"fmt"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/view"
)

// control stores a human's control text as it takes effect, sealed, and keeps
// the lines that said nothing. decides reports whether it decided a call that
// waited. If the dialog is not what the human was shown, nothing is stored.
func (t *turn) control(text, seen string) (decides bool, err error) {
	if err := t.f.Refresh(); err != nil {
		return false, err
	}
	if err := t.checkLapsed(text); err != nil {
		return false, err
	}
	d := t.dialog()
	calls := t.calls()
	policy := t.r.Policy(t.in.Project, t.f.ID(), t.set())
	targets := view.TargetsOf(t.in.Project, nil)
	for _, c := range calls { // all that wait, as in view.Pending: a call that it shows without a hash gets none here
		if c.Verdict == grant.Wait {
			targets(c.Tool, c.Input)
		}
	}
	policy.Target = targets.Word
	effective, ignored, stale, moved := grant.Effective(d, t.gr.Extend(d), text, calls, policy)
	if len(stale) > 0 {
		return false, refuse(ErrStale, "%s: the call is not what you were shown (its input, or what it did, has another hash). Nothing was decided. Read it again", strings.Join(stale, ", "))
	}
	if len(moved) > 0 {
		return false, refuse(ErrMoved, "%s: the file that it would write has changed, or lies elsewhere, since you were shown it. Nothing was decided. Look at what stands there now, then decide", strings.Join(moved, ", "))
	}
	if err := unseen(d, effective, calls, policy, seen); err != nil {
		return false, err
	}
	t.in.Control, t.ignored = &effective, ignored
	if effective == "" {
		return false, nil
	}
	auths := t.wishFirst()
	auths = append(auths, t.authorization("dialog", effective, auths...))
	if err := t.f.Append(auths...); err != nil {
		return false, err
	}
	t.stored += len(auths)
	return begins(calls, t.calls()), nil
}

// wishFirst is the project's wish for a new dialog, before a control that comes so early:
// what a human takes back stands behind what they wished. A file that has calls is no
// new dialog: the wish would release what its human was not asked about.
func (t *turn) wishFirst() []dialog.Section {
	d := t.dialog()
	if d.Count(dialog.User) > 0 || d.Count(dialog.System) > 0 || d.Count(dialog.ToolRequest) > 0 {
		return nil
	}
	doc, err := t.in.Project.LeadingDoc()
	if err != nil {
		return nil // the first message fails with it; a decision does not wait for that
	}
	auth, ok := t.wished(doc.Content)
	if !ok {
		return nil
	}
	return []dialog.Section{auth}
}

// begins reports whether a control begins something, by the open calls before it and
// after it: it decided one that waited, or took back one that was approved. A control that only
// denies does not begin what was approved before and has not started; that waits for a
// Continue.
func begins(before, after []grant.Call) bool {
	approved, denied, left := false, false, false
	for _, was := range before {
		now, open := grant.Find(after, was.ID)
		if !open {
			continue // another program took it out of the file
		}
		switch {
		case was.Interrupted(), was.Verdict == now.Verdict && now.Verdict != grant.Run:
		case was.Effect != nil && was.Verdict == grant.Wait: // what stood behind it goes on, too
			approved = true
		case now.Verdict == grant.Refused: // also what was approved before, and is taken back
			denied = true
		case was.Verdict == grant.Wait && now.Verdict == grant.Run:
			approved = true
		case now.Verdict == grant.Run:
			left = true
		}
	}
	return approved || denied && !left
}

// authorization is a human's control text, sealed for its place in the file, behind
// those before it in the same append.
func (t *turn) authorization(scope, effective string, before ...dialog.Section) dialog.Section {
	now := t.r.w.Now()
	d := t.dialog()
	mac := grant.LastMac(d)
	if n := len(before); n > 0 {
		mac = before[n-1].Meta.Get("Mac")
	}
	auth := dialog.Section{
		Role: dialog.Authorization, ID: d.NextID(dialog.Authorization, now, len(before)), Time: dialog.Span(now, now),
		Meta:     dialog.Fields{{Key: "Scope", Value: scope}, {Key: "By", Value: "human"}},
		Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: effective}},
	}
	t.r.Authority(t.in.Project.Name(), t.f.ID()).Seal(&auth, mac)
	return auth
}

// unseen refuses a blanket if a call that it covers came after what the human
// has seen. Without seen, a blanket releases all.
func unseen(d *dialog.Dialog, effective string, calls []grant.Call, p grant.Policy, seen string) error {
	if seen == "" {
		return nil
	}
	shown := lastShown(d, seen)
	lines, _ := grant.ParseControl(effective)
	for _, c := range calls {
		if c.Verdict == grant.Wait && c.Since > shown && grant.Allowing(lines, &c, p) {
			return refuse(ErrStale, "%s asks for %s since you last looked. Nothing was decided. Read it, then decide", c.ID, fmt.Sprintf("%q", c.Tool))
		}
	}
	return nil
}

// lastShown is the place of the section that the human was shown last, or -1.
// If several have its id, it is the first: a call that was shown may count as new, but no
// new one as shown. A call and its result share an id: then it is the result, since no
// response stands between the two.
func lastShown(d *dialog.Dialog, seen string) int {
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.ID != seen {
			continue
		}
		if s.Role == dialog.ToolRequest {
			return max(i, d.Find(dialog.ToolResult, seen))
		}
		return i
	}
	return -1
}

// checkLapsed refuses to approve a call whose agent has ended since it asked.
func (t *turn) checkLapsed(control string) error {
	lines, _ := grant.ParseControl(control)
	d := t.dialog()
	for _, l := range lines {
		if l.Verb != grant.Approve || l.ID == "" {
			continue
		}
		if c, open := t.openCall(l.ID); open && c.Verdict == grant.Lapsed {
			return refuse(ErrStale, lapsedCall, l.ID)
		}
		i, k := d.Find(dialog.ToolRequest, l.ID), d.Find(dialog.ToolResult, l.ID)
		if i < 0 || k < 0 || d.Sections[k].Meta.Get("Status") != dialog.CallError {
			continue
		}
		if s := &d.Sections[i]; (dialog.AgentTool(s.Tool()) || s.Meta.Get("Api") == dialog.APIAgent) && t.gr.Extend(d).Decisions[l.ID].Verb != grant.Approve {
			return refuse(ErrStale, lapsedCall, l.ID)
		}
	}
	return nil
}

const lapsedCall = "%s: the agent that asked for this has ended, so it can't be approved any more. Nothing was decided. Send a message to go on"

// wished is the Authorization that a confirmed wish of doc-main.md gives each
// new dialog. It is the first one: it does not come back behind what a human
// took back.
func (t *turn) wished(doc string) (dialog.Section, bool) {
	w, ok := grant.FindWish(doc)
	if !ok || t.dialog().Count(dialog.Authorization) > 0 {
		return dialog.Section{}, false
	}
	a := grant.Authority{Key: t.r.w.Key, Project: t.in.Project.Name()}
	a.ProjectID, _ = t.in.Project.ID() // without one nothing is confirmed
	if !a.Confirmed(w) {
		return dialog.Section{}, false
	}
	effective, _, _, _ := grant.Effective(t.dialog(), grant.Grants{}, w.Text, nil, grant.Policy{})
	if effective == "" {
		return dialog.Section{}, false
	}
	return t.authorization("project", effective), true
}

// wishesNetwork reports whether a confirmed wish is about to allow the network to this
// dialog.
func (t *turn) wishesNetwork(doc string) bool {
	auth, ok := t.wished(doc)
	if !ok {
		return false
	}
	lines, _ := grant.ParseControl(auth.Text())
	return grant.AllowsNetwork(lines)
}

// Confirm seals the control block of doc-main.md, which a human read in the
// version with that ETag. From then on it holds in each new dialog, until the block
// is edited.
func (r *Runner) Confirm(p *project.Project, etag string) (project.File, error) {
	f, err := p.ReadFile(project.MainDoc)
	if err != nil {
		return project.File{}, err
	}
	if f.ETag != etag {
		return project.File{}, refuse(ErrStale, "%s has changed since you read it. Nothing was confirmed. Read it again", project.MainDoc)
	}
	if _, ok := grant.FindWish(f.Content); !ok {
		return project.File{}, refuse(ErrNothing, "%s has no control/v1 block to confirm", project.MainDoc)
	}
	id, err := p.EnsureID()
	if err != nil {
		return project.File{}, err
	}
	a := grant.Authority{Key: r.w.Key, Project: p.Name(), ProjectID: id}
	done, err := p.SaveFile(project.MainDoc, a.Confirm(f.Content), etag)
	if errors.Is(err, project.ErrConflict) {
		return project.File{}, refuse(ErrStale, "%s was changed at the same moment. Nothing was confirmed. Read it again", project.MainDoc)
	}
	return done, err
}
