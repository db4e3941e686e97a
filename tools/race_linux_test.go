package tools

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// TestRaces exchanges a folder for a link as fast as the kernel can, in one
// step each, while paths are led through it. Whatever the moment: what is found
// lies in that folder, or nothing is found.
func TestRaces(t *testing.T) {
	testenv.Slow(t)
	for _, to := range []string{"$OUT", "../..", ".git", ".git/hooks", "../../outside"} {
		t.Run(to, func(t *testing.T) {
			w, out := trap(t)
			if to == "$OUT" {
				to = out
			}
			w.mkdir("deed/swap")
			w.link(to, "deed/other")
			folder, err := os.Stat(w.path("deed/swap"))
			if err != nil {
				t.Fatal(err)
			}
			defer exchange(w.path("deed/swap"), w.path("deed/other"))()
			found := 0
			for range 10_000 {
				p, err := find(w.env, "deed/swap/config", false)
				if err != nil {
					continue
				}
				found++
				if at, err := p.dir.Stat("."); err != nil || !os.SameFile(at, folder) || p.name != "deed/swap/config" {
					t.Fatalf("led elsewhere: %s, %v", p.name, err)
				}
				p.close()
			}
			if found == 0 || found == 10_000 {
				t.Errorf("found %d of 10000: no race was run", found)
			}
		})
	}
}

// TestRacesOfWrites is the same with whole calls: nothing outside changes, nor
// git's files.
func TestRacesOfWrites(t *testing.T) {
	w, out := trap(t)
	w.mkdir("deed/swap")
	w.link(".git", "deed/other")
	outside, git := fingerprint(t, out), fingerprint(t, w.path("deed/.git"))
	stop := exchange(w.path("deed/swap"), w.path("deed/other"))
	for range 100 {
		w.set.Call(t.Context(), w.env, "write_file", arguments("path", "deed/swap/config", "content", "taken"))
		w.set.Call(t.Context(), w.env, "write_file", arguments("path", "deed/swap/new/file", "content", "taken"))
	}
	stop()
	if fingerprint(t, out) != outside {
		t.Error("something outside changed")
	}
	if fingerprint(t, w.path("deed/.git")) != git {
		t.Error("git's files changed")
	}
}

// exchange swaps two names all the time, until the function it returns is called.
func exchange(a, b string) (stop func()) {
	halt, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-halt:
				return
			default:
				unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
	}()
	return func() { close(halt); <-done }
}
