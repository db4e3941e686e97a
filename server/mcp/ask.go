package mcp

import (
	"context"
	"time"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
)

type startArgs struct {
	inProject
	Prompt   string `json:"prompt" jsonschema:"what the agent is to do"`
	Provider string `json:"provider,omitempty" jsonschema:"where its model answers; the first one configured where it is left out"`
	Model    string `json:"model,omitempty" jsonschema:"the model; the provider's first one where it is left out"`
}

type sendArgs struct {
	inProject
	DialogID string `json:"dialogId" jsonschema:"the dialog, as list_dialogs names it"`
	Prompt   string `json:"prompt" jsonschema:"the message"`
	Provider string `json:"provider,omitempty" jsonschema:"another provider from now on"`
	Model    string `json:"model,omitempty" jsonschema:"another model from now on"`
}

type waitArgs struct {
	inProject
	DialogID string `json:"dialogId" jsonschema:"the dialog, as list_dialogs names it"`
	Seconds  *int   `json:"seconds,omitempty" jsonschema:"how long to wait at most: 0 to 600, 60 where it is left out"`
}

// startedDialog is a turn that runs now.
type startedDialog struct {
	DialogID string `json:"dialogId"`
	Status   string `json:"status"`
}

// dialogState is the state of a dialog.
type dialogState struct {
	DialogID string    `json:"dialogId"`
	Status   string    `json:"status" jsonschema:"active: it still works, wait again; waiting; done"`
	Needs    string    `json:"needs" jsonschema:"approval or continue: a human's; reply: a message; none"`
	Words    string    `json:"words" jsonschema:"its last words"`
	Cut      bool      `json:"cut,omitempty" jsonschema:"its last words are longer: read_dialog has them whole"`
	Pending  []pending `json:"pending" jsonschema:"what a human is asked about; it is decided in Vibey, not here"`
}

// pending is a call that a human decides, without what a decision is bound to.
type pending struct {
	ID          string `json:"id"`
	Tool        string `json:"tool"`
	Description string `json:"description,omitempty"`
	Input       string `json:"input" jsonschema:"its beginning, where it is long"`
}

// addAsking gives the server the tools that let agents work.
func (s *Server) addAsking() {
	add(s, tool[startArgs, startedDialog]{name: "start_dialog", asks: true, text: "Start an agent on a task. It works on by itself: follow it with wait_dialog. It asks a human for what it may not do.", answer: within(s, s.startDialog)})
	add(s, tool[sendArgs, startedDialog]{name: "send_prompt", asks: true, text: "Send a message to a dialog that is not working. Refused while a human is asked about one of its calls.", answer: within(s, s.sendPrompt)})
	add(s, tool[waitArgs, dialogState]{name: "wait_dialog", text: "Wait until a dialog has done its work or needs somebody, 600 seconds at most, and tell its last words and what a human is asked.", answer: within(s, s.waitDialog)})
}

func (s *Server) startDialog(ctx context.Context, p *project.Project, in startArgs) (startedDialog, error) {
	if in.Provider == "" {
		if in.Provider = s.First(); in.Provider == "" {
			return startedDialog{}, bad("no provider is configured, so no model can be asked; a human connects one in Vibey")
		}
	}
	sub, err := s.Turns.Start(ctx, turn.Input{Project: p, Provider: in.Provider, Model: in.Model, Prompt: &turn.Prompt{Text: in.Prompt}, By: turn.Program})
	return s.leave(ctx, "", sub, err)
}

func (s *Server) sendPrompt(ctx context.Context, p *project.Project, in sendArgs) (startedDialog, error) {
	_, sub, err := s.Turns.Put(ctx, turn.Input{Project: p, DialogID: in.DialogID, Provider: in.Provider, Model: in.Model, Prompt: &turn.Prompt{Text: in.Prompt}, By: turn.Program})
	return s.leave(ctx, in.DialogID, sub, err)
}

// leave returns the dialog of a turn, which runs on. The first event of a new dialog's stream names it.
func (s *Server) leave(ctx context.Context, id string, sub *hub.Sub, err error) (startedDialog, error) {
	if err != nil {
		return startedDialog{}, err
	}
	defer sub.Close()
	if id == "" {
		batch, _ := sub.Next(ctx)
		if len(batch) == 0 {
			return startedDialog{}, context.Cause(ctx)
		}
		id = batch[0].DialogID
	}
	return startedDialog{id, string(dialog.Active)}, nil
}

// The time that wait_dialog waits, in seconds.
const (
	waitUsual = 60
	waitMost  = 600
)

func (s *Server) waitDialog(ctx context.Context, p *project.Project, in waitArgs) (dialogState, error) {
	seconds := waitUsual
	if in.Seconds != nil {
		seconds = *in.Seconds
	}
	if seconds < 0 || seconds > waitMost {
		return dialogState{}, bad("seconds is %d; it is a number from 0 to %d", seconds, waitMost)
	}
	v, err := s.Turns.View(p, in.DialogID)
	if err != nil {
		return dialogState{}, err
	}
	// By its file a dialog may wait whose turn begins or is about to be closed: its stream
	// has the end.
	if seconds > 0 {
		if err := s.follow(requestContext(ctx), p, &v, time.Duration(seconds)*time.Second); err != nil {
			return dialogState{}, err
		}
		if v, err = s.Turns.View(p, in.DialogID); err != nil {
			return dialogState{}, err
		}
	}
	return s.stateOf(&v), nil
}

// follow returns when a dialog's stream ends, or after that time. It reads what comes
// behind v and keeps nothing of it.
func (s *Server) follow(ctx context.Context, p *project.Project, v *view.View, most time.Duration) error {
	sub, err := s.Turns.Join(ctx, p, v.DialogID, &hub.Pos{Whole: v.Size})
	if err != nil {
		return err
	}
	defer sub.Close()
	until, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	sub.Each(until, func(hub.Event) {})
	return ctx.Err()
}

// Bounds of an answer of wait_dialog, in bytes.
const (
	wordsMax = 16 << 10
	inputMax = 2 << 10
)

// stateOf returns the state of a dialog, without secrets.
func (s *Server) stateOf(v *view.View) dialogState {
	out := dialogState{DialogID: v.DialogID, Status: string(v.Status), Needs: string(v.Needs), Pending: []pending{}}
	words := s.masked(lastWords(v.Dialog))
	at := dialog.HeadLen(words, wordsMax)
	out.Words, out.Cut = words[:at], at < len(words)
	for _, c := range v.Pending {
		input := s.masked(c.InputText)
		out.Pending = append(out.Pending, pending{c.ID, s.masked(c.Tool), s.masked(c.Description), input[:dialog.HeadLen(input, inputMax)]})
	}
	return out
}

// lastWords is the text of the last answer that has one.
func lastWords(d *dialog.Dialog) string {
	for _, s := range d.Backward() {
		if s.Role == dialog.Assistant && s.Text() != "" {
			return s.Text()
		}
	}
	return ""
}
