package turn

import (
	"cmp"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/server/project"
	"vibey/tools"
)

// ProjectRules is what doc-main.md says of how agents work, as it stands now.
type ProjectRules struct {
	dialog.Rules
	Problems  []dialog.SyntaxError // lines that do not hold
	Wish      *dialog.Wish         // nil where there is none
	Confirmed bool                 // the wish holds in each new dialog
	ETag      string               // of the text that was read, without quotes; "" where there is no doc-main.md
	Known     dialog.Known         // the names that the page may use
	Walls     bool                 // commands run behind walls
	AtOnce    int                  // how many agents of a family may work at a time
	Seconds   int                  // how long a command may run
}

// names are those that the leading page may use here.
func (r *Runner) names() dialog.Known { return tools.Known(r.w.MCP.Names()) }

// Rules reads the rules of a project, and its wish.
func (r *Runner) Rules(p *project.Project) (ProjectRules, error) {
	f, err := mainDoc(p)
	if err != nil {
		return ProjectRules{}, err
	}
	out := ProjectRules{ETag: f.ETag, Known: r.names(), Walls: r.contained()}
	out.Rules, out.Problems = dialog.ParseRules(f.Content, out.Known)
	out.Problems = append(f.garbled, out.Problems...)
	out.AtOnce, out.Seconds = liveMost(out.Rules), cmp.Or(out.Limit, int(r.w.Sandbox.Limit().Seconds()))
	if w, ok := dialog.FindWish(f.Content); ok {
		a := dialog.Authority{Key: r.w.Key, Project: p.Name()}
		a.ProjectID, _ = p.ID() // without one nothing is confirmed
		out.Wish, out.Confirmed = &w, a.Confirmed(w)
	}
	return out, nil
}

// Rounds is how many rounds a message of an intent may take; "" is one that is not
// known.
func (r *ProjectRules) Rounds(intent string) int { return governor.Limit(r.Rules, intent) }
