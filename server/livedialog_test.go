package server

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"vibey/server/hub"
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
	last := l.play("0", &ended{[]hub.Event{{Type: hub.ErrorEvent, Kind: "slow", Message: "others wait"}}}, &hub.Pos{Whole: 700})
	if last == nil || last.Whole != 700 || strings.Contains(to.Body.String(), `"at"`) || !strings.Contains(to.Body.String(), "others wait") {
		t.Errorf("%v, %s", last, to.Body)
	}
}
