package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/history"
)

// checkedDialog is one dialog's file while it is held against the rules of
// "The dialog file" in vibey/vibey/doc-reference.md.
type checkedDialog struct {
	*checker
	file        string // as it is printed
	project, id string
	status      dialog.Status // as the name tells
	text        string
	d           *dialog.Dialog
	lines       []int    // at which each section begins, counted from 1
	heads       []string // the lines between each heading and the first payload, at least
	restored    time.Time
	first       string // of the sums that tell how calls are counted: "once" or "twice", "" before it
}

// check collects every broken rule, and returns what the results claim of files.
func (c *checkedDialog) check(told bool) []claim {
	c.d = dialog.Parse(c.text)
	c.locate()
	claimed := c.claims(told)
	if !told {
		return claimed
	}
	for _, p := range c.d.Problems {
		c.found(c.file, p.Line, p.Rule, "%s", p.Text)
	}
	c.header()
	var sum, twice dialog.Resources
	for i, s := range c.d.Forward() {
		sum = sum.Plus(s.Spent())
		twice = twice.Plus(s.Resources)
		c.section(i, s)
		c.sum(i, s, sum.String(), twice.String())
	}
	c.calls()
	c.authorizations()
	c.form()
	return claimed
}

// at tells what is wrong with section i.
func (c *checkedDialog) at(i int, rule, format string, args ...any) {
	c.found(c.file, c.lines[i], rule, format, args...)
}

// locate finds the lines of the sections, in one walk over the text.
func (c *checkedDialog) locate() {
	src := c.text
	n := len(c.d.Sections)
	c.lines, c.heads = make([]int, n), make([]string, n)
	at, line := 0, 1
	for i := range n {
		start := at
		if i == 0 {
			for ; line < c.d.Line(0); line++ {
				start += strings.IndexByte(src[start:], '\n') + 1
			}
		} else {
			start = c.d.End(i - 1)
			start += len(src[start:]) - len(strings.TrimLeft(src[start:], "\r\n"))
			line += strings.Count(src[at:start], "\n")
		}
		c.lines[i] = line
		at = start
		c.heads[i], _, _ = strings.Cut(src[start:c.d.End(i)], "\nəəə")
	}
}

func (c *checkedDialog) header() {
	h := &c.d.Header
	say := func(rule, format string, args ...any) { c.found(c.file, 1, rule, format, args...) }
	if h.DialogID != c.id {
		say("header", "DialogId is %q, the file is %s", h.DialogID, c.id)
	}
	for _, f := range []dialog.Field{{Key: "Provider", Value: h.Provider}, {Key: "Model", Value: h.Model}} {
		if f.Value == "" {
			say("header", "%s is missing", f.Key)
		}
	}
	if h.Status != c.status {
		say("status", "the header says %q, the name says %s; the name wins", h.Status, c.status)
	}
	if !isTime(h.Started) {
		say("time", "Started is %q, and not a time such as 2026-02-16T20:11:00Z", h.Started)
	}
	if err := dialog.CheckHeader(h); err != nil {
		say("meta", "%v", err)
	}
}

// countedTwice is until when sums counted a call once where it was asked for, and once
// more where it ran.
const countedTwice = "2026-11-22T08:13:22Z"

// sum checks the sum of all that was used up to the end of section i. One that is twice,
// with calls counted twice, is an older program's where its time says so, or where the file
// began with an older program: people go back and forth between two.
func (c *checkedDialog) sum(i int, s *dialog.Section, sum, twice string) {
	switch told := s.Meta.Get("Resources cumulative"); {
	case told == "", sum == twice && told == sum:
	case told == sum:
		c.first = cmp.Or(c.first, "once")
	case told == twice && (s.End() < countedTwice || c.first != "once"):
		c.first = cmp.Or(c.first, "twice")
		c.at(i, noteRule, "Resources cumulative is %s, as an older program counted: each call where it was asked for, and where it ran", told)
	default:
		c.at(i, "resources", "Resources cumulative is %s, but all up to here is %s", told, sum)
	}
}

