package view

import (
	"encoding/json"
	"slices"
	"sync"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/effect"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools"
	"vibey/tools/mcp"
)

// State is where a dialog stands: the JSON answer of a PUT.
type State struct {
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Needs    dialog.Needs  `json:"needs"`
	Filename string        `json:"filename"`
	Provider string        `json:"-"`
	Model    string        `json:"-"`
	Pending  []hub.Pending `json:"pending"`
	Ignored  []string      `json:"ignored"` // unknown control lines
}

// View is a dialog as it stands in its file, for reading.
type View struct {
	State
	Text   string // the file's text, see project.DialogText
	Size   int64  // the file's
	Title  string // as the list has it
	Dialog *dialog.Dialog

	Governor Standing
}

// View reads a dialog.
func (r *Reader) View(p *project.Project, id string) (View, error) {
	t, err := p.ReadDialog(id)
	if err != nil {
		return View{}, err
	}
	d := t.Parse()
	if hasLapsed(r.Decide(p, id, d)) {
		r.turns.FailOrphaned(p, id)
		if t, err = p.ReadDialog(id); err != nil {
			return View{}, err
		}
		d = t.Parse()
	}
	st := r.stateOf(p, t.ID, t.Filename, t.Status, d)
	if t.Other != "" && st.Status == dialog.Waiting {
		st.Needs = dialog.NeedsContinue // as the list says: nothing is written before one of the files is gone
	}
	return View{
		State: st, Text: t.Text, Size: t.Size, Title: r.TitleOf(d), Dialog: d, Governor: r.standing(p, d),
	}, nil
}

// Coverable reports whether "allow <tool>" would let calls like that one run from now on,
// and takes back no rule that a human gave for the tool: about a folder, or to try it first.
func (r *Reader) Coverable(p *project.Project, v *View, call hub.Pending) bool {
	if r.Policy(p, v.DialogID, r.ToolsOf(v.Dialog)).NeverBlanket(call.Tool, call.InputText) {
		return false
	}
	g := grant.Of(v.Dialog, r.Authority(p.Name(), v.DialogID))
	// It would end that commands are tried.
	return g.Rules[call.Tool] != grant.Try && !g.NamesFolder(call.Tool, grant.Allow, grant.Deny, grant.Ask)
}

// hasLapsed reports whether any of calls waits for an agent that has ended.
func hasLapsed(calls []grant.Call) bool {
	return slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict == grant.Lapsed })
}

// StateOf is where an open dialog stands.
func (r *Reader) StateOf(p *project.Project, f *project.DialogFile) State {
	return r.stateOf(p, f.ID(), f.Filename(), f.Status(), f.Dialog())
}

func (r *Reader) stateOf(p *project.Project, id, filename string, st dialog.Status, d *dialog.Dialog) State {
	calls := r.Decide(p, id, d)
	provider, model := d.Model()
	return State{
		DialogID: id, Status: st, Needs: grant.Needs(d, st, calls), Filename: filename,
		Provider: provider, Model: model, Pending: r.Pending(p, r.ToolsOf(d), calls, namedBy(d)), Ignored: []string{},
	}
}

// conflictsOf is the target of an effect, nil where all of it can be put into the deed as
// that is now, as far as that can be told.
func conflictsOf(p *project.Project, e effect.Effect) *grant.Target {
	paths, err := p.WouldConflict(e)
	if err != nil || len(paths) == 0 {
		return nil
	}
	t := new(grant.Target)
	for _, at := range paths {
		t.Conflicts = append(t.Conflicts, grant.Conflict{Path: at})
	}
	return t
}

// namedBy returns the func that tells the last hash a dialog names for a path. The dialog is
// folded once the first is asked for.
func namedBy(d *dialog.Dialog) func(path string) (sha string, ok bool) {
	l := sync.OnceValue(func() *change.Ledger {
		l := new(change.Ledger)
		l.Extend(d)
		return l
	})
	return func(path string) (string, bool) { return l().Hash(path) }
}

// Pending returns the calls that a human has to decide, never nil, with the files
// that they would write as these stand now, or with what they did. named tells the last hash
// that the dialog names for a path.
func (r *Reader) Pending(p *project.Project, set *tools.Set, calls []grant.Call, named func(path string) (sha string, ok bool)) []hub.Pending {
	out := []hub.Pending{}
	target := TargetsOf(p, named)
	for _, c := range calls {
		if c.Verdict != grant.Wait {
			continue
		}
		next := hub.Pending{ID: c.ID, Tool: c.Tool, Input: "{}", InputText: c.Input, SHA256: c.SHA256}
		if jsontext.IsObject(c.Input) {
			next.Input = history.RawJSON(c.Input)
			var in struct {
				Description any `json:"description"`
			}
			if json.Unmarshal([]byte(c.Input), &in) == nil {
				next.Description, _ = in.Description.(string)
			}
		}
		if s, ok := set.Lookup(c.Tool); ok && s.Server != "" {
			next.Server = &hub.ServerTool{Name: s.Server, Tool: mcp.Shown(s.Tool), ReadOnly: s.ReadOnly}
		}
		if t, ok := target(c.Tool, c.Input); ok {
			t.Stale = t.Stale && !c.Agent // an agent over ACP may have read it anew
			next.Target = &t
		}
		if next.Effect = hub.EffectOf(&c); next.Effect != nil {
			next.Target = conflictsOf(p, next.Effect.Effect)
		}
		out = append(out, next)
	}
	return out
}
