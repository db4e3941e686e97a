package project

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/tools/disk"
)

// flocked locks a file or folder as a command may that can only read it.
func flocked(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	must(t, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
}

// Whatever of a project a command locks, what a human does goes on.
func TestReaderHoldsNoLock(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	must(t, filepath.Walk(p.path("."), func(path string, _ os.FileInfo, err error) error {
		flocked(t, path)
		return err
	}))
	_, err := p.WriteFile("doc-a.md", "saved", "")
	must(t, err)
	f, err = p.OpenDialog(f.ID())
	must(t, err)
	must(t, f.Append(section(dialog.Note, 3, "next")))
	must(t, f.Close())
	other, err := p.NewDialog("another", then, header(dialog.Done), nil)
	must(t, err)
	must(t, other.Close())
	must(t, p.DeleteFile(other.Filename(), ""))
	l, err := p.LockAgent(f.ID())
	must(t, err)
	l.Release()
	must(t, p.store.Delete("game", func() error { return nil }))
}

// A lock that another program of ours keeps is waited for, not for ever, and the refusal
// says who has it. So is the lock of two servers with state dirs of their own.
func TestHeldLockIsTold(t *testing.T) {
	testenv.Slow(t)
	p := testProject(t)
	q := again(t, p)
	q.store.o.As = "vibey serve"
	unlock, err := q.lock()
	must(t, err)
	_, err = p.WriteFile("doc-a.md", "saved", "")
	if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), "another program (vibey serve, the server of a browser's window) is writing") || strings.Contains(err.Error(), p.store.path) {
		t.Errorf("%v", err)
	}
	unlock()
	_, err = p.WriteFile("doc-a.md", "saved", "")
	must(t, err)
	q.store.o.As = "vibey run"
	f := started(t, q)
	if _, err := p.OpenDialog(f.ID()); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "vibey run") {
		t.Errorf("%v", err)
	}
}

// A wait ends with its context, or after its time, and takes what is free by then.
func TestLockWaits(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		root, err := os.OpenRoot(dir)
		must(t, err)
		defer root.Close()
		l := disk.Locks{Dir: root}
		h, err := l.Try("x")
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), disk.LockWait/2)
		defer cancel()
		for _, ctx := range []context.Context{ctx, t.Context()} {
			if _, err := l.Wait(ctx, "x"); !errors.As(err, new(*disk.HeldError)) {
				t.Errorf("%v", err)
			}
		}
		go func() { <-ctx.Done(); h.Release() }()
		again, err := l.Wait(t.Context(), "x")
		must(t, err)
		again.Release()
	})
}

// Locks leave nothing: neither those that are given back, nor those of a killed program.
func TestLocksAreSwept(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	killed(f)
	l, err := p.LockAgent(f.ID())
	must(t, err)
	l.Release()
	p.store.Sweep()
	if names, err := os.ReadDir(filepath.Join(p.store.path, ".locks")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left: %v %v", names, err)
	}
}

// The folder of locks is for those who may write beside the projects, and no one else.
func TestLocksFolder(t *testing.T) {
	defer unix.Umask(unix.Umask(0o022))
	for perm, want := range map[os.FileMode]os.FileMode{0o755: 0o700, 0o700: 0o700, 0o775: 0o770, 0o777: 0o777} {
		dir := t.TempDir()
		must(t, os.Chmod(dir, perm))
		root, err := os.OpenRoot(dir)
		must(t, err)
		h, err := disk.Locks{Dir: root}.Try("x")
		must(t, err)
		h.Release()
		root.Close()
		if info, err := os.Stat(filepath.Join(dir, ".locks")); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v beside a folder of %v: %v", info.Mode(), perm, err)
		}
	}
}

// A server that starts beside another one's first looks into .locks, or two that read one
// dialog, keep none of them from repairing it: who looks holds a lock for a moment.
func TestWhoLooksHoldsNobodyUp(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	killed(f)
	file, err := os.Open(p.path(f.Filename()))
	must(t, err)
	defer file.Close()
	if disk.Taken(file) {
		t.Fatal("it is locked")
	}
	synctest.Test(t, func(t *testing.T) {
		sweeper, err := again(t, p).try(f.ID())
		must(t, err)
		go func() { time.Sleep(busyPause / 2); sweeper.Release() }()
		if d, err := p.ReadDialog(f.ID()); err != nil || d.Status != dialog.Waiting {
			t.Errorf("read as %s, %v", d.Status, err)
		}
		synctest.Wait()
	})
}

// Each program is named in words that are true of it; one that is none of ours, or that has
// a lock in whose file a killed one left its name, is not named as ours.
func TestHolderIsNamed(t *testing.T) {
	for by, want := range map[string]string{
		"vibey serve": "another program (vibey serve, the server of a browser's window)", "vibey run": "another program (vibey run, in a terminal)",
		"vibey acp": "another program (vibey acp, for an editor)", "vibey mcp": "another program (vibey mcp, for an agent that uses its tools)",
		"vibey approve": "another program (vibey approve or deny, in a terminal)", "vibey reading": "another program", "": "another program",
	} {
		root := t.TempDir()
		other, err := Open(root, Options{As: by})
		if err == nil {
			err = other.Create("p", "")
		}
		if err != nil {
			t.Fatal(err)
		}
		theirs, _ := other.Project("p")
		f, err := theirs.NewDialog("x", time.Now(), dialog.Header{Provider: "p", Model: "m", Status: dialog.Waiting}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := Open(root, Options{As: "vibey run"})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := ours.Project("p")
		if _, err := p.OpenDialog(f.ID()); !errors.Is(err, ErrBusy) || HolderOf(err) != want {
			t.Errorf("%q: %v", by, err)
		}
		if err := ours.Delete("p", func() error { return nil }); !errors.Is(err, ErrElsewhere) || !strings.Contains(err.Error(), want+" is writing the dialog "+f.ID()) {
			t.Errorf("%q: %v", by, err)
		}
		f.Close()
		ours.Close()
		other.Close()
	}
}
