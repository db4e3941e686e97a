package family

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/turn/record"
)

// ErrAnswers is the cause of the context of mail that waits too long.
var ErrAnswers = errors.New("its model has been answering for two minutes")

// Undelivered says in words for a model why mail did not arrive.
func Undelivered(to string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no dialog " + to + " in this project: it was deleted, or never was. list_agents names those that are there"
	case errors.Is(err, project.ErrBusy):
		return project.HolderOf(err) + " is writing the dialog " + to + ". Try again later"
	case errors.Is(err, ErrAnswers), errors.Is(err, errCrowd):
		return err.Error() + ". Try again later"
	}
	return err.Error()
}

// Outcome is the result of a call of dialog from that had started when the server stopped.
// Whether a message arrived is read in the receiver's file.
func Outcome(p *project.Project, from string, c grant.Call) string {
	if c.Tried {
		return record.NothingKept
	}
	var in struct{ DialogID, Text string }
	if c.Tool != "message_agent" || json.Unmarshal([]byte(c.Input), &in) != nil {
		return record.OutcomeUnknown
	}
	m := dialog.Mail{From: from, Mark: c.ID, Text: in.Text}
	const stopped = "interrupted: outcome unknown. The server stopped while this call ran. "
	file, err := p.ReadDialog(in.DialogID)
	if err != nil {
		return stopped + "The dialog that it was for can't be read: " + strings.TrimSuffix(Undelivered(in.DialogID, err), ".") + "."
	}
	if dialog.Parse(file.Text).Find(dialog.Note, m.ID()) >= 0 {
		return stopped + "The dialog " + in.DialogID + " has the message, as its note " + m.ID() + ": do not send it again."
	}
	return stopped + "The dialog " + in.DialogID + " does not have the message: send it again if it is still wanted."
}
