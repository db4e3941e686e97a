package turn

import (
	"context"
	"time"

	"vibey/dialog"
	"vibey/server/project"
)

// followEvery is how often the files of a dialog are looked at that another
// process runs.
const followEvery = 200 * time.Millisecond

// follow watches a dialog that another process runs, by its files: it sends
// what is new until the dialog is not active any more, then the end.
func (r *Runner) follow(ctx context.Context, s *Sub, p *project.Project, id string, at Pos) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.finish()
			return
		case <-tick.C:
		}
		t, err := p.ReadDialog(id)
		if err != nil {
			s.add(Event{Type: ErrorEvent, DialogID: id, Kind: "gone", Message: "The dialog can't be read any more: " + err.Error()})
			s.finish()
			return
		}
		d := dialog.Parse(t.Text)
		events, now := r.snapshot(p.Name(), t, d, &at)
		if t.Status == dialog.Active {
			events = events[:len(events)-1]
		}
		at = now
		s.add(events...)
		if t.Status != dialog.Active {
			s.finish()
			return
		}
	}
}

// add queues events for a watcher who belongs to no hub.
func (s *Sub) add(es ...Event) {
	if len(es) == 0 {
		return
	}
	s.mu.Lock()
	s.queue = append(s.queue, es...)
	s.mu.Unlock()
	s.nudge()
}
