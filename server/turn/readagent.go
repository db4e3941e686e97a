package turn

import (
	"errors"
	"io/fs"

	"vibey/dialog"
	"vibey/tools"
)

// listAgents lists the dialogs of the project for list_agents, the one written last first.
func (t *turn) listAgents() ([]tools.Agent, error) {
	infos, err := t.in.Project.Dialogs()
	if err != nil {
		return nil, err
	}
	all := make([]tools.Agent, 0, len(infos))
	for i := range infos {
		x := &infos[i]
		a := tools.Agent{DialogID: x.ID, You: x.ID == t.f.ID(), Status: x.Status}
		if x.Summary != nil {
			a.Title, a.Needs, a.Words, a.From = x.Title, x.Needs, x.Words, x.From
		}
		all = append(all, a)
	}
	return all, nil
}

// readAgent reads a dialog of the project for read_agent.
func (t *turn) readAgent(id string) (*dialog.Dialog, dialog.Status, error) {
	file, err := t.in.Project.ReadDialog(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errors.New(undelivered(id, err))
	}
	if err != nil {
		return nil, "", err
	}
	return file.Parse(), file.Status, nil
}
