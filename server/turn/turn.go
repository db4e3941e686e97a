package turn

import (
	"context"
	"slices"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/brief"
	"vibey/server/turn/family"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/caught"
)

// turn is one run over one dialog: from what a human sent to the model's last
// word, to a call that waits, or to what went wrong.
type turn struct {
	r   *Runner
	f   *project.DialogFile
	in  Input
	by  string           // the author of the prompt: Input.author, or the id of the dialog that launched this one
	on  []dialog.Passage // what the prompt is about, as it stood when the request came
	hub *hub.Hub         // nil if nothing runs

	family string // the dialogs' family, as the header says it
	inbox  *family.Inbox
	became dialog.Status // the status at its end, which a launched dialog sends; "" before

	ctx    context.Context // of all that the turn does; the runner's if nothing runs
	cancel context.CancelCauseFunc
	closed chan struct{} // closed when the turn is closed in its file

	stored  int      // sections that what came with the request put into the file
	decides bool     // the control that came with the request decides a call
	ignored []string // control lines that said nothing, to be reported
	todo    steps    // what is left to do
	asked   bool     // the model was to be asked

	d       *dialog.Dialog // from which b, memo and led are derived
	b       history.Builder
	memo    provider.Memo
	digest  dialog.Digest
	led     change.Ledger
	servers brief.Servers
	gov     governed
	deed    string // the folder that deed leads to, "" before findDeed
	gr      grant.Builder
	broken  *caught.Panic // what ended the turn, nil nearly always
	partner partner

	failure error // what went wrong in the end; read when closed is closed
}

// turn makes the value; nothing runs yet.
func (r *Runner) turn(f *project.DialogFile, in Input) *turn {
	t := &turn{r: r, f: f, in: in, by: in.author(), ctx: r.ctx}
	t.inbox = &family.Inbox{Insert: t.insertMail, Append: t.appendMail}
	t.partner = model{t}
	if f != nil {
		if t.family = f.ID(); f.Dialog().Header.Launched() {
			t.family, _ = family.Ancestry(f.Dialog().Header, f.ID())
		}
	}
	return t
}

// hasAgent reports whether the dialog's text names an agent, or has an open call of one.
func (t *turn) hasAgent() bool {
	return t.namesAgent() || slices.ContainsFunc(t.calls(), func(c grant.Call) bool { return c.Agent })
}

// namesAgent reports whether the dialog's next message goes to an agent.
func (t *turn) namesAgent() bool {
	name, _ := t.dialog().Model()
	return name == acp.API && t.r.agents.Configured()
}

// dialog returns the parsed file. If the file was edited under the turn, what
// was derived from the old text is forgotten.
func (t *turn) dialog() *dialog.Dialog {
	if d := t.f.Dialog(); d != t.d {
		t.d, t.b, t.memo, t.led, t.servers, t.gov.judge = d, history.Builder{}, provider.Memo{}, change.Ledger{}, brief.Servers{}, nil
		t.gr = grant.Builder{Authority: t.r.Authority(t.in.Project.Name(), t.f.ID())}
		t.gr.Extend(d) // what is void is known before any watcher gets it
	}
	return t.d
}

// spent is what the dialog cost up to here.
func (t *turn) spent() dialog.Resources {
	t.digest.Extend(t.dialog())
	return t.digest.Tokens
}

func (t *turn) key() hub.Key { return hub.Key{Project: t.in.Project.Name(), Dialog: t.f.ID()} }

