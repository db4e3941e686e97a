package server

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vibey/server/hub"
	"vibey/server/project"
)

// ended is a source that has one batch.
type ended struct{ batch []hub.Event }

func (e *ended) Next(context.Context) ([]hub.Event, bool) {
	batch := e.batch
	e.batch = nil
	return batch, batch != nil
}

func (*ended) Close() {}

// A stream that ends since others wait is joined again where it was: an event without a
// position is not the dialog's beginning.
func TestLiveKeepsItsPlace(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	to := httptest.NewRecorder()
	l := &live{s: &server{}, ctx: ctx, stop: stop, out: openStream(to)}
	w := &watch{key: "0", dialog: "d", last: &hub.Pos{Whole: 700}}
	cut, told := l.play(w, &ended{[]hub.Event{{Type: hub.ErrorEvent, Kind: "slow", Message: "others wait"}}})
	if last := w.last; !cut || told || last == nil || last.Whole != 700 || strings.Contains(to.Body.String(), `"at"`) || !strings.Contains(to.Body.String(), "others wait") {
		t.Errorf("%v, %v, %s", cut, w.last, to.Body)
	}
}

// A dialog whose stream was cut off is joined again though its file does not change.
func TestLiveComesBackByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l := &live{s: &server{}, ctx: ctx, stop: stop}
		begin := time.Now()
		if !l.changed("d", make(chan project.Change), true, againFirst) || time.Since(begin) != againFirst {
			t.Errorf("after %v", time.Since(begin))
		}
	})
}

// A dialog that is cut off again and again is joined less often, until it has told something.
func TestLiveComesBackSoonAfterMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l := &live{s: &server{}, ctx: ctx, stop: stop, out: openStream(httptest.NewRecorder())}
		var pauses []time.Duration
		last := time.Now()
		l.followDialog(&watch{key: "0", dialog: "d"}, make(chan project.Change), func(*watch) (source, error) {
			pauses, last = append(pauses, time.Since(last)), time.Now()
			batch := []hub.Event{{Type: hub.ErrorEvent, Kind: "slow"}}
			switch len(pauses) {
			case 4:
				batch = append([]hub.Event{{Type: hub.DoneEvent, Pos: hub.Pos{Whole: 9}}}, batch...)
			case 6:
				stop()
			}
			return &ended{batch}, nil
		})
		if want := []time.Duration{0, againFirst, 2 * againFirst, 4 * againFirst, againFirst, 2 * againFirst}; !slices.Equal(pauses, want) {
			t.Errorf("joined after %v, want %v", pauses, want)
		}
	})
}

// A panic is told in the watch that it ends, and the watch goes on.
func TestLivePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		to, log := httptest.NewRecorder(), &strings.Builder{}
		s := &server{}
		s.Log = slog.New(slog.NewTextHandler(log, nil))
		l := &live{s: s, ctx: ctx, stop: stop, out: openStream(to)}
		times := 0
		l.guarded("k", "a watch", func() {
			if times++; times < 3 {
				panic("boom")
			}
		})
		if times != 3 || strings.Count(to.Body.String(), `"watch":"k","frame":{"type":"error"`) != 2 || !strings.Contains(to.Body.String(), `"kind":"refused"`) || strings.Count(log.String(), "boom") < 2 {
			t.Errorf("%d times: %s\n%s", times, to.Body, log)
		}
	})
}
