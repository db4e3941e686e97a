package turn

import (
	"time"

	"vibey/server/hub"
	"vibey/tools/caught"
)

// agentSoon is how long an agent starts without a word of it.
const agentSoon = 4 * time.Second

// tellStart tells the watchers that an agent starts, once that has taken agentSoon: nothing
// else is seen of it until then. It is an event alone, since nothing of it is worth keeping.
// The caller must call over with how the start went; nothing is told behind that.
func (t *turn) tellStart(name string) (over func(ok bool)) {
	end, told := make(chan struct{}), make(chan bool, 1)
	caught.Go(t.r.w.Log, "telling that an agent starts", func() {
		said := false
		defer func() { told <- said }()
		select {
		case <-end:
		case <-time.After(t.r.agentSoon):
			t.hub.Publish(hub.Event{Type: hub.NoteEvent, Kind: "starting", Text: name + " is starting. The first time this may take a minute."})
			said = true
		}
	})
	return func(ok bool) {
		close(end)
		if said := <-told; said && ok {
			t.hub.Publish(hub.Event{Type: hub.NoteEvent, Kind: "ready", Text: name + " has started."})
		}
	}
}
