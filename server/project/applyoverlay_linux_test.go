package project

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
	"vibey/tools/layer"
)

// ranOver is ranIn with the kernel's overlay, which only root can mount.
func ranOver(t testing.TB, p *Project, dir string, does func(t testing.TB, dir string)) (l *layer.Layer, r *layer.Reading) {
	t.Helper()
	deed, err := p.DeedDir()
	must(t, err)
	l, err = layer.Make(dir, deed, layer.Overlay)
	must(t, err)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread() // and never unlocked: the thread ends with its mounts
		at := filepath.Join(filepath.Dir(dir), "seen")
		os.Mkdir(at, 0o755)
		err = unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS)
		if err == nil {
			err = unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			err = unix.Mount("overlay", at, "overlay", 0, fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr", deed, l.Up(), filepath.Join(dir, "work")))
		}
		if err == nil {
			l.Begin()
			does(t, at)
			err = unix.Unmount(at, 0)
		}
	}()
	<-ended
	if err != nil {
		t.Skipf("no overlay can be mounted here: %v", err)
	}
	r, err = l.Read(t.Context(), layer.Options{LinkOK: func(string, string) bool { return true }})
	must(t, err)
	return l, r
}

// What the kernel leaves in a layer for itself does not come into the deed.
func TestApplyOverlay(t *testing.T) {
	if os.Getuid() != 0 {
		testenv.Lacks(t, testenv.Root)
	}
	for name, c := range applyCases {
		t.Run(name, func(t *testing.T) {
			p := applyProject(t)
			lay(t, p.path("deed"), c.before)
			plain := t.TempDir()
			lay(t, plain, c.before)
			does := c.does
			if name == "renamed" {
				does = func(t testing.TB, dir string) { // as mv does it
					must(t, os.Mkdir(dir+"/Src", 0o755))
					must(t, os.Mkdir(dir+"/Src/b", 0o755))
					must(t, os.Rename(dir+"/src/a", dir+"/Src/a"))
					must(t, os.Rename(dir+"/src/b/c", dir+"/Src/b/c"))
					must(t, os.RemoveAll(dir+"/src"))
					must(t, os.Rename(dir+"/src-x", dir+"/src"))
				}
			}
			does(t, plain)
			l, r := ranOver(t, p, layerDir(t, p, false), does)
			done, err := p.Apply(t.Context(), l, r, callOne)
			must(t, err)
			must(t, p.EndApply(callOne))
			if len(done.Conflicts) != 0 {
				t.Errorf("%q", done.Conflicts)
			}
			sameShape(t, "deed", shape(t, p.path("deed")), shape(t, plain))
			var buf [1 << 10]byte
			for n := range shape(t, p.path("deed")) {
				if size, err := unix.Llistxattr(p.path("deed/"+n), buf[:]); err == nil && size > 0 {
					t.Errorf("%s has %q", n, buf[:size])
				}
			}
		})
	}
}
