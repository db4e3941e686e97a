package main

import (
	"vibey/server"
	"vibey/server/hub"
)

// teller returns what tells events: t, or JSON lines where those are wanted.
func (f jsonFlag) teller(t *teller) func(hub.Event) {
	if !f.JSON {
		return t.tell
	}
	return func(e hub.Event) { t.w.Write(append(server.AppendEvent(nil, &e, nil), '\n')) }
}
