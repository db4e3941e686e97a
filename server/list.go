package server

import (
	"net/http"
	"time"

	"vibey/dialog"
	"vibey/server/project"
)

// dialogItem is one entry of the list of dialogs. Title is the one that it was given,
// or the first line of its first message. Words is what it wants of a human, or its
// last words. Both are one line of at most 200 characters without marks, and may be
// empty.
type dialogItem struct {
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Needs    dialog.Needs  `json:"needs"`
	Filename string        `json:"filename"`
	MTime    string        `json:"mtime"`
	Title    string        `json:"title"`
	Words    string        `json:"words"`
	From     string        `json:"from,omitempty"`  // the dialog that launched it
	Fork     *forkOrigin   `json:"fork,omitempty"`  // where it was forked from
	Other    string        `json:"other,omitempty"` // a second file of the same dialog: it takes no request until one is gone
	Tokens   tokens        `json:"tokens"`
	Wrote    []int64       `json:"wrote,omitempty"` // tokens of each of the last answers, the oldest first, of one that is not done
	Cost     *cost         `json:"cost,omitempty"`  // if the price of each of its models is known
}

// forkOrigin is the dialog from which one was forked, and the section at whose end.
type forkOrigin struct {
	DialogID string `json:"dialogId"`
	At       string `json:"at"`
}

// tokens are those that a dialog's models read and wrote in it, as they counted them.
type tokens struct {
	In  int64 `json:"in"`
	Out int64 `json:"out"`
}

// cost is what tokens cost at the list prices of that day, without what a cache saves.
type cost struct {
	USD  float64 `json:"usd"`
	AsOf string  `json:"asOf"`
}

func (s *server) listDialogs(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	all, err := p.Dialogs()
	if err != nil {
		return err
	}
	items := make([]dialogItem, len(all))
	for i := range all {
		items[i] = newItem(&all[i])
	}
	return writeJSON(w, items)
}

// newItem is a dialog's entry in the list.
func newItem(d *project.DialogInfo) dialogItem {
	item := dialogItem{
		DialogID: d.ID, Status: d.Status, Needs: dialog.Needs(d.Needs), Filename: d.Filename, MTime: d.ModTime.UTC().Format(time.RFC3339Nano),
		Title: d.Title, Words: d.Words, From: d.From, Other: d.Other, Tokens: tokens{d.In, d.Out}, Wrote: d.Wrote,
	}
	if o := d.Origin; o.Dialog != "" {
		item.Fork = &forkOrigin{o.Dialog, o.At}
	}
	if d.AsOf != "" {
		item.Cost = &cost{d.USD, d.AsOf}
	}
	return item
}