// wait returns when the turn is closed in its file.
func (t *turn) wait(ctx context.Context) error {
	select {
	case <-t.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turn) calls() []grant.Call {
	d := t.dialog()
	if len(d.Open()) == 0 {
		return nil // nothing is asked of tools and agents
	}
	return grant.Decide(d, t.gr.Extend(d), t.r.Policy(t.in.Project, t.f.ID(), t.set()))
}

// stillApproved returns the call as the file on disk has it now. ok is false
// if it is gone or answered, has other bytes, or may not run any more.
func (t *turn) stillApproved(c *grant.Call) (now grant.Call, ok bool, err error) {
	if err := t.refresh(); err != nil {
		return now, false, err
	}
	now, open := t.openCall(c.ID)
	return now, open && now.SHA256 == c.SHA256 && now.Tool == c.Tool && now.Verdict == grant.Run && now.EffectSHA256() == c.EffectSHA256(), nil
}

// openCall returns the call of that id which has no result yet.
func (t *turn) openCall(id string) (grant.Call, bool) {
	return grant.Find(t.calls(), id)
}

// set is the tools of this dialog, by its System section.
func (t *turn) set() *tools.Set { return t.r.ToolsOf(t.dialog()) }

// ignoredLines is never nil: it stands in JSON.
func (t *turn) ignoredLines() []string { return append([]string{}, t.ignored...) }

// guard runs a step of the turn. Its panic is its error, and in the log under
// the name of the innermost step.
func (t *turn) guard(what string, step func() error) error {
	err := caught.Do(step)
	if p := caught.Of(err); p != nil && p != t.broken {
		t.broken = p
		p.Log(t.r.w.Log, what, "project", t.in.Project.Name(), "dialog", t.f.ID())
	}
	return err
}

// append writes sections, if there are any: to disk first, then to memory, then to the
// watchers.
func (t *turn) append(secs ...dialog.Section) error {
	replaceNUL(secs)
	err := t.f.Append(secs...)
	t.show()
	if err == nil {
		t.endApplies(secs)
	}
	return err
}

// appendResults appends results of calls that did not run, and answers the agent, if it
// asked for them.
func (t *turn) appendResults(secs []dialog.Section) error {
	if len(secs) == 0 {
		return nil
	}
	if err := t.append(secs...); err != nil {
		return err
	}
	t.partner.Answered()
	return nil
}

// notRun answers a call that was not run though its start stands in the file. A call that
// is not there any more needs no answer.
func (t *turn) notRun(c *grant.Call) error {
	if now, open := t.openCall(c.ID); open {
		return t.appendResults([]dialog.Section{t.result(now, dialog.CallError, record.Failure(record.ChangedCall))})
	}
	return nil
}

// replaceNUL replaces each NUL in the payloads of secs by U+FFFD: a dialog file has none.
func replaceNUL(secs []dialog.Section) {
	for i := range secs {
		for k := range secs[i].Payloads {
			p := &secs[i].Payloads[k]
			p.Text = dialog.WithoutNUL(p.Text)
		}
	}
}

// appendResponse is append for what came of a response.
func (t *turn) appendResponse(secs []dialog.Section) error {
	replaceNUL(secs)
	err := t.f.AppendResponse(secs...)
	t.show()
	return err
}

// writeResponse is appendResponse for a response with calls. If the first of them runs
// at once, the sync before it is that of the response, too; else syncResponse makes it.
func (t *turn) writeResponse(secs []dialog.Section) error {
	replaceNUL(secs)
	return t.f.WriteResponse(secs...)
}

// syncResponse syncs and shows what writeResponse has left so.
func (t *turn) syncResponse() error {
	if !t.f.Unsynced() {
		return nil
	}
	err := t.f.Sync()
	t.show()
	return err
}

// refresh reads what another program saved since the last append.
func (t *turn) refresh() error {
	err := t.f.Refresh()
	t.show()
	return err
}

// show passes the dialog to the watchers as it is on disk by now. It is called
// after everything that may have changed the file, or found it changed.
// If nothing runs there is no stream; other windows watch the disk. Unsynced sections are
// shown once they are synced.
func (t *turn) show() {
	if t.hub != nil && !t.f.Unsynced() {
		t.hub.Show(t.dialog(), t.f.Size(), t.f.Filename())
	}
}

func (t *turn) setStatus(st dialog.Status) error {
	if st == dialog.Done {
		t.dropSight()
	}
	if t.f.Status() == st {
		return nil
	}
	err := t.f.SetStatus(st)
	t.show()
	return err
}

// note appends a Note. to is "model", "human" or "".
func (t *turn) note(kind, to, text string, more ...dialog.Field) error {
	return t.append(t.newNote(kind, to, text, more...))
}

// newNote makes a Note.
func (t *turn) newNote(kind, to, text string, more ...dialog.Field) dialog.Section {
	return record.Note(t.dialog(), t.r.w.Now(), 0, kind, to, text, more...)
}

// result is a Tool Result that nothing ran for.
func (t *turn) result(c grant.Call, status, json string, more ...dialog.Field) dialog.Section {
	return record.Result(t.dialog(), t.r.w.Now(), c, status, json, more...)
}

// appendMail appends mail that the dialog does not have yet, for the inbox.
func (t *turn) appendMail(all ...dialog.Mail) error {
	var secs []dialog.Section
	for _, m := range all {
		s := m.Section(t.r.w.Now())
		if !t.dialog().HasID(s.ID) && !slices.ContainsFunc(secs, func(o dialog.Section) bool { return o.ID == s.ID }) {
			secs = append(secs, s)
		}
	}
	return t.append(secs...)
}

// insertMail is appendMail from another goroutine.
func (t *turn) insertMail(m dialog.Mail) error {
	return t.in.Project.Insert(t.f.ID(), func(taken func(string) bool) (dialog.Section, bool) {
		return m.Section(t.r.w.Now()), !taken(m.ID())
	})
}

// dropSight forgets what was seen in a turn that is over.
func (t *turn) dropSight() {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	delete(t.r.sights, t.key())
}
