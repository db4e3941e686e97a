package project

import (
	"os"
	"testing"

	"vibey/tools/layer"
)

// A folder to which a human gave other permissions while a tried command did so, too, keeps
// those of the human, and is told as a conflict.
func TestHeldFolderChangedMeanwhile(t *testing.T) {
	p, call := heldProject(t)
	lay(t, p.path("deed"), map[string]string{"d/in": "1", "a": "1"})
	deed, err := p.DeedDir()
	must(t, err)
	l, err := layer.Make(layerDir(t, p, false), deed, layer.Copy)
	must(t, err)
	l.Begin()
	must(t, os.Chmod(l.Up()+"/d", 0o775))
	write(t, l.Up()+"/a", "2")
	must(t, os.Chmod(p.path("deed/d"), 0o700)) // the human
	r, err := l.Read(t.Context(), layer.Options{})
	must(t, err)
	_, err = p.Hold(l, r, call)
	must(t, err)
	done, err := applyHeld(t, p, r.Effect(), call)
	must(t, err)
	if got := shape(t, p.path("deed"))["d"]; got != "folder 700" || len(done.Conflicts) != 1 || done.Conflicts[0] != "deed/d" {
		t.Errorf("the human's folder is %s, conflicts %q", got, done.Conflicts)
	}
}
