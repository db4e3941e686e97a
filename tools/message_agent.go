package tools

import (
	"context"
	"strings"

	"vibey/dialog"
)

type messageAgentInput struct {
	DialogID    string `json:"dialogId" jsonschema:"minLength=1"`
	Text        string `json:"text" jsonschema:"minLength=1"`
	Description string `json:"description,omitempty"`
}

// Delivery is what became of a message.
type Delivery struct {
	Note   string // the id of its Note in the dialog that got it
	Asleep string // why nobody reads it now, "" where somebody does
}

// delivered is the body of the result of message_agent.
type delivered struct {
	Success   bool   `json:"success"`
	Delivered string `json:"delivered"`
	Note      string `json:"note,omitempty"`
}

// messageAgent puts a message into another dialog of the project.
func messageAgent(ctx context.Context, env Env, in messageAgentInput) Result {
	switch {
	case !dialog.ValidID(in.DialogID):
		return notRun(Schema, "'%s' is not the id of a dialog, such as 20260216-201100-read-vibey. list_agents names them.", clip(in.DialogID, 100))
	case strings.TrimSpace(in.Text) == "":
		return notRun(Schema, "the text is blank. Write what the other agent is to know or to do.")
	case len(in.Text) > dialog.MailMost:
		return notRun(Schema, "the text has %d bytes; a message has at most %d. Write what is long into a doc or a file of the deed, and name it in the message.", len(in.Text), dialog.MailMost)
	}
	d, err := env.Message(ctx, in.DialogID, in.Text)
	if err != nil {
		if ctx.Err() != nil {
			return interrupted()
		}
		return failed(ExecError, "nothing was delivered: %v", err)
	}
	r := &delivered{Success: true, Delivered: d.Note}
	if d.Asleep != "" {
		r.Note = "The message stands there. It woke nobody, and is read with what comes next in that dialog: " + d.Asleep + "."
	}
	return Result{Success: true, body: r}
}
