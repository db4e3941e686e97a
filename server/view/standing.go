package view

import (
	"context"
	"maps"
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/hub"
	"vibey/server/project"
)

// Standing is what the governor says of a dialog as it stands in its file, by the rules
// of doc-main.md as they stand now: what a window shows before the first event comes.
type Standing struct {
	Intent     string         `json:"intent"` // of the last message, "" if it is not known
	Budget     Rounds         `json:"budget"`
	Phase      governor.Phase `json:"phase,omitempty"` // "" if phases are off
	Label      string         `json:"label,omitempty"` // what people read of the phase
	Unverified bool           `json:"unverified,omitempty"`
	Stopped    string         `json:"stopped,omitempty"` // budget, loop or mistakes
	Ledger     Ledger         `json:"ledger"`
	Covers     []Cover        `json:"covers"`
}

// Rounds is how many rounds a turn used, and may.
type Rounds struct {
	Used  int `json:"used"`
	Limit int `json:"limit"`
}

// Ledger is which files the results say were read and modified, each list sorted.
type Ledger struct {
	Read     []LedgerFile `json:"read"`
	Modified []LedgerFile `json:"modified"`
}

// LedgerFile is a file as the last result left or saw it. SHA256 is lowercase hex, ""
// if the file is gone.
type LedgerFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Cover is a range of sections for which a Summary stands, by the sections' ids.
type Cover struct {
	From string `json:"from"`
	To   string `json:"to"`
	By   string `json:"by"`
}

// standing judges a dialog from scratch. A doc-main.md that can't be read is as one
// without rules: the dialog can be read all the same.
func (r *Reader) standing(p *project.Project, d *dialog.Dialog) Standing {
	doc, _ := p.LeadingDoc()
	rules, _ := grant.ParseRules(doc.Content, r.Names())
	j := r.Judge(d, rules)
	j.Extend(d)
	b, phase, l := j.Budget(), j.Phase(), governor.LedgerOf(d, len(d.Sections))
	s := Standing{
		Intent: b.Intent, Budget: Rounds{b.Used, b.Limit}, Phase: phase, Label: phase.Label(),
		Unverified: j.Unverified(), Stopped: j.Stopped(),
		Ledger: Ledger{ledgerFiles(l.Read), ledgerFiles(l.Modified)}, Covers: []Cover{},
	}
	for _, c := range history.Covers(d) {
		s.Covers = append(s.Covers, Cover{d.Sections[c.From].ID, d.Sections[c.To].ID, d.Sections[c.By].ID})
	}
	return s
}

func ledgerFiles(files map[string]string) []LedgerFile {
	out := make([]LedgerFile, 0, len(files))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		out = append(out, LedgerFile{path, files[path]})
	}
	return out
}

// NewReader returns a Reader, whose streams of dialogs that no turn of this process runs
// end with ctx.
func NewReader(ctx context.Context, w *World, turns Turns) *Reader {
	r := &Reader{w: w, turns: turns}
	r.readings = readings{ctx: ctx, log: w.Log, room: &r.Room, slots: make(chan struct{}, readers), underway: make(map[hub.Key]chan struct{}), end: r.endOf, most: readingsMost}
	return r
}

// Join watches a dialog, late or again: first what the files hold behind
// last, then what comes. The stream of a dialog that does not run, and that
// no process is writing, ends behind its sections with done or tool_request. The caller
// must Close it.
func (r *Reader) Join(ctx context.Context, p *project.Project, id string, last *hub.Pos) (*hub.Sub, error) {
	if h := r.turns.Hub(hub.Key{Project: p.Name(), Dialog: id}); h != nil {
		if s, ok := h.Join(last); ok {
			return s, nil
		}
	}
	return r.join(ctx, p, id, last)
}

// endOf returns the event that the stream of a dialog ends with, nil for one that runs
// or is being written: what was read of it is not its end then. It is made for each
// watcher, because it describes the files that waiting calls would write as they are now.
// Calls of an agent that has ended get their results first, as in View.
func (r *Reader) endOf(p *project.Project, t project.DialogText, d *dialog.Dialog) *hub.Event {
	if t.Status == dialog.Active || !p.Settled(t) {
		return nil
	}
	if hasLapsed(r.Decide(p, t.ID, d)) && r.turns.FailOrphaned(p, t.ID) {
		return nil
	}
	st := r.stateOf(p, t.ID, t.Filename, t.Status, d)
	end := hub.Event{Type: hub.DoneEvent, DialogID: t.ID, Filename: t.Filename, Status: st.Status, Needs: st.Needs, Resources: d.Cumulative()}
	if len(st.Pending) > 0 && st.Status == dialog.Waiting {
		end.Type, end.Calls = hub.ToolEvent, st.Pending
	}
	return &end
}
