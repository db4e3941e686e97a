package project

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// asOwner does something without the right to pass over permissions, that root has.
func asOwner(t *testing.T, do func()) {
	t.Helper()
	var err error
	ended := make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread() // and never unlocked: the thread ends without its rights
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var caps [2]unix.CapUserData
		if err = unix.Capget(&head, &caps[0]); err == nil {
			caps[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
			err = unix.Capset(&head, &caps[0])
		}
		if err == nil {
			do()
		}
	}()
	<-ended
	must(t, err)
}

// A command may leave a folder of the deed that nobody may enter, and a file that nobody may
// read: what it wrote there comes into the deed, and a kill behind that keeps no dialog.
func TestApplyUnreadable(t *testing.T) {
	if os.Getuid() != 0 { // to look at what nobody may read
		testenv.Lacks(t, testenv.Root)
	}
	for what, c := range map[string]applyCase{
		"new time": {map[string]string{"d/a": "1", "d/b": "1"}, func(t testing.TB, dir string) {
			touchMtime(t, dir+"/d/a")
			must(t, os.Chmod(dir+"/d", 0))
		}},
		"new file": {map[string]string{"d/a": "1"}, func(t testing.TB, dir string) {
			write(t, dir+"/d/new", "n")
			must(t, os.Remove(dir+"/d/a"))
			must(t, os.Chmod(dir+"/d", 0))
		}},
		"dark file": {map[string]string{"a": "1"}, func(t testing.TB, dir string) {
			write(t, dir+"/new", "n")
			must(t, os.Chmod(dir+"/new", 0))
		}},
	} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprint(what, elsewhere), func(t *testing.T) {
				p := applyProject(t)
				lay(t, p.path("deed"), c.before)
				l, r := ranIn(t, p, layerDir(t, p, elsewhere), c.does)
				want := shape(t, l.Up())
				asOwner(t, func() {
					_, err := p.Apply(t.Context(), l, r, callOne)
					if err != nil {
						t.Error(err)
					}
					again := restarted(t, p) // a kill before the result was written
					_, _, err = again.FinishApply(callOne)
					if err != nil {
						t.Error("again:", err)
					}
				})
				must(t, p.EndApply(callOne))
				sameShape(t, "deed", shape(t, p.path("deed")), want)
				os.Chmod(p.path("deed/d"), 0o755)
			})
		}
	}
}

func touchMtime(t testing.TB, at string) {
	t.Helper()
	info, err := os.Stat(at)
	must(t, err)
	must(t, os.Chtimes(at, info.ModTime().Add(-1e12), info.ModTime().Add(-1e12)))
}
