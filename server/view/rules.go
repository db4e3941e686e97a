package view

import (
	"cmp"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/dialog/plan"
	"vibey/server/project"
	"vibey/tools"
)

// ProjectRules is what doc-main.md says of how agents work, as it stands now.
type ProjectRules struct {
	grant.Rules
	Problems  []dialog.SyntaxError // lines that do not hold
	Wish      *grant.Wish          // nil if there is none
	Confirmed bool                 // the wish holds in each new dialog
	ETag      string               // of the text that was read, without quotes; "" if there is no doc-main.md
	Known     grant.Known          // the names that the page may use
	Walls     bool                 // commands run behind walls
	AtOnce    int                  // how many agents of a family may work at a time
	Seconds   int                  // how long a command may run
}

// Rules reads the rules of a project, and its wish.
func (r *Reader) Rules(p *project.Project) (ProjectRules, error) {
	f, err := p.LeadingDoc()
	if err != nil {
		return ProjectRules{}, err
	}
	out := ProjectRules{ETag: f.ETag, Known: r.Names(), Walls: r.contained()}
	out.Rules, out.Problems = grant.ParseRules(f.Content, out.Known)
	out.Problems = append(f.Garbled, out.Problems...)
	out.AtOnce, out.Seconds = out.AgentsAtOnce(), cmp.Or(out.Limit, int(r.w.Sandbox.Limit().Seconds()))
	if w, ok := grant.FindWish(f.Content); ok {
		a := grant.Authority{Key: r.w.Key, Project: p.Name()}
		a.ProjectID, _ = p.ID() // without one nothing is confirmed
		out.Wish, out.Confirmed = &w, a.Confirmed(w)
	}
	return out, nil
}

// Problems lists the lines of doc-main.md's rules that say nothing known, and those of
// doc-plan.md that look like items and are none; no other doc has any. They are shown at
// save.
func (r *Reader) Problems(name, text string) []dialog.SyntaxError {
	return Problems(name, text, r.w.MCP.Names())
}

// Problems is the Reader's, if a human has named these MCP servers.
func Problems(name, text string, servers []string) []dialog.SyntaxError {
	switch name {
	case plan.File:
		return plan.Problems(text)
	case project.MainDoc:
	default:
		return nil
	}
	_, problems := grant.ParseRules(text, tools.Known(servers))
	return problems
}

// Rounds is how many rounds a message of an intent may take; "" is one that is not
// known.
func (r *ProjectRules) Rounds(intent string) int { return governor.Limit(r.Rules, intent) }
