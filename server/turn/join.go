package turn

import (
	"context"
	"strings"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/tools/caught"
)

// Join watches a dialog, late or again: first what the files hold that last
// does not tell of, then what comes. The stream of a dialog that does not run
// ends behind its sections with done or tool_request. ctx is the watcher's.
func (r *Runner) Join(ctx context.Context, project, id string, last *Pos) (*Sub, error) {
	if l := r.find(project, id); l != nil {
		if s, ok := l.join(last); ok {
			return s, nil
		}
	}
	p, err := r.w.Store.Project(project)
	if err != nil {
		return nil, err
	}
	t, err := p.ReadDialog(id)
	if err != nil {
		return nil, err
	}
	s := &Sub{wake: make(chan struct{}, 1)}
	events, at := r.snapshot(project, t, dialog.Parse(t.Text), last)
	if t.Status == dialog.Active {
		s.queue = events[:len(events)-1]
		caught.Go(r.w.Log, "following a dialog", func() { defer s.finish(); r.follow(ctx, s, p, id, at) })
		return s, nil
	}
	s.queue, s.over = events, true
	return s, nil
}

// snapshot is what a watcher at last lacks of a dialog that this process does
// not run, and behind it the event that its stream ends with.
func (r *Runner) snapshot(name string, t project.DialogText, d *dialog.Dialog, last *Pos) ([]Event, Pos) {
	open := openText(t.Open)
	ends := sectionEnds(d, int64(len(t.Text)))
	events := missing(d.Sections, ends, open, last, t.ID, t.Filename)
	st := r.stateOf(name, t.ID, t.Filename, t.Status, d)
	end := Event{Type: DoneEvent, DialogID: t.ID, Filename: t.Filename, Status: st.Status, Needs: st.Needs, Resources: d.Cumulative()}
	if len(st.Pending) > 0 && st.Status == dialog.Waiting {
		end.Type, end.Calls = ToolEvent, st.Pending
	}
	end.Pos.Open = int64(len(open))
	if len(ends) > 0 {
		end.Pos.Whole = ends[len(ends)-1]
	}
	return append(events, end), end.Pos
}

// openText is the text that an open response shows by now.
func openText(open string) string {
	var b strings.Builder
	d := dialog.Parse(open)
	for i := range d.Sections {
		if d.Sections[i].Role == dialog.Assistant {
			b.WriteString(d.Sections[i].Text())
		}
	}
	return b.String()
}
