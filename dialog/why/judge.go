package why

import (
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// judge says what let the calls of one dialog run.
type judge struct {
	d      *dialog.Dialog
	policy grant.Policy
	x      grant.Builder
}

// allowed reports what let the call of the request in section k run, whose result is section
// i, and which changed path. ok is false where nothing did.
func (j *judge) allowed(k, i int, path string) (by Allowed, ok bool) {
	if within := j.d.Find(dialog.ToolRequest, j.d.Sections[i].Meta.Get("Within")); within >= 0 && within < i && dialog.AgentTool(j.d.Sections[within].Tool()) {
		k = within // what a human approved covers this call
	}
	g := j.x.Before(j.d, i)
	c := g.Judge(j.d, k, j.policy)
	switch {
	case c.Verdict != grant.Run:
		return by, false
	case c.Decided:
		return j.decided(&c, g.Decisions[c.ID].At), true
	case !c.Blanket:
		return by, false
	}
	return j.blanket(&c, i, path, g)
}

// decided is what an Authorization in section at says of a call that it decides by its id.
// One that a rule of the same text released stands behind that rule.
func (j *judge) decided(c *grant.Call, at int) Allowed {
	s := &j.d.Sections[at]
	lines, _ := grant.ParseControl(s.Text())
	end := slices.IndexFunc(lines, func(l grant.Line) bool { return l.ID == c.ID })
	for _, l := range lines[:max(end, 0)] {
		if l.ID == "" && l.Verb == grant.Allow && grant.Allowing([]grant.Line{l}, c, j.policy) {
			return ruleOf(s, l)
		}
	}
	return Allowed{By: ByHuman, ID: s.ID}
}

// blanket finds the line that lets a call run which no line decides: the last one of the
// rule that covers it.
func (j *judge) blanket(c *grant.Call, before int, path string, g grant.Grants) (by Allowed, ok bool) {
	folder := ""
	for rule, v := range g.Rules {
		tool, in, _ := strings.Cut(rule, " ")
		if tool == c.Tool && v == grant.Allow && len(in) > len(folder) && strings.HasPrefix(path, in) {
			folder = in
		}
	}
	for _, i := range slices.Backward(j.d.Authorizations()) {
		s := &j.d.Sections[i]
		if i >= before || s.Role != dialog.Authorization || s.Void {
			continue
		}
		lines, _ := grant.ParseControl(s.Text())
		for _, l := range slices.Backward(lines) {
			if l.Verb == grant.Allow && l.ID == "" && l.Tool == c.Tool && l.Folder == folder {
				return ruleOf(s, l), true
			}
		}
	}
	return by, false
}

func ruleOf(s *dialog.Section, l grant.Line) Allowed {
	by := ByAllow
	if s.Meta.Get("Scope") == "project" {
		by = ByRule
	}
	return Allowed{By: by, Name: strings.TrimPrefix(l.String(), string(l.Verb)+" "), ID: s.ID}
}
