package main

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"
)

// TestWelcomeKeepsWalls: the runner that fills the welcome project ends, and leaves the walls
// of the program as they are: their lease, and the folder beside it that commands need. (With
// the folder gone, landlock was refused at a first start, and commands ran behind no walls.)
func TestWelcomeKeepsWalls(t *testing.T) {
	root, state := filepath.Join(t.TempDir(), "vibey"), t.TempDir()
	h, err := wire("serve", programFlags{dirFlag: dirFlag{Dir: root}, stateFlag: stateFlag{State: state}, modelFlags: modelFlags{Sandbox: "auto"}}, io.Discard, slog.LevelWarn)
	if err != nil {
		t.Fatal(err)
	}
	defer h.end()
	if err := h.welcome(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	if dialogs, _ := filepath.Glob(filepath.Join(root, "welcome", "dialog-*-waiting.md")); len(dialogs) != 1 {
		t.Fatalf("the welcome project was not made: %q", dialogs)
	}
	if folders, _ := filepath.Glob(filepath.Join(state, "commands", "*.d")); len(folders) != 1 {
		t.Errorf("beside the lease there are the folders %q, want one", folders)
	}
}
