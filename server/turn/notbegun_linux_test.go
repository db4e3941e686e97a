package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
)

// leavesNothing starts a dialog, which must fail with want, and holds that none is left.
func (w *world) leavesNothing(want error) {
	w.t.Helper()
	_, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "y", Prompt: &Prompt{Text: "go"}})
	if !errors.Is(err, want) {
		w.t.Errorf("a start: %v, want %v", err, want)
	}
	names, err := filepath.Glob(filepath.Join(w.dir, "root", "p", "*dialog-*"))
	if err != nil || len(names) > 0 {
		w.t.Errorf("left: %v, %v", names, err)
	}
}

// A POST that is refused leaves no dialog: nobody knows of it, and it would stand in the
// list as a draft without a word.
func TestStartThatIsRefusedLeavesNothing(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("hello")}})
	if err := w.run.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.leavesNothing(ErrStopping)

	w = newWorld(t, &script{answers: [][]provider.Event{text("hello")}})
	dir := filepath.Join(w.dir, "root", "p")
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		testenv.Lacks(t, testenv.Root)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	filler.Close()
	if err := os.Truncate(filler.Name(), 48<<10); err != nil { // room for a head, and for no prompt
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "more"), make([]byte, 12<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	w.leavesNothing(syscall.ENOSPC)
	if err := errors.Join(os.Remove(filler.Name()), os.Remove(filepath.Join(dir, "more"))); err != nil {
		t.Fatal(err)
	}
	if id, _ := w.start("go"); w.view(id).Needs != dialog.NeedsReply {
		t.Error("with room it does not begin")
	}
}
