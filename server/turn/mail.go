package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/server/turn/family"
	"vibey/server/turn/record"
	"vibey/tools"
)

// Bounds of mail. Two dialogs that answer each other end by their budgets, since mail
// gives no fresh one, and by the ceilings of their family.
const (
	mailTurn = 16              // messages of one turn
	mailWait = 2 * time.Minute // for a receiver whose model answers
)

var errAnswers = errors.New("its model has been answering for two minutes")

// message returns the func of message_agent for one call, whose id makes the message the
// one that it is.
func (t *turn) message(call string) func(ctx context.Context, to, text string) (tools.Delivery, error) {
	return func(ctx context.Context, to, text string) (tools.Delivery, error) {
		if to == t.f.ID() {
			return tools.Delivery{}, errors.New("that is this dialog itself; list_agents names the others")
		}
		if n := t.dialog().Sent("message_agent"); n >= mailTurn {
			return tools.Delivery{}, fmt.Errorf("this turn has sent %d messages, the most it may: say what is left to the human", n)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, mailWait, errAnswers)
		defer cancel()
		of, _ := family.Ancestry(t.dialog().Header, t.f.ID())
		m := dialog.Mail{From: t.f.ID(), Mark: call, Text: text}
		asleep, err := t.r.deliver(ctx, t.in.Project, to, of, m, true)
		if err != nil {
			return tools.Delivery{}, errors.New(undelivered(to, err))
		}
		return tools.Delivery{Note: m.ID(), Asleep: asleep}, nil
	}
}

// undelivered says in words for a model why mail did not arrive.
func undelivered(to string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no dialog " + to + " in this project: it was deleted, or never was. list_agents names those that are there"
	case errors.Is(err, project.ErrBusy):
		return project.HolderOf(err) + " is writing the dialog " + to + ". Try again later"
	case errors.Is(err, errAnswers), errors.Is(err, errCrowd):
		return err.Error() + ". Try again later"
	}
	return refusalText(err)
}

// deliver puts mail into a dialog, once, and wakes that where it may. family is the
// sender's. It returns when the mail is in the file; with wait false already when a turn
// that runs has it. asleep says why it woke nobody, "" where somebody reads it now.
func (r *Runner) deliver(ctx context.Context, p *project.Project, to, family string, m dialog.Mail, wait bool) (asleep string, err error) {
	for pause := time.Millisecond; ; pause *= 2 {
		if t := r.find(p.Name(), to); t != nil {
			m.Wakes = t.family == family
			if err = t.post(ctx, m, wait); err != errLeft {
				return elsewhere(m.Wakes), err
			}
			if err = t.wait(ctx); err != nil {
				return "", context.Cause(ctx)
			}
			continue
		}
		f, err := p.OpenDialog(to)
		if err == nil {
			return r.deliverIdle(p, f, family, m)
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

// elsewhere says why mail of another family wakes nobody.
func elsewhere(wakes bool) string {
	if wakes {
		return ""
	}
	return "it belongs to another family of dialogs"
}

// deliverIdle puts mail into a dialog that does not run, and lets it run where it may.
// It closes f, or the turn does.
func (r *Runner) deliverIdle(p *project.Project, f *project.DialogFile, family string, m dialog.Mail) (asleep string, err error) {
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
		return "", refuse(ErrNothing, "the dialog %s has no message yet, so that no agent works there. Nothing was delivered", f.ID())
	}
	if asleep = t.asleep(family); asleep == "" {
		asleep = t.crowded(family) // reads the family, before others wait for the lock
	}
	if asleep == "" {
		defer r.families.Enter(p.Name(), family)() // of two that wake, or launch, the second counts the first
		asleep = t.crowded(family)
	}
	m.Wakes = asleep == ""
	if err := t.append(m.Section(r.w.Now())); err != nil || !m.Wakes {
		return asleep, err
	}
	handed, t.todo = true, agenda{askStep}
	sub, err := t.start(false)
	if err != nil { // the mail is in its file
		r.w.Log.Info("dialog not woken", "project", p.Name(), "dialog", f.ID(), "err", err)
		return "it could not be woken: " + refusalText(err), nil
	}
	sub.Close()
	return "", nil
}

// asleep says why mail from a dialog of that family may not wake this one, or "".
func (t *turn) asleep(family string) string {
	needs := dialog.NeedsOf(t.dialog(), t.f.Status(), t.calls())
	switch {
	case t.family != family:
		return elsewhere(false)
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

// crowded says why no dialog of a family may begin to work now, or "".
func (t *turn) crowded(family string) string {
	most, err := t.liveMost()
	if err == nil {
		err = t.r.families.MayWork(t.in.Project, family, most)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// unknownOutcome is the result of a call that had started when the server stopped. Of a
// message the receiver's file tells whether it arrived.
func (t *turn) unknownOutcome(c dialog.Call) string {
	var in struct{ DialogID, Text string }
	if c.Tool != "message_agent" || json.Unmarshal([]byte(c.Input), &in) != nil {
		return record.OutcomeUnknown
	}
	m := dialog.Mail{From: t.f.ID(), Mark: c.ID, Text: in.Text}
	const stopped = "interrupted: outcome unknown. The server stopped while this call ran. "
	file, err := t.in.Project.ReadDialog(in.DialogID)
	if err != nil {
		return stopped + "The dialog that it was for can't be read: " + strings.TrimSuffix(undelivered(in.DialogID, err), ".") + "."
	}
	if dialog.Parse(file.Text).Find(dialog.Note, m.ID()) >= 0 {
		return stopped + "The dialog " + in.DialogID + " has the message, as its note " + m.ID() + ": do not send it again."
	}
	return stopped + "The dialog " + in.DialogID + " does not have the message: send it again if it is still wanted."
}
