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

// follow shows a dialog that another process runs, by its files, until it is
// not active any more or nobody watches it.
func (r *Runner) follow(ctx context.Context, s *shown, p *project.Project) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		t, err := p.ReadDialog(s.key.id)
		if err != nil {
			s.publish(Event{Type: ErrorEvent, Kind: "gone", Message: "The dialog can't be read any more: " + err.Error()})
			return
		}
		if t == s.text {
			continue
		}
		if !r.shows.reread(s, t) {
			return
		}
		d := dialog.Parse(t.Text)
		s.adopt(d, int64(len(t.Text)), t.Filename, openText(t.Open))
		if end := r.endOf(p.Name(), t, d); end != nil {
			s.publish(*end)
			return
		}
	}
}
