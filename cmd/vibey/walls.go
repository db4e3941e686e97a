package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"vibey/client"
	"vibey/tools/caught"
	"vibey/tools/layer"
	"vibey/tools/sandbox"
)

// walls returns the runner of commands, with the sandbox level that the flag names or
// the strongest of this machine. Only a named level is waited for; otherwise the
// probe goes on in the background.
func walls(f modelFlags, log *slog.Logger, st *state, root string) (*sandbox.Runner, error) {
	c := sandbox.Config{
		Path: os.Getenv("PATH"), Getenv: os.Getenv, Hide: []string{root, st.dir}, Guard: caught.Guard(log),
		Leases: st.path("commands"), Standing: st.path(standing),
		Spares: 8, Deeds: func() []string { return deedsOf(root) },
	}
	switch f.Sandbox {
	case "auto":
		c.Levels = sandbox.Strongest()
	case string(sandbox.None), "": // a verb that runs no commands has no such flag
	default:
		c.Levels = []sandbox.Level{sandbox.Level(f.Sandbox)}
	}
	switch f.Layers {
	case "auto":
		c.Layers = []layer.By{layer.Overlay, layer.Copy}
	case "off", "":
	default:
		c.Layers = []layer.By{layer.By(f.Layers)}
	}
	box := sandbox.Probe(c)
	named := len(c.Levels) == 1
	if named && box.Level() == sandbox.None {
		box.End()
		return nil, fmt.Errorf("--sandbox %s: this machine can't have it: %s. Nothing was started; leave the flag out to take the strongest that there is", f.Sandbox, strings.Join(box.Missing(), "; "))
	}
	if len(c.Layers) == 1 && box.LayersBy() == "" {
		err := box.LayersErr()
		box.End()
		return nil, fmt.Errorf("--layers %s: this machine can't have it: %w. Nothing was started; leave the flag out to take what there is", f.Layers, cmp.Or(err, errNoWalls))
	}
	if f.ApproveInFiles && box.Level() == sandbox.None {
		box.End()
		return nil, fmt.Errorf("--approve-in-files is refused: commands are not sandboxed here, so that one could write its own approval")
	}
	return box, nil
}

// errNoWalls is why there are no layers where nobody tried one.
var errNoWalls = errors.New("commands don't run in bubblewrap here")

// deedsOf returns the deeds of all projects in a folder.
func deedsOf(root string) (deeds []string) {
	root, _ = filepath.Abs(root)
	projects, _ := os.ReadDir(root) // where there is none there are no projects yet
	for _, p := range projects {
		deeds = append(deeds, filepath.Join(root, p.Name(), "deed"))
	}
	return deeds
}

// wallWords describes one sandbox level, and its network while it is closed, once a
// dialog's `allow network` opens it, and where the call asks for it itself.
type wallWords struct{ Walls, Closed, Open, Asked string }

// wallTable reads the table of words, once. The window has the same one.
var wallTable = sync.OnceValue(func() map[sandbox.Level]wallWords {
	var file struct{ Levels map[sandbox.Level]wallWords }
	if err := json.Unmarshal(client.SandboxWords, &file); err != nil {
		panic(err)
	}
	return file.Levels
})

// aroundCommands returns the description of a sandbox level, for a dialog that has the
// network or not, and a call that asks for it or not.
func aroundCommands(level sandbox.Level, network, asked bool) string {
	w, ok := wallTable()[level]
	if !ok {
		w = wallTable()["unknown"]
	}
	more := w.Closed
	switch {
	case network:
		more = w.Open
	case asked:
		more = w.Asked
	}
	if more == "" {
		return w.Walls
	}
	return w.Walls + " " + more
}
