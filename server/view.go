package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/view"
)

// dialogView is the answer of GET dialog. Sections are those from From on; Total
// counts all of them. A negative ?from= counts from the end.
type dialogView struct {
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Needs    dialog.Needs  `json:"needs"`
	Filename string        `json:"filename"`
	Title    string        `json:"title"` // as the list has it
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	Began    string        `json:"began"` // the header's model, used until a User section names another
	Markdown *string       `json:"markdown,omitempty"`
	Sections []section     `json:"sections"`
	From     int           `json:"from"`
	Total    int           `json:"total"`
	At       string        `json:"at"` // the position behind them all, for a stream
	Pending  []hub.Pending `json:"pending"`
	Governor view.Standing `json:"governor"`
}

// htmlBudget is how long the rendering for one answer may take. Sections behind it
// have no HTML, and the window shows their text.
const htmlBudget = 2 * time.Second

func (s *server) getDialog(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	query := r.URL.Query()
	tail := strings.HasPrefix(query.Get("from"), "-")
	from, err := count(strings.TrimPrefix(query.Get("from"), "-"), "from", 0)
	if err != nil {
		return err
	}
	limit, err := count(query.Get("limit"), "limit", -1)
	if err != nil {
		return err
	}
	v, err := s.Turns.View(p, mux.Vars(r)["id"])
	if err != nil {
		return err
	}
	all := v.Dialog.Sections
	if tail {
		from = max(0, len(all)-from)
	}
	from = min(from, len(all))
	to := len(all)
	if limit >= 0 {
		to = min(to, from+limit)
	}
	out := dialogView{
		DialogID: v.DialogID, Status: v.Status, Needs: v.Needs, Filename: v.Filename, Title: v.Title, Provider: v.Provider, Model: v.Model, Began: v.Dialog.Header.Model,
		Sections: make([]section, 0, to-from), From: from, Total: len(all), At: hub.Pos{Whole: v.Size}.String(), Pending: v.Pending, Governor: v.Governor,
	}
	if query.Get("markdown") != "0" {
		out.Markdown = &v.Text
	}
	html, until := s.html, time.Now().Add(htmlBudget)
	for i := from; i < to; i++ {
		if html != nil && time.Now().After(until) {
			html = nil
		}
		out.Sections = append(out.Sections, newSection(&all[i], html))
	}
	return writeJSON(w, out)
}

// count reads a number of the query, which is absent if v is empty.
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
