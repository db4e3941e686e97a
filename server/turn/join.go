package turn

import (
	"context"

	"vibey/dialog"
)

// Join watches a dialog, late or again: first what the files hold that last
// does not tell of, then what comes. The stream of a dialog that does not run
// ends behind its sections with done or tool_request.
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
	d := dialog.Parse(t.Text)
	open := openText(t.Open)
	s := &Sub{wake: make(chan struct{}, 1), over: true}
	ends := sectionEnds(d)
	s.queue = missing(d.Sections, ends, open, last, id, t.Filename)
	st := r.stateOf(project, id, t.Filename, t.Status, d)
	end := Event{Type: DoneEvent, DialogID: id, Filename: t.Filename, Status: st.Status, Needs: st.Needs, Resources: d.Cumulative()}
	if len(st.Pending) > 0 && st.Status == dialog.Waiting {
		end.Type, end.Calls = ToolEvent, st.Pending
	}
	end.Pos = Pos{Open: int64(len(open))}
	if len(ends) > 0 {
		end.Pos.Whole = ends[len(ends)-1]
	}
	s.queue = append(s.queue, end)
	return s, nil
}

// openText is the text that an open response shows by now.
func openText(open string) string {
	text := ""
	for _, s := range dialog.Parse(open).Sections {
		if s.Role == dialog.Assistant {
			text += s.Text()
		}
	}
	return text
}
