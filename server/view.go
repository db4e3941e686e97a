package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/server/turn"
)

// dialogView is one dialog as GET gives it. Sections are those from From on;
// Total is how many there are in all.
type dialogView struct {
	DialogID string         `json:"dialogId"`
	Status   dialog.Status  `json:"status"`
	Needs    dialog.Needs   `json:"needs"`
	Filename string         `json:"filename"`
	Provider string         `json:"provider"`
	Model    string         `json:"model"`
	Began    string         `json:"began"` // the model of the header, which answered until a User section named another
	Markdown *string        `json:"markdown,omitempty"`
	Sections []section      `json:"sections"`
	From     int            `json:"from"`
	Total    int            `json:"total"`
	Pending  []turn.Pending `json:"pending"`
}

// section is one "## Role" of a dialog. Time is "start - end"; Meta holds all
// other lines; HTML is the first payload, where that is markdown, for a page.
// Loose is hand-written text beside its payloads. Torn is one that a crash cut
// off: it is there to be read, and counts for nothing. Void is one that ended
// every allow above it, for it is not an Authorization as a human gave it.
type section struct {
	Role      dialog.Role       `json:"role"`
	ID        string            `json:"id"`
	Time      string            `json:"time"`
	Resources dialog.Resources  `json:"resources"`
	Meta      map[string]string `json:"meta"`
	Payloads  []dialog.Payload  `json:"payloads"`
	HTML      string            `json:"html,omitempty"`
	Loose     string            `json:"loose,omitempty"`
	Torn      bool              `json:"torn,omitempty"`
	Void      bool              `json:"void,omitempty"`
}

// htmlBudget is how long one answer may take over HTML; what is left then goes
// out as text alone, which the window shows as such.
const htmlBudget = 2 * time.Second

func (s *server) getDialog(w http.ResponseWriter, r *http.Request) error {
	p, err := s.project(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	from, err := count(query.Get("from"), "from", 0)
	if err != nil {
		return err
	}
	limit, err := count(query.Get("limit"), "limit", -1)
	if err != nil {
		return err
	}
	v, err := s.Turns.View(p.Name(), mux.Vars(r)["id"])
	if err != nil {
		return err
	}
	all := v.Dialog.Sections
	from = min(from, len(all))
	to := len(all)
	if limit >= 0 {
		to = min(to, from+limit)
	}
	out := dialogView{
		DialogID: v.DialogID, Status: v.Status, Needs: v.Needs, Filename: v.Filename, Provider: v.Provider, Model: v.Model, Began: v.Dialog.Header.Model,
		Sections: make([]section, 0, to-from), From: from, Total: len(all), Pending: v.Pending,
	}
	if query.Get("markdown") != "0" {
		out.Markdown = &v.Text
	}
	until := time.Now().Add(htmlBudget)
	for i := from; i < to; i++ {
		out.Sections = append(out.Sections, s.section(&all[i], time.Now().Before(until)))
	}
	return writeJSON(w, out)
}

// count reads a query's number; absent is what there is then.
func count(v, name string, absent int) (int, error) {
	if v == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > 1<<30 {
		return 0, refuse(400, "bad-query", "?"+name+" is "+strconv.Quote(excerpt(v))+"; it is a number from 0 on. Nothing was done.")
	}
	return n, nil
}

// section makes the JSON form of a section, with HTML if there is time.
func (s *server) section(d *dialog.Section, html bool) section {
	out := section{
		Role: d.Role, ID: d.ID, Time: d.Time, Resources: d.Resources, Meta: make(map[string]string, len(d.Meta)),
		Payloads: d.Payloads, Loose: d.Loose, Torn: d.Torn, Void: d.Void,
	}
	for _, f := range d.Meta {
		out.Meta[f.Key] = f.Value
	}
	if out.Payloads == nil {
		out.Payloads = []dialog.Payload{}
	}
	if html && len(d.Payloads) > 0 {
		switch d.Payloads[0].Type {
		case dialog.InputMarkdown, dialog.OutputMarkdown, dialog.SystemMarkdown, dialog.ReasoningMarkdown, dialog.NoteMarkdown, dialog.SummaryMarkdown:
			out.HTML = s.render.HTML(d.Payloads[0].Text)
		}
	}
	return out
}
