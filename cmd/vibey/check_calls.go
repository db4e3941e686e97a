package main

import (
	"encoding/json"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/tools"
)

// calls checks the life of each tool call: asked once, answered once.
func (c *checkedDialog) calls() {
	asked, answered := map[string]int{}, map[string]bool{}
	for i, s := range c.d.Forward() {
		switch s.Role {
		case dialog.ToolRequest:
			if _, twice := asked[s.ID]; twice {
				c.at(i, "request", "another Tool Request has the Id %s", s.ID)
			} else {
				asked[s.ID] = i
			}
			c.request(i, s)
		case dialog.ToolResult:
			r, known := asked[s.ID]
			switch {
			case !known:
				c.at(i, "result", "no Tool Request above has the Id %s", s.ID)
			case answered[s.ID]:
				c.at(i, "result", "the call %s has its result already", s.ID)
			case c.d.Sections[r].Tool() != s.Tool():
				c.at(i, "result", "this is a result of %q, but the call %s is of %q", s.Tool(), s.ID, c.d.Sections[r].Tool())
			}
			answered[s.ID] = true
			c.result(i, s)
		case dialog.Note:
			if _, ok := grant.TriedBy(s); !ok && s.Kind() == dialog.EffectNote && s.Meta.Has("Parent") {
				c.at(i, "hash", "what the call %s did can't be decided: its changes are not below deed/, or not those of its hash", s.Meta.Get("Parent"))
			}
		}
	}
}

func (c *checkedDialog) request(i int, s *dialog.Section) {
	if s.ID != "" && !dialog.ValidCallID(s.ID) {
		c.at(i, "id", "%q can't be a call's Id: letters, digits, _ and -, 64 at most, and not allow, deny, ask, try or network", s.ID)
	}
	if s.Tool() == "" {
		c.at(i, "meta", "the line Tool is missing")
	}
	if st := s.Meta.Get("Status"); st != dialog.CallPending {
		c.at(i, "meta", "Status is %q; in a Tool Request it is always pending", st)
	}
}

func (c *checkedDialog) result(i int, s *dialog.Section) {
	var r struct{ Success *bool }
	readable := json.Unmarshal([]byte(s.Text()), &r) == nil && r.Success != nil
	switch st := s.Meta.Get("Status"); st {
	case dialog.CallApproved:
		if !readable {
			c.at(i, "result", `a result is one JSON object with "success"`)
		}
	case dialog.CallDenied, dialog.CallError:
		if !readable || *r.Success {
			c.at(i, "result", `what was %s says {"success":false,"error":…}`, map[string]string{dialog.CallDenied: "denied", dialog.CallError: "not run"}[st])
		}
	default:
		c.at(i, "meta", "Status is %q; in a Tool Result it is approved, denied or error", st)
	}
}

// authorizations checks that each call that ran was granted above, for its input and,
// if there is a key, by a Mac of this installation.
func (c *checkedDialog) authorizations() {
	x := grant.Builder{Authority: grant.Authority{Key: c.key, Project: c.project, DialogID: c.id}, Unjudged: c.key == nil}
	// What was granted where the project was before, or in the dialog that this one was forked
	// from. A grant.Builder marks sections as void.
	there, whole := grant.Builder{Unjudged: true}, c.d
	if !c.restored.IsZero() || c.d.Inherited() > 0 {
		whole = dialog.Parse(c.text)
	}
	var told []history.ToolSpec
	json.Unmarshal([]byte(history.Tools(c.d)), &told) // Tools returns no text that can't be read
	set := tools.SetOf(slices.Concat(tools.NewSet(tools.AllSets()...).Specs(), told))
	// Where links led when a call ran is not known any more: a path is taken as it is.
	policy := grant.Policy{NeverBlanket: tools.NeverBlanket, Path: tools.Named, Real: tools.Named, Layers: func() bool { return true }}
	for i, s := range c.d.Forward() {
		switch s.Role {
		case dialog.Authorization:
			lines, ignored := grant.ParseControl(s.Text())
			for _, line := range ignored {
				c.at(i, "control", "this line says nothing: %s", line)
			}
			for _, l := range lines {
				c.decision(i, l)
			}
		case dialog.ToolResult:
			if !asks(set, s) || s.Meta.Get("Status") != dialog.CallApproved {
				continue
			}
			r := c.d.Find(dialog.ToolRequest, s.ID)
			if k := c.d.Find(dialog.ToolRequest, s.Meta.Get("Within")); k >= 0 && dialog.AgentTool(c.d.Sections[k].Tool()) {
				r = k // what a human approved covers this call
			}
			g := x.Before(c.d, i)
			if c.elsewhere(i) != "" {
				g = there.Before(whole, i)
			}
			if r < 0 || g.Judge(c.d, r, policy).Verdict != grant.Run {
				c.at(i, "grant", "%s ran, but no Authorization above lets it", s.ID)
			}
		}
	}
	x.Extend(c.d)
	for i := range c.d.Sections {
		if c.d.Sections[i].Void {
			c.void(i)
		}
	}
}

