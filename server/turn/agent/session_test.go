package agent

import (
	"strconv"
	"testing"
	"time"

	"vibey/server/hub"
)

// Calls that are over make room for others; one that is under way is never forgotten.
func TestCallsAreKeptInMind(t *testing.T) {
	s := &session{calls: map[string]*toolCall{}}
	for i := range callsMost {
		s.calls[strconv.Itoa(i)] = &toolCall{over: i > 0}
	}
	if !s.room("new") || len(s.calls) != 1 || s.calls["0"] == nil {
		t.Errorf("%d calls are kept in mind", len(s.calls))
	}
	for i := range callsMost {
		s.calls[strconv.Itoa(i)] = &toolCall{}
	}
	if s.room("new") || !s.room("7") {
		t.Error("there is room, or none for a call that is known")
	}
}

// Of each time that a turn awaits what runs, one request ends it, and none breaks it.
func TestYieldAgain(t *testing.T) {
	a := New(Config{})
	s := &session{key: hub.Key{Project: "p", Dialog: "x"}}
	a.running[s.key] = s
	for range 2 {
		ended := 0
		a.setYield(s, func() { ended++ })
		if !a.Yield(s.key) || a.Yield(s.key) || ended != 1 {
			t.Errorf("ended %d times", ended)
		}
	}
}

// EndAll claims each agent that no turn has, and waits for its end.
func TestEndAll(t *testing.T) {
	a := New(Config{})
	reached := make(chan struct{})
	s := &session{over: make(chan struct{}), terms: []*terminal{{cancel: func() { close(reached); select {} }}}}
	a.running[s.key] = s
	returned := make(chan struct{})
	go func() {
		a.EndAll(nil)
		close(returned)
	}()
	<-reached
	select {
	case <-returned:
		t.Error("it did not wait")
	case <-time.After(10 * time.Millisecond):
	}
	if !s.claimed {
		t.Error("another could claim it")
	}
}
