package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestNamedByGit: what a human's config lets git run in the work tree is not for a
// file tool, whatever else it may write there.
func TestNamedByGit(t *testing.T) {
	w := newWorld(t)
	for _, dir := range []string{"deed/.git", "deed/sub/.git", "deed/.githooks"} {
		if err := os.MkdirAll(w.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const config = "[core] sshCommand = ssh -o \"a b\"\n[core]\n\thooksPath = .githooks # ours\n[include]path=../more.ini\n"
	w.put("deed/.git/config", config)
	w.put("deed/sub/.git/config", config)
	w.put("deed/more.ini", "[include]\n\tpath = most\n")
	w.put("deed/.githooks/README", "")
	for path, refused := range map[string]bool{
		"deed/.githooks/pre-commit": true, "deed/sub/.githooks/pre-push": true, "deed/more.ini": true, "deed/most": true, "deed/.githooks": true,
		"deed/.githooks/notes.txt": false, "deed/other/more.ini": false, "deed/githooks/pre-commit": false, "deed/sub/most": false,
	} {
		r, m := w.call("write_file", "path", path, "content", "x\n")
		if r.Success == refused || refused && path != "deed/.githooks" && !strings.Contains(fmt.Sprint(m), "only a human may change it") {
			t.Errorf("%s: %s", path, fmt.Sprint(m))
		}
	}
}

// TestNamedByGitBehindLinks: a file is the same by every path that leads to it.
func TestNamedByGitBehindLinks(t *testing.T) {
	w := newWorld(t)
	for _, dir := range []string{"deed/.git/hooks", "deed/real", "deed/hooks", "deed/other/.git", "deed/.git/worktrees/y", "deed/y/.h"} {
		if err := os.MkdirAll(w.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.put("deed/.git/config", "[include]\n\tpath = ../alias/more\n[core]\n\thooksPath = .h\n")
	w.put("deed/real/more", "[include]\n\tpath = most\n")
	w.put("deed/other/.git/config", "[include]\n\tpath = ../../shared\n")
	w.put("deed/y/.git", "gitdir: ../.git/worktrees/y\n")
	w.put("deed/.git/worktrees/y/commondir", "../..\n")
	for at, to := range map[string]string{"deed/alias": "real", "deed/again": "alias", "deed/.git/hooks/pre-commit": "../../hooks/check"} {
		if err := os.Symlink(to, w.path(at)); err != nil {
			t.Fatal(err)
		}
	}
	for path, refused := range map[string]bool{
		"deed/real/more": true, "deed/alias/more": true, "deed/again/more": true, "deed/real/most": true, "deed/hooks/check": true, "deed/shared": true, "deed/y/.h/pre-commit": true,
		"deed/real/other": false, "deed/hooks/other": false, "deed/y/other": false,
	} {
		r, m := w.call("write_file", "path", path, "content", "x\n")
		if r.Success == refused || refused && !strings.Contains(fmt.Sprint(m), "only a human may change it") {
			t.Errorf("%s: %s", path, fmt.Sprint(m))
		}
	}
}
