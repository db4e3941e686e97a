package turn

import (
	"encoding/json"
	"time"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
)

// View is a dialog as it stands in its file, for reading.
type View struct {
	State
	Text    string // the file's text
	Dialog  *dialog.Dialog
	ModTime time.Time

	Governor Standing
}

// View reads a dialog.
func (r *Runner) View(p *project.Project, id string) (View, error) {
	t, err := p.ReadDialog(id)
	if err != nil {
		return View{}, err
	}
	d := dialog.Parse(t.Text)
	return View{
		State: r.stateOf(p, t.ID, t.Filename, t.Status, d), Text: t.Text, Dialog: d, ModTime: t.ModTime, Governor: r.standing(p, d),
	}, nil
}

// Summarize returns what a list tells of a dialog, from its text. The store calls
// it (project.Options).
func (r *Runner) Summarize(proj, id, text string, st dialog.Status) project.Summary {
	p, err := r.w.Store.Project(proj)
	if err != nil {
		return project.Summary{Needs: string(dialog.NeedsNone)} // it was deleted meanwhile
	}
	d := dialog.Parse(text)
	policy := r.policy(p, r.sets.of(d))
	fleeting, real := false, policy.Real
	policy.Real = func(tool, input string) string {
		fleeting = true
		return real(tool, input)
	}
	calls := dialog.Decide(d, d.Grants(r.authority(proj, id)), policy)
	s := project.Summary{Needs: string(dialog.NeedsOf(d, st, calls)), Fleeting: fleeting}
	for _, c := range calls {
		if c.Verdict == dialog.Wait && st == dialog.Waiting {
			s.Line = "wants " + c.Tool
			return s
		}
	}
	for i := len(d.Sections) - 1; i >= 0; i-- {
		sec := &d.Sections[i]
		if !sec.Torn && (sec.Role == dialog.Assistant || sec.Role == dialog.User) && dialog.Clean(sec.Text(), 200) != "" {
			s.Line = dialog.Clean(dialog.UserInput(sec), 120)
			return s
		}
	}
	return s
}

// state is where an open dialog stands.
func (r *Runner) state(p *project.Project, f *project.DialogFile) State {
	return r.stateOf(p, f.ID(), f.Filename(), f.Status(), f.Dialog())
}

func (r *Runner) stateOf(p *project.Project, id, filename string, st dialog.Status, d *dialog.Dialog) State {
	calls := r.decide(p, id, d)
	provider, model := d.Model()
	return State{
		DialogID: id, Status: st, Needs: dialog.NeedsOf(d, st, calls), Filename: filename,
		Provider: provider, Model: model, Pending: pending(p, calls), Ignored: []string{},
	}
}

func (r *Runner) decide(p *project.Project, id string, d *dialog.Dialog) []dialog.Call {
	return dialog.Decide(d, d.Grants(r.authority(p.Name(), id)), r.policy(p, r.sets.of(d)))
}

// pending are the calls that a human has to decide, never nil, with the files
// that they would write as these stand now.
func pending(p *project.Project, calls []dialog.Call) []hub.Pending {
	out := []hub.Pending{}
	target := targetsOf(p)
	for _, c := range calls {
		if c.Verdict != dialog.Wait {
			continue
		}
		next := hub.Pending{ID: c.ID, Tool: c.Tool, Input: "{}", InputText: c.Input, SHA256: c.SHA256}
		if dialog.IsObject(c.Input) {
			next.Input = dialog.RawJSON(c.Input)
			var in struct {
				Description any `json:"description"`
			}
			if json.Unmarshal([]byte(c.Input), &in) == nil {
				next.Description, _ = in.Description.(string)
			}
		}
		if t, ok := target(c.Tool, c.Input); ok {
			next.Target = &t
		}
		out = append(out, next)
	}
	return out
}
