package project

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"vibey/tools/layer"
)

// A command may leave folders that nobody can read; only root does not mind. They come into
// the deed as they are, with all that they hold.
func TestApplyDark(t *testing.T) {
	for k, ended := 0, true; ended; k++ {
		p := applyProject(t)
		l, r := ranIn(t, p, layerDir(t, p, k%2 == 1), func(t testing.TB, dir string) {
			must(t, os.MkdirAll(dir+"/d/e", 0o755))
			write(t, dir+"/d/x", "x")
			write(t, dir+"/d/e/y", "y")
			must(t, os.Chmod(dir+"/d/e", 0o300))
			must(t, os.Chmod(dir+"/d", 0))
		})
		var err error
		ended, err = killAt(p, k, func() error { _, err := p.Apply(t.Context(), l, r, callOne); return err })
		must(t, err)
		p = restarted(t, p)
		_, found, err := p.FinishApply(callOne)
		must(t, errors.Join(err, p.EndApply(callOne), (&layer.Layer{Dir: l.Dir}).Drop()))
		d := p.path("deed/d")
		if info, err := os.Lstat(d); found && (err != nil || info.Mode().Perm() != 0) {
			t.Errorf("step %d: %v, %v", k, info, err)
		}
		if !found {
			continue
		}
		must(t, os.Chmod(d, 0o755))
		if info, err := os.Lstat(d + "/e"); err != nil || fmt.Sprintf("%o", info.Mode().Perm()) != "300" {
			t.Errorf("step %d: %v, %v", k, info, err)
		}
		must(t, os.Chmod(d+"/e", 0o755))
		if read(t, d+"/x")+read(t, d+"/e/y") != "xy" {
			t.Error("its files")
		}
	}
}
