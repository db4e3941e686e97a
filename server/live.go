package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"vibey/dialog/jsontext"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools/caught"
)

// The live stream carries all that a browser follows, for all its tabs, in one
// connection: a browser opens six to a host. Each ?watch= is one thing to follow,
//
//	<key>/projects                        what goes on in all projects, see needsFrame
//	<key>/project/<name>                  its changes, as in GET /project/:p/events
//	<key>/dialog/<name>/<id>[/<position>] its events from there on, without an end
//
// and each frame names the key, which the client chose. A watch that can't be followed
// is answered by an error frame of kind "refused", and the others go on. To follow
// something else the client asks again, with the positions that it has: the server keeps
// nothing.

// watchesMax is how many things one stream may follow; the surplus is refused.
const watchesMax = 200

// watch is one ?watch= of the live stream.
type watch struct {
	key     string
	project string   // "" for all of them
	dialog  string   // "" for the project's changes
	last    *hub.Pos // of the dialog; nil: from the beginning
}

// live is one live stream that is being written. Each watch has a goroutine.
type live struct {
	s    *server
	ctx  context.Context
	stop context.CancelFunc

	mu  sync.Mutex
	out *sse
}

func (s *server) watchAll(w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()["watch"]
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	l := &live{s: s, ctx: ctx, stop: stop, out: openStream(w)}
	l.out.beat = liveBeat
	var all sync.WaitGroup
	for i, of := range asked {
		v, err := readWatch(of)
		if err == nil && i >= watchesMax {
			err = refuse(400, "bad-query", "More than 200 things to watch: this one is not followed. Close some windows.")
		}
		if err != nil {
			l.fail(v.key, err)
			continue
		}
		what, follow := "a watch of all projects", func() { l.followProjects(v.key) }
		if v.project != "" {
			changes, err := s.Store.Watch(ctx, v.project)
			if err != nil {
				l.fail(v.key, err)
				continue
			}
			what, follow = "a watch of the live stream", func() { l.follow(&v, changes) }
		}
		all.Add(1)
		caught.Go(s.Log, what, func() {
			defer all.Done()
			l.guarded(v.key, what, follow)
		})
	}
	// What changes after this is sent: the client may let go of the stream before.
	l.write(func() { l.out.comment() })
	defer all.Wait()
	defer stop()
	beat := time.NewTicker(liveBeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			l.write(func() { l.out.comment() })
		}
	}
}

// readWatch reads one ?watch=. With an error it returns the key alone.
func readWatch(v string) (watch, error) {
	p := strings.Split(v, "/")
	key := p[0]
	switch {
	case slices.Contains(p, ""):
	case len(p) == 2 && p[1] == "projects":
		return watch{key: key}, nil
	case len(p) == 3 && p[1] == "project" && project.ValidProject(p[2]):
		return watch{key: key, project: p[2]}, nil
	case (len(p) == 4 || len(p) == 5) && p[1] == "dialog" && project.ValidProject(p[2]):
		w := watch{key: key, project: p[2], dialog: p[3]}
		if len(p) == 4 {
			return w, nil
		}
		if pos, ok := hub.ParsePos(p[4]); ok {
			w.last = &hub.Pos{Whole: pos.Whole} // the open text is sent as a whole
			return w, nil
		}
	}
	return watch{key: key}, refuse(400, "bad-query", "?watch="+excerpt(v)+" is none of KEY/projects, KEY/project/NAME and KEY/dialog/NAME/ID[/POSITION].")
}

// How long a watch that failed waits before it goes on, at first and at most.
const (
	againFirst = time.Second
	againMost  = time.Minute
)

// guarded calls f, and again after a panic, which it sends to the client and logs.
func (l *live) guarded(key, what string, f func()) {
	for pause := againFirst; l.ctx.Err() == nil; pause = min(2*pause, againMost) {
		err := caught.Guard(l.s.Log)(what, func() error { f(); return nil })
		if err == nil {
			return
		}
		l.fail(key, err)
		select {
		case <-l.ctx.Done():
		case <-time.After(pause):
		}
	}
}

// follow sends what happens to w until the stream ends.
func (l *live) follow(w *watch, changes <-chan project.Change) {
	if w.dialog != "" {
		l.followDialog(w, changes, l.join)
		return
	}
	for c := range changes {
		l.send(w.key, l.s.appendChangeData(nil, w.project, c)) // it may read a file
	}
}

// write calls f, which may put bytes into l.out, while no other watch does.
func (l *live) write(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	if l.out.flush() != nil {
		l.stop()
	}
}

// send sends one frame of a watch, which has no position.
func (l *live) send(key string, frame []byte) {
	l.write(func() { l.put(key, "", func(b []byte) []byte { return append(b, frame...) }) })
}

// put puts one frame of a watch into l.out. at is the position behind it, "" for none. The
// caller holds l.mu.
func (l *live) put(key, at string, frame func([]byte) []byte) {
	b := jsontext.AppendLine(append(l.out.buf, "event: live\ndata: {\"type\":\"live\",\"watch\":"...), key)
	if at != "" {
		b = jsontext.AppendLine(append(b, `,"at":`...), at)
	}
	l.out.buf = append(frame(append(b, `,"frame":`...)), "}\n\n"...)
}

// event sends one event of a dialog. A large one waits for its room, as in any stream.
func (l *live) event(key string, e *hub.Event) {
	l.write(func() {
		if size := framedSize(e); size > flushSize {
			l.out.flush()
			defer l.s.large.enter(l.ctx, l.out, size)()
		}
		at := ""
		if !placeless(e) {
			at = hub.Pos{Whole: e.Pos.Whole}.String()
		}
		l.put(key, at, func(b []byte) []byte { return AppendEvent(b, e, l.s.html) })
		if len(l.out.buf) >= flushSize {
			l.out.flush()
		}
	})
}

// placeless reports whether e has no position, as one that
// ends it since others wait: the client keeps the position that it has.
func placeless(e *hub.Event) bool { return e.Type == hub.ErrorEvent && e.Pos == hub.Pos{} }

// fail sends that what a watch names can't be followed.
func (l *live) fail(key string, err error) {
	if l.ctx.Err() != nil {
		return // the client has left
	}
	p := problemOf(err)
	if p.status >= 500 && caught.Of(err) == nil { // a panic is in the log already
		l.s.Log.Error("a watch of the live stream failed", "status", p.status, "id", p.id, "err", err)
	}
	l.send(key, AppendEvent(nil, &hub.Event{Type: hub.ErrorEvent, Message: p.detail, Code: p.status, Kind: "refused"}, nil))
}
