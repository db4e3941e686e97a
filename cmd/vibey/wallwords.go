package main

import (
	"encoding/json"
	"sync"

	"vibey/client"
	"vibey/tools/sandbox"
)

// wallWords is what stands around a command at one level, in words, and its
// network where it is closed and where a dialog's `allow network` opens it.
type wallWords struct{ Walls, Closed, Open string }

// wallTable reads the table of words, once. The window has the same one.
var wallTable = sync.OnceValue(func() map[sandbox.Level]wallWords {
	var file struct{ Levels map[sandbox.Level]wallWords }
	if err := json.Unmarshal(client.SandboxWords, &file); err != nil {
		panic(err)
	}
	return file.Levels
})

// aroundCommands says what stands around a command at a level.
func aroundCommands(level sandbox.Level, network bool) string {
	w, ok := wallTable()[level]
	if !ok {
		w = wallTable()["unknown"]
	}
	more := w.Closed
	if network {
		more = w.Open
	}
	if more == "" {
		return w.Walls
	}
	return w.Walls + " " + more
}
