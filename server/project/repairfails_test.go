package project

import (
	"errors"
	"testing"

	"vibey/dialog"
)

// A repair that fails is told, and lets go of the lock: what could not be
// synced must not be built upon.
func TestRepairThatFailsIsTold(t *testing.T) {
	p := testProject(t)
	f, err := p.NewDialog("x", then, dialog.Header{Provider: "claude", Model: "m", Status: dialog.Active}, nil)
	must(t, err)
	id := f.ID()
	must(t, f.Close())
	broken := errors.New("the folder can't be synced")
	if _, err := again(t, p).openLocked(id, func() error { return broken }); !errors.Is(err, broken) {
		t.Fatalf("opened all the same: %v", err)
	}
	f, err = again(t, p).OpenDialog(id)
	must(t, err)
	must(t, f.Close())
}
