package project

import (
	"os"
	"slices"
	"testing"
)

// What a human put meanwhile into a folder that an effect removes would keep that folder, and is
// told before the effect is approved.
func TestWouldConflictInRemovedFolder(t *testing.T) {
	for what, meanwhile := range map[string]string{"another file": "d/sub/mine", "a file that goes": "d/sub/x"} {
		p, call := heldProject(t)
		lay(t, p.path("deed"), map[string]string{"d/sub/x": "1"})
		l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { must(t, os.RemoveAll(dir+"/d")) })
		_, err := p.Hold(l, r, call)
		must(t, err)
		write(t, p.path("deed/"+meanwhile), "mine")
		told, err := p.WouldConflict(r.Effect())
		must(t, err)
		done, err := applyHeld(t, p, r.Effect(), call)
		must(t, err)
		if !slices.Equal(told, done.Conflicts) {
			t.Errorf("%s: told before: %q, and then: %q", what, told, done.Conflicts)
		}
	}
}
