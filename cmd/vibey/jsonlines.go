package main

import (
	"io"

	"vibey/server"
	"vibey/server/turn"
)

// teller returns what tells events: as text for people, or as JSON lines.
func (f jsonFlag) teller(w io.Writer, project string) func(turn.Event) {
	if !f.JSON {
		return (&teller{w: w, project: project}).tell
	}
	return func(e turn.Event) { w.Write(append(server.AppendEvent(nil, &e, nil), '\n')) }
}
