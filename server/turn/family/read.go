package family

import (
	"errors"
	"io/fs"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/tools"
)

// List lists the dialogs of p, read in dialog id, for list_agents, the one written last first.
func List(p *project.Project, id string) ([]tools.Agent, error) {
	infos, err := p.Dialogs()
	if err != nil {
		return nil, err
	}
	all := make([]tools.Agent, 0, len(infos))
	for i := range infos {
		x := &infos[i]
		a := tools.Agent{DialogID: x.ID, You: x.ID == id, Status: x.Status}
		if x.Summary != nil {
			a.Title, a.Needs, a.Words, a.From = x.Title, x.Needs, x.Words, x.From
		}
		all = append(all, a)
	}
	return all, nil
}

// Read reads a dialog of p for read_agent.
func Read(p *project.Project, id string) (*dialog.Dialog, dialog.Status, error) {
	file, err := p.ReadDialog(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errors.New(Undelivered(id, err))
	}
	if err != nil {
		return nil, "", err
	}
	return file.Parse(), file.Status, nil
}
