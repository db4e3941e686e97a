package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/turn/family"
)

// deliver appends mail to a dialog, once, and starts a turn there if it may. of is the
// family of the sender. It returns when the mail is in the file; with wait false already
// when a turn that runs has it. asleep is why no turn reads the mail now, "" if one does.
func (r *Runner) deliver(ctx context.Context, p *project.Project, to, of string, m dialog.Mail, wait bool) (asleep string, err error) {
	for pause := time.Millisecond; ; pause *= 2 {
		if t := r.find(p.Name(), to); t != nil {
			m.Wakes = t.family == of
			if err = t.inbox.Post(ctx, m, wait); err != family.ErrOver {
				if !m.Wakes {
					asleep = otherFamily
				}
				return asleep, err
			}
			if err = t.wait(ctx); err != nil {
				return "", context.Cause(ctx)
			}
			continue
		}
		f, err := p.OpenDialog(to)
		if err == nil {
			return r.deliverIdle(p, f, of, m)
		}
		if !errors.Is(err, project.ErrBusy) || pause > time.Second {
			return "", err
		}
		select { // a turn begins there, or a reader repairs it
		case <-time.After(pause):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// otherFamily is why mail of another family starts no turn.
const otherFamily = "it belongs to another family of dialogs"

// deliverIdle appends mail to a dialog that does not run, and starts a turn if it may.
// It closes f, or the turn does.
func (r *Runner) deliverIdle(p *project.Project, f *project.DialogFile, of string, m dialog.Mail) (asleep string, err error) {
	t := r.turn(f, Input{Project: p, DialogID: f.ID()})
	handed := false
	defer func() {
		if !handed {
			f.Close()
		}
	}()
	if t.dialog().HasID(m.ID()) {
		return "", nil
	}
	if !t.dialog().HasPrompt() {
		return "", fmt.Errorf("the dialog %s has no message yet, so that no agent works there. Nothing was delivered", f.ID())
	}
	if asleep = t.asleep(of); asleep == "" {
		asleep = t.crowded(of) // reads the family, before others wait for the lock
	}
	if asleep == "" {
		defer r.families.Enter(p.Name(), of)() // of two that wake, or launch, the second counts the first
		asleep = t.crowded(of)
	}
	m.Wakes = asleep == ""
	if err := t.append(m.Section(r.w.Now())); err != nil || !m.Wakes {
		return asleep, err
	}
	t.claim()
	handed, t.todo = true, steps{askStep}
	sub, err := t.start(false)
	if err != nil { // the mail is in its file
		r.w.Log.Info("dialog not woken", "project", p.Name(), "dialog", f.ID(), "err", err)
		return "it could not be woken: " + refusalText(err), nil
	}
	sub.Close()
	return "", nil
}

// asleep returns why mail from a dialog of that family starts no turn here, or "".
func (t *turn) asleep(of string) string {
	needs := grant.Needs(t.dialog(), t.f.Status(), t.calls())
	switch {
	case t.family != of:
		return otherFamily
	case t.f.Status() == dialog.Done:
		return "it is done"
	case needs == dialog.NeedsApproval:
		return "it waits for a human's decision"
	case needs == dialog.NeedsContinue:
		return "it was stopped, and waits for a human's Continue"
	}
	if err := t.r.deed(t.in.Project); err != nil {
		return "agents can't work here now: " + refusalText(err)
	}
	return ""
}

// crowded returns why no dialog of a family may begin to work now, or "".
func (t *turn) crowded(of string) string {
	rules, err := t.projectRules()
	if err == nil {
		err = t.r.families.MayWork(t.in.Project, of, rules.AgentsAtOnce())
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// endWait is how long the end of a launched dialog waits for a turn of the one that
// launched it to be over. Later it is appended with the next turn there.
const endWait = 10 * time.Second

// ending returns the mail about the end of this dialog, and which dialog launched it. ok is
// false if nothing is to be sent.
func (t *turn) ending() (m dialog.Mail, parent string, ok bool) {
	if t.became == "" || !t.dialog().Header.Launched() {
		return m, "", false
	}
	return family.Ending(t.dialog(), t.f.ID(), t.became, t.failure)
}

// sendEnd sends the end of this dialog to the one that launched it, once, and wakes that if
// mail may. If that fails, as at a kill, the next turn there does it: appendChildResults.
func (t *turn) sendEnd(m dialog.Mail, parent string) {
	ctx, cancel := context.WithTimeout(t.r.ctx, endWait)
	defer cancel()
	if _, err := t.r.deliver(ctx, t.in.Project, parent, t.family, m, false); err != nil {
		t.r.w.Log.Info("end of a dialog not told", "project", t.in.Project.Name(), "dialog", t.f.ID(), "parent", parent, "err", err)
	}
}

// appendChildResults appends what this dialog does not have of the ends of the dialogs that
// it launched: the process that saw them end was killed, or could not write. It
// starts no turn: one has just begun here.
func (t *turn) appendChildResults() error {
	unsent, err := t.r.families.Unsent(t.in.Project, t.family, t.f.ID(), t.dialog())
	if err != nil {
		return err
	}
	return t.appendMail(unsent...)
}
