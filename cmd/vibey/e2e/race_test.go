package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// TestManyHands lets several windows, and two servers on one folder, decide the
// same call at the same moment: it runs once, and every hand gets an answer.
func TestManyHands(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	p := newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "May I?", Calls: []providertest.Call{{ID: "c1", Name: "run_command", Args: `{"command":"echo ran >> deed/log; sleep 0.05"}`}}},
		{Text: "Thanks."}, {Text: "Thanks again."},
	}})
	hosts := []*host{serve(t, p), serve(t, p)}
	hosts[0].make("p")
	for round := range 5 {
		id := hosts[0].post(dialogPath, body{"provider": "claude", "prompt": "go"}).ends("tool_request").data.DialogID
		var reqs []*http.Request
		put := func(i int, send body) {
			reqs = append(reqs, hosts[i%2].request("PUT", dialogPath, send))
		}
		for i := range 6 {
			put(i, body{"dialogId": id, "control": "c1 approve"})
		}
		for i := range 2 {
			put(i, body{"dialogId": id, "continue": true})
		}
		var wg sync.WaitGroup
		for i, req := range reqs {
			wg.Go(func() {
				s, a := hosts[i%2].try(req)
				switch {
				case s != nil:
					s.drain()
				case a.status != 409 && a.status != 200:
					t.Errorf("status %d: %s", a.status, a.text)
				}
			})
		}
		wg.Wait()
		// The two that only go on may have been first, and all others told to wait.
		if hosts[0].look("p", id).Needs == "approval" {
			hosts[0].put(dialogPath, body{"dialogId": id, "control": "c1 approve"}).ends("done")
		}
		hosts[round%2].settle("p")
		if got := strings.Count(p.read("p", "deed", "log"), "ran\n"); got != round+1 {
			t.Fatalf("after %d dialogs the call ran %d times", round+1, got)
		}
		st := hosts[1].look("p", id)
		if st.Status != "waiting" || st.Needs != "reply" {
			t.Errorf("%s, needs %s: %s", st.Status, st.Needs, st.roles())
		}
		if n := strings.Count(st.roles(), "Note/started"); n != 1 {
			t.Errorf("%d starts: %s", n, st.roles())
		}
		if n := strings.Count(st.roles(), "Authorization"); n < 1 {
			t.Errorf("no Authorization: %s", st.roles())
		}
	}
	p.bodies("")
	p.checked()
}

// TestManyDialogs runs forty dialogs at once, each with its own text and tool.
func TestManyDialogs(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: strings.Repeat("word ", 40), Chunk: 5, DelayMS: 3, Calls: []providertest.Call{
			{ID: "c1", Name: "run_command", Args: `{"command":"echo ran >> deed/log"}`}}},
		{Text: strings.Repeat("more ", 10), Chunk: 5, DelayMS: 3},
	}}))
	h.make("p")
	const many = 40
	ids := make([]string, many)
	var wg sync.WaitGroup
	for i := range many {
		req := h.request("POST", dialogPath, body{"provider": providers[i%3], "model": "m", "prompt": "go", "slug": "same"})
		wg.Go(func() {
			s, a := h.try(req)
			if s == nil {
				t.Errorf("POST: %d %s", a.status, a.text)
				return
			}
			if f, ok := s.next(0); ok {
				ids[i] = f.data.DialogID
			}
			s.drain()
		})
	}
	wg.Wait()
	h.settle("p")
	distinct := map[string]bool{}
	for _, id := range ids {
		distinct[id] = true
		if s := h.put(dialogPath, body{"dialogId": id, "control": "c1 approve"}); s.ends("done").data.DialogID != id || s.text() != strings.Repeat("more ", 10) {
			t.Errorf("%s: %q", id, s.text())
		}
	}
	if len(distinct) != many || strings.Count(h.read("p", "deed", "log"), "ran\n") != many {
		t.Errorf("%d dialogs, %d runs", len(distinct), strings.Count(h.read("p", "deed", "log"), "ran\n"))
	}
	h.bodies("")
	h.checked()
}

// drain reads to the end; it may be called by any goroutine.
func (s *stream) drain() {
	for n := 0; ; n++ {
		if _, ok := s.next(n); !ok {
			return
		}
	}
}
