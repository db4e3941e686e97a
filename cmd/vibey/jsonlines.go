package main

import (
	"vibey/server"
	"vibey/server/turn"
)

// teller returns what tells events: t, or JSON lines where those are wanted.
func (f jsonFlag) teller(t *teller) func(turn.Event) {
	if !f.JSON {
		return t.tell
	}
	return func(e turn.Event) { t.w.Write(append(server.AppendEvent(nil, &e, nil), '\n')) }
}
