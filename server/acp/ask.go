package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	protocol "vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools/caught"
)

// decide asks the editor's human about the first call that waits, and sends the answer as
// the window does: bound to the hash of the input that was shown, and refused if
// something newer waits. It returns what runs then, or nil if the dialog goes on by
// itself, or waits for more. If the call is decided elsewhere meanwhile, the question
// is taken back.
func (s *session) decide(w *work) (*hub.Sub, error) {
	v, err := s.a.Turns.View(s.p, s.id)
	if err != nil {
		return nil, err
	}
	s.catchUp(&v)
	if len(v.Pending) == 0 {
		return nil, nil
	}
	call := v.Pending[0]
	option, err := s.ask(w.ctx, &v, call)
	if errors.Is(err, errElsewhere) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	control := controlOf(option, call)
	_, sub, err := s.a.Turns.Put(w.ctx, turn.Input{Project: s.p, DialogID: s.id, Control: &control, Seen: s.sent.last})
	if refused, ok := errors.AsType[*turn.Refusal](err); ok && (errors.Is(err, turn.ErrStale) || errors.Is(err, turn.ErrMoved) || errors.Is(err, turn.ErrActive)) {
		s.notice(refused.Message) // it is asked again, as it stands now
		return nil, nil
	}
	return sub, err
}

// controlOf is the control text of an answer.
func controlOf(option string, call hub.Pending) string {
	once := grant.Line{ID: call.ID, Verb: grant.Approve, SHA256: call.SHA256, Target: call.Target.Word(), Path: call.Target.Place(), Effect: call.Effect.Word()}.String()
	switch option {
	case protocol.AllowOnce:
		return once
	case protocol.AllowAlways:
		return once + "\n" + grant.Line{Verb: grant.Allow, Tool: call.Tool}.String()
	}
	return call.ID + " deny"
}

// errElsewhere is a question that was answered elsewhere: in the browser, say.
var errElsewhere = errors.New("the call was decided elsewhere")

// ask asks about one call and returns the id of the option that was chosen.
func (s *session) ask(ctx context.Context, v *view.View, call hub.Pending) (string, error) {
	params := protocol.PermissionParams{SessionID: s.id, ToolCall: s.toolCall(call.ID, call.Tool, call.InputText, s.target(call)), Options: s.options(v, call)}
	asked, answered := context.WithCancelCause(ctx)
	defer answered(nil)
	s.watch(asked, call.ID, func() { answered(errElsewhere) })
	var got protocol.PermissionResult
	if err := s.a.conn.Call(asked, protocol.MethodPermission, params, &got); err != nil {
		if e, ok := errors.AsType[*protocol.Error](err); ok {
			return "", refuse(protocol.CodeInternal, "the editor could not ask whether %s may run: %s. Nothing was decided; it waits. Decide in the browser, or send a message, which denies it", call.Tool, dialog.Cut(e.Message, 500))
		}
		return "", err
	}
	switch got.Outcome.Outcome {
	case "selected":
		if slices.ContainsFunc(params.Options, func(o protocol.PermissionOption) bool { return o.OptionID == got.Outcome.OptionID }) {
			return got.Outcome.OptionID, nil
		}
		return "", refuse(protocol.CodeInvalidParams, "the editor answered with %q, which was not offered. Nothing was decided; %s waits. Decide in the browser, or send a message, which denies it", dialog.Cut(got.Outcome.OptionID, 100), call.ID)
	case "cancelled":
		return "", errCancelled
	}
	return "", refuse(protocol.CodeInvalidParams, "the editor's answer about %s can't be read. Nothing was decided; it waits. Decide in the browser, or send a message, which denies it", call.ID)
}

// errCancelled ends a prompt whose question the editor gave up.
var errCancelled = errors.New("the editor cancelled the question")

// options are the answers that can be given, each with its kind as its id. One for good is offered only if it would
// count, and takes back no rule about folders that a human gave.
// What is not shown whole can't be allowed here.
func (s *session) options(v *view.View, call hub.Pending) []protocol.PermissionOption {
	var out []protocol.PermissionOption
	if call.Effect == nil || len(call.Effect.Changes) <= changesMost {
		out = append(out, protocol.PermissionOption{OptionID: protocol.AllowOnce, Name: "Allow once", Kind: protocol.AllowOnce})
	}
	if call.Effect == nil && s.a.Turns.Coverable(s.p, v, call) {
		out = append(out, protocol.PermissionOption{OptionID: protocol.AllowAlways, Name: "Allow " + s.a.Drawn(call.Tool) + " in this session", Kind: protocol.AllowAlways})
	}
	return append(out, protocol.PermissionOption{OptionID: protocol.RejectOnce, Name: "Don’t", Kind: protocol.RejectOnce})
}

// target looks at the file that a call would write. Only the file whose hash the answer
// will be bound to is shown.
func (s *session) target(call hub.Pending) target {
	if call.Effect != nil {
		return target{effect: s.effect(call)}
	}
	if !dialog.WritesFile(call.Tool) {
		return target{}
	}
	now, text, ok, err := view.TargetOf(s.p, s.id, call.ID)
	if err != nil || !ok || now.Word() != call.Target.Word() {
		return target{why: "The file that this would write could not be looked at. Look at it before you allow this."}
	}
	if now.Exists && text == nil {
		return target{why: fmt.Sprintf("This replaces a file of %d bytes that is too large to be shown here, or is no text. Look at it before you allow this.", now.Bytes)}
	}
	return target{known: true, text: text}
}

// changesMost is how many changes of a tried command are shown.
const changesMost = 200

// effect is what a tried command did, in words.
func (s *session) effect(call hub.Pending) string {
	e := call.Effect
	lines, more := e.Lines(), ""
	if n := len(lines) - changesMost; n > 0 {
		lines, more = lines[:changesMost], fmt.Sprintf("\n%d more changes are not shown here, so it can't be allowed here. Decide in the browser, or with vibey approve.", n)
	}
	if call.Target != nil && len(call.Target.Conflicts) > 0 {
		var paths []string
		for _, c := range call.Target.Conflicts {
			paths = append(paths, hub.OneLine(c.Path))
		}
		more += "\nSomebody changed these meanwhile: they stay as they are, and the rest is applied.\n" + fenced(s.a.Drawn(strings.Join(paths, "\n")))
	}
	return fmt.Sprintf("This command has run, with exit code %d, and nothing of it counts yet. Allowing puts into the deed what it changed:\n%s%s", e.ExitCode, fenced(s.a.Drawn(strings.Join(lines, "\n"))), more)
}

// watch calls decided when the call no longer waits, until ctx ends.
func (s *session) watch(ctx context.Context, callID string, decided func()) {
	changes, err := s.a.Store.Watch(ctx, s.p.Name())
	if err != nil {
		s.a.Log.Warn("a dialog is not watched while its human is asked", "dialog", s.id, "err", err)
		return
	}
	caught.Go(s.a.Log, "watching a call that waits", func() {
		for c := range changes {
			if c.Kind != project.Reset && (c.Kind != project.DialogsChanged || c.DialogID != s.id) {
				continue
			}
			v, err := s.a.Turns.View(s.p, s.id)
			if err != nil || !slices.ContainsFunc(v.Pending, func(c hub.Pending) bool { return c.ID == callID }) {
				decided()
				return
			}
		}
	})
}