// elsewhere says before what a section was written whose grants bear the Mac of another
// installation, project or dialog, or none that holds: before the project was restored here,
// or the dialog forked; "" for one that was written here.
func (c *checkedDialog) elsewhere(i int) string {
	if i < c.d.Inherited() {
		return "this dialog was forked"
	}
	if at, err := time.Parse(time.RFC3339, c.d.Sections[i].End()); err == nil && !at.After(c.restored) {
		return "the project was restored here"
	}
	return ""
}

// asks reports whether the call of a result had to be asked about. What an agent does
// unasked its result tells, and nothing here could hold it.
func asks(set *tools.Set, s *dialog.Section) bool {
	if dialog.AgentTool(s.Tool()) {
		return s.Meta.Get("Asked") != "no"
	}
	t, ok := set.Lookup(s.Tool())
	return ok && t.Asks
}

// void reports why a section allows nothing and ends every allow above it.
func (c *checkedDialog) void(i int) {
	switch s := &c.d.Sections[i]; {
	case s.Torn, s.Meta.Get("Void") == "yes": // reported as torn; voided on purpose
	case s.Role == dialog.Authorization && s.Meta.Has("Mac") && c.elsewhere(i) != "":
		c.at(i, noteRule, "this was given before %s; it allows nothing here, and ends every allow above it", c.elsewhere(i))
	case s.Role == dialog.Authorization:
		c.at(i, "mac", "no human of this installation gave this here and in these words; it allows nothing, and ends every allow above it")
	default:
		c.at(i, "mac", "what is left of an Authorization stands in this %s; it ends every allow above it", s.Role)
	}
}

// decision checks that a call is there, and an approval for the input that it has.
func (c *checkedDialog) decision(i int, l grant.Line) {
	if l.ID == "" {
		return
	}
	r := c.d.Find(dialog.ToolRequest, l.ID)
	switch {
	case r < 0:
		c.at(i, "control", "it decides %s, a call that this dialog does not have", l.ID)
	case l.Verb == grant.Deny:
	case l.SHA256 == "" || l.Tool == "":
		c.at(i, "control", "the approval of %s names no input and tool: %s approve sha256:<hex> <tool>", l.ID, l.ID)
	case l.SHA256 != grant.InputHash(c.d.Sections[r].Text()):
		c.at(r, "hash", "the input of %s is not the one that was approved", l.ID)
	case l.Effect != "" && l.Effect != c.effectOf(l.ID):
		c.at(i, "hash", "what %s did is not what was approved", l.ID)
	case l.Tool != c.d.Sections[r].Tool():
		c.at(r, "hash", "%s was approved for %s, not for %s", l.ID, l.Tool, c.d.Sections[r].Tool())
	}
}

// effectOf is the hash of what a tried call did; "" for none.
func (c *checkedDialog) effectOf(id string) string {
	at, ok := c.d.Tried(id)
	if !ok || at < 0 {
		return ""
	}
	tried, _ := grant.TriedBy(&c.d.Sections[at])
	return tried.Effect.SHA256
}
