package e2e

import (
	"fmt"
	"strings"

	"vibey/dialog"
)

// state is a dialog as GET gives it, or as a PUT answers.
type state struct {
	DialogID string
	Status   string
	Needs    string
	Filename string
	Markdown string
	Sections []section
	Pending  []call
	Ignored  []string
	Provider string
	Model    string
	Total    int
}

// look reads a dialog.
func (h *host) look(project, id string) state {
	h.t.Helper()
	var s state
	h.get("/project/" + project + "/dialog/" + id).is(200).into(&s)
	return s
}

// roles is the sequence of a dialog's sections in short.
func (s state) roles() string {
	var out []string
	for _, sec := range s.Sections {
		r := sec.Role
		switch r {
		case "Note":
			r += "/" + sec.Meta["Kind"]
		case "Tool Result":
			r += "/" + sec.Meta["Status"]
		}
		out = append(out, r)
	}
	return strings.Join(out, ", ")
}

// find is the section of that role and id.
func (s state) find(role, id string) (section, bool) {
	for _, sec := range s.Sections {
		if sec.Role == role && sec.ID == id {
			return sec, true
		}
	}
	return section{}, false
}

// approve is control text that approves calls as they were shown.
func approve(calls ...call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "%s approve sha256:%s\n", c.ID, c.SHA256)
	}
	return b.String()
}

// parse reads a dialog's text and fails on any problem that a kill does not explain.
func (p *place) parse(text string) *dialog.Dialog {
	p.t.Helper()
	d := dialog.Parse(text)
	for _, e := range d.Problems {
		if e.Rule != "torn" {
			p.t.Errorf("%v in\n%s", e, text)
		}
	}
	return d
}
