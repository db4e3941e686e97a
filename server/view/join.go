package view

import (
	"context"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
)

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