// section checks what every section has.
func (c *checkedDialog) section(i int, s *dialog.Section) {
	if s.ID == "" {
		c.at(i, "id", "this %s has no Id", s.Role)
	} else if c.d.Find(s.Role, s.ID) != i && s.Role != dialog.ToolRequest && s.Role != dialog.ToolResult {
		c.at(i, "id", "another %s has the Id %s", s.Role, s.ID)
	}
	c.time(i, s)
	if !strings.Contains(c.heads[i], "\n> Resources: ") {
		c.at(i, "resources", "the line Resources is missing; zeros stand for unknown")
	}
	if err := dialog.CheckSection(s); err != nil {
		c.at(i, "meta", "%v", err)
	}
	c.payloads(i, s)
	switch s.Role {
	case dialog.User:
		if problem := dialog.OnProblem(s); problem != "" && !s.Torn {
			c.at(i, "meta", "%s", problem)
		}
	case dialog.Note:
		c.callsBy(i, s)
		if !slices.Contains(noteKinds, s.Kind()) {
			c.at(i, "meta", "Kind is %q, which no Note has", s.Kind())
		}
		if to := s.Meta.Get("To"); to != "" && to != "model" && to != "human" {
			c.at(i, "meta", "To is %q; it is model or human", to)
		}
	case dialog.Summary:
		if _, ok := history.Covered(c.d, i); !ok && !s.Torn && s.Meta.Has("Covers") {
			c.at(i, "meta", "Covers is %q, and not <first id> - <last id> of sections before it: it stands for none of them", s.Meta.Get("Covers"))
		}
	case dialog.System:
		c.callsBy(i, s)
		if !s.Torn && c.toldBefore(i) {
			c.at(i, "system", "the model is told its System once, and never again")
		}
	}
}

// callsBy checks what a section says of how calls are written.
func (c *checkedDialog) callsBy(i int, s *dialog.Section) {
	if calls := s.Meta.Get("Calls"); s.Meta.Has("Calls") && calls != history.CallsNative && calls != history.CallsTags {
		c.at(i, "meta", "Calls is %q; it is native or tags", calls)
	}
}

var noteKinds = strings.Fields("started nudge warning mistake recovery gate unverified unbacked budget loop phase commit " +
	"doc-change plan codebase project control summary-undone conflict tools mcp undo title session handover mail attached " +
	"effect settings picture")

// toldBefore reports whether an earlier System section makes section i superfluous. A
// damaged one, which no model can be sent, does not.
func (c *checkedDialog) toldBefore(i int) bool {
	return slices.ContainsFunc(c.d.Sections[:i], func(s dialog.Section) bool {
		return s.Role == dialog.System && !s.Torn && (history.Whole(&s) || !history.Whole(&c.d.Sections[i]))
	})
}

func (c *checkedDialog) time(i int, s *dialog.Section) {
	switch {
	case !isTime(s.Start()) || !isTime(s.End()):
		c.at(i, "time", "Time is %q, and not <start> - <end>, such as 2026-02-16T20:11:00Z - 2026-02-16T20:11:04Z", s.Time)
	case s.End() < s.Start():
		c.at(i, "time", "it ends before it begins: %s", s.Time)
	case s.Role == dialog.User && s.End() != s.Start():
		c.at(i, "time", "a User section begins and ends at once: %s", s.Time)
	}
}

func isTime(v string) bool {
	_, err := time.Parse(time.RFC3339, v)
	return err == nil && strings.HasSuffix(v, "Z")
}

func (c *checkedDialog) payloads(i int, s *dialog.Section) {
	if len(s.Payloads) == 0 {
		c.at(i, "payload", "this %s has no payload", s.Role)
	}
	for _, p := range s.Payloads {
		switch {
		case !s.Role.Has(p.Type):
			c.at(i, "payload", "a %s has no payload of type %q", s.Role, p.Type)
		case strings.HasSuffix(p.Type, "json") && s.Role != dialog.ToolRequest && !json.Valid([]byte(p.Text)):
			c.at(i, "payload", "the payload of type %s is not JSON", p.Type)
		}
	}
	if s.Loose != "" {
		c.at(i, "outside", "text stands outside the fences, where no model reads it")
	}
}

// form tells the first line at which the file is not as it would be written.
func (c *checkedDialog) form() {
	want := dialog.Format(c.d)
	if want == c.text {
		return
	}
	switch {
	case strings.HasPrefix(c.text, "\ufeff"):
		c.found(c.file, 1, "form", "the file begins with a byte order mark; `vibey fmt` writes it without")
		return
	case c.d.CRLF():
		c.found(c.file, 1, "form", "its lines end in CR LF; `vibey fmt` writes them with LF alone")
		return
	}
	line := 1
	for i := 0; i < len(want) && i < len(c.text) && want[i] == c.text[i]; i++ {
		if want[i] == '\n' {
			line++
		}
	}
	c.found(c.file, line, "form", "from here on the file is not in canonical form; `vibey fmt` writes it so")
}
