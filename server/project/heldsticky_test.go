package project

import (
	"os"
	"testing"

	"vibey/tools/layer"
)

// What a tried command gave the sticky bit can be released: it comes from .kept with that.
func TestHeldSticky(t *testing.T) {
	p, call := heldProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
		write(t, dir+"/a", "1")
		must(t, os.Chmod(dir+"/a", 0o644|os.ModeSticky))
	})
	inLayer, err := p.Hold(l, r, call)
	must(t, err)
	l, r, err = p.Held(t.Context(), r.Effect(), call, inLayer)
	must(t, err)
	barred, err := l.Barred(t.Context(), r.Changes, layer.Options{})
	must(t, err)
	if len(barred) > 0 {
		t.Errorf("%+v", barred)
	}
}
