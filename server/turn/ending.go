package turn

import (
	"context"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/server/turn/family"
)

// endWait is how long the end of a launched dialog waits for a turn of the one that
// launched it to be over. What is not told then is told with its next turn.
const endWait = 10 * time.Second

// tellEnd tells the dialog that launched this one that it has ended, once, and wakes it
// where mail may. Where that fails, as at a kill, the next turn over there finds out by
// itself: see tellEnds.
func (t *turn) tellEnd(m dialog.Mail, parent string) {
	ctx, cancel := context.WithTimeout(t.r.ctx, endWait)
	defer cancel()
	if _, err := t.r.deliver(ctx, t.in.Project, parent, t.family, m, false); err != nil {
		t.r.w.Log.Info("end of a dialog not told", "project", t.in.Project.Name(), "dialog", t.f.ID(), "parent", parent, "err", err)
	}
}

// ending returns the mail that tells of the end of this dialog, and who launched it. ok
// is false where nothing is to be told. It is asked while the file is open.
func (t *turn) ending() (m dialog.Mail, parent string, ok bool) {
	h := &t.dialog().Header
	if parent = h.Meta.Get("From"); t.became == "" || !dialog.ValidID(parent) || parent == t.f.ID() {
		return m, "", false
	}
	m = family.EndOf(t.dialog(), t.f.ID(), t.became)
	m.Error = family.EndError(t.failure)
	return m, parent, m.Mark != ""
}

// endsMost is how many bytes of last words one request is told of all ends at once: of a
// whole family that would be 500 KB, more than some models read.
const endsMost = 4 * dialog.MailMost

// tellEnds appends what this dialog was not told of the dialogs that it launched and
// that are done, or broke off: the process that saw them end was killed, or could not write. It wakes
// nobody, for a turn has just begun here.
func (t *turn) tellEnds() error {
	if !t.dialog().HasLaunched() {
		return nil
	}
	p := t.in.Project
	ends, err := t.r.families.EndsFor(p, t.family, t.f.ID())
	if err != nil {
		return err
	}
	slices.SortFunc(ends, func(a, b dialog.Mail) int { return strings.Compare(a.From, b.From) })
	var untold []dialog.Mail
	for _, m := range ends[:min(len(ends), family.All)] {
		if t.dialog().HasID(m.ID()) {
			continue
		}
		file, err := p.ReadDialog(m.From)
		if err != nil {
			continue // it was deleted
		}
		if m, ok := family.EndInText(file.Parse(), m.From, file.Status); ok && !t.dialog().HasID(m.ID()) {
			untold = append(untold, m)
		}
	}
	if len(untold) == 0 {
		return nil
	}
	var secs []dialog.Section
	for _, m := range untold {
		m.Most = endsMost / len(untold)
		secs = append(secs, m.Section(t.r.w.Now()))
	}
	return t.append(secs...)
}
