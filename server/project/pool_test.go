package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// Projects that were listed keep no descriptors but those of a bounded number, and are
// used as before; one that lent its os.Root stays open.
func TestProjectsLeaveDescriptors(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const n = 100
	name := func(i int) string { return fmt.Sprint("p", i) }
	var lent *os.Root
	for i := range n {
		if err := s.Create(name(i), ""); err != nil {
			t.Fatal(err)
		}
		p, err := s.Project(name(i))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			lent = p.Root()
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range n {
				p, err := s.Project(name(i))
				if err == nil {
					_, _, err = p.Needs()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if open := openBelow(t, s.path); open > 2*folder.MaxOpen+8 {
		t.Errorf("%d descriptors are open after %d projects were listed", open, n)
	}
	first, err := s.Project(name(0))
	if err != nil {
		t.Fatal(err)
	}
	if first.Root() != lent {
		t.Error("the project's os.Root is another one")
	}
	if _, err := lent.Stat(MainDoc); err != nil {
		t.Error(err)
	}
}

// A turn goes on in a project whose folder was closed meanwhile; where its name has
// another folder by now, nothing is written there.
func TestFolderIsOpenedAgain(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Create("a", ""); err != nil {
		t.Fatal(err)
	}
	p, err := s.Project("a")
	if err != nil {
		t.Fatal(err)
	}
	rest := func() {
		t.Helper()
		for range 2 {
			if p.dir.Rest() {
				return
			}
		}
		t.Fatal("the folder is still open")
	}
	f := started(t, p)
	defer f.Close()
	rest()
	if err := f.Append(section(dialog.User, 7, "go on")); err != nil {
		t.Fatal(err)
	}
	rest()
	if err := os.Rename(s.path+"/a", s.path+"/b"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.path+"/a", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.DocNames(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the other folder is listed: %v", err)
	}
	if err := p.MakeDeed(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the other folder is written: %v", err)
	}
	if _, err := p.Root().Stat("."); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the os.Root of a folder that is gone: %v", err)
	}
}

// openBelow counts this process's descriptors of what lies at or below a path.
func openBelow(t *testing.T, path string) (n int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, path) {
			n++
		}
	}
	return n
}
