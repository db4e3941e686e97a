package server

import (
	"net/http"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
)

// rulesView is the answer of GET rules: what a card says about how agents work in a
// project.
type rulesView struct {
	Rules    []ruleView           `json:"rules"`
	Problems []dialog.LineProblem `json:"problems"` // lines that say nothing known, and do not hold
	Wish     *wishView            `json:"wish,omitempty"`
}

// ruleView is one rule in plain words. Line is where doc-main.md says it, from 1 on; a
// rule without one is what holds if the doc is silent.
type ruleView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Line  int    `json:"line,omitempty"`
	About string `json:"about"` // may, spend or check: what agents may do, what they may spend, what checks their work
	Text  string `json:"text"`
}

// wishView is the control block of doc-main.md, which holds in each new dialog once a
// human has confirmed it.
type wishView struct {
	Lines     []wishLine `json:"lines"`
	Confirmed bool       `json:"confirmed"`
	ETag      string     `json:"etag"` // names the text that was read, for POST confirm
}

// wishLine is one line of the block as it is written, and in plain words.
type wishLine struct {
	Line  string `json:"line"`
	Text  string `json:"text"`
	Known bool   `json:"known"` // false if it says nothing known, and does not hold
}

func (s *server) getRules(w http.ResponseWriter, _ *http.Request, p *project.Project) error {
	r, err := s.Turns.Rules(p)
	if err != nil {
		return err
	}
	out := rulesView{Rules: ruleViews(&r), Problems: append([]dialog.LineProblem{}, dialog.FirstProblems(r.Problems, problemsMost)...)}
	if r.Wish != nil {
		out.Wish = &wishView{wishLines(r.Wish.Text, r.Known, r.Walls), r.Confirmed, quote(r.ETag)}
	}
	return writeJSON(w, out)
}

// wishLines reads a wish line by line. A line about a single call decides nothing in a
// dialog that is new.
func wishLines(text string, names grant.Known, walls bool) []wishLine {
	out := []wishLine{}
	all, _ := grant.ParseControl(text)
	for _, raw := range controlLines(text) {
		lines, _ := grant.ParseControl(raw)
		known := len(lines) == 1 && lines[0].ID == "" && names.Misses(lines[0]) == "" && !grant.Idle(all, lines[0])
		l := wishLine{Line: dialog.Clean(raw, 200), Known: known, Text: "Says nothing that is known here, and does not hold."}
		if known {
			l.Text = wishText(lines[0], walls)
		}
		out = append(out, l)
	}
	return out
}
