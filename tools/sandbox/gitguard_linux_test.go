package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// guardGround is a deed of an unprivileged user with a human's hook in it, and
// guards whose record stands in dir. What runs on this goroutine is that user's.
type guardGround struct {
	ground
	guards *guards
}

func newGuardGround(t *testing.T) guardGround {
	t.Helper()
	dir, err := os.MkdirTemp("", "guard-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := guardGround{ground{t, dir, filepath.Join(dir, "deed")}, &guards{dir: filepath.Join(dir, "standing")}}
	if err := os.Mkdir(g.deed, 0o755); err != nil {
		t.Fatal(err)
	}
	g.sh("git init -q x; echo first > x/.git/hooks/pre-commit; git -C x config alias.a '!a'")
	return g
}

// asAnother makes the ground another user's, and this thread that user.
func (g guardGround) asAnother() {
	if os.Geteuid() != 0 {
		return
	}
	g.t.Helper()
	if g.guards.dir != "" {
		os.MkdirAll(g.guards.dir, 0o700)
		if top := filepath.Dir(filepath.Dir(g.guards.dir)); top != filepath.Clean(os.TempDir()) {
			os.Chmod(top, 0o755)
		}
		os.Chmod(filepath.Dir(g.guards.dir), 0o755)
		os.Chown(g.guards.dir, otherUser, otherUser)
	}
	filepath.Walk(g.dir, func(name string, _ os.FileInfo, _ error) error { return os.Lchown(name, otherUser, otherUser) })
	runtime.LockOSThread()
	set := func(user int) { unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(user), ^uintptr(0)) }
	set(otherUser)
	g.t.Cleanup(func() {
		set(0)
		runtime.UnlockOSThread()
	})
}

func (g guardGround) enter() *guarded {
	g.t.Helper()
	c, err := g.guards.enter(g.t.Context(), Spec{Deed: g.deed})
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

// records are those that are owed.
func (g guardGround) records() []string { return owedRecords(g.guards.dir) }

const hookAt = "x/.git/hooks/pre-commit"

func (g guardGround) writeHook(text string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.deed, hookAt), []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// TestGuardsClosedDeed: a command that closes the deed for its owner hides nothing.
func TestGuardsClosedDeed(t *testing.T) {
	for _, mode := range []os.FileMode{0o111, 0o600, 0} {
		t.Run(mode.String(), func(t *testing.T) {
			g := newGuardGround(t)
			g.asAnother()
			c := g.enter()
			g.writeHook("evil\n")
			os.Chmod(g.deed, mode)
			notes := strings.Join(c.leave(), " ")
			if g.read(hookAt) != "first\n" || !strings.Contains(notes, hookAt+": put back") {
				t.Errorf("the hook is %q, told %q", g.read(hookAt), notes)
			}
		})
	}
}

// TestGuardsOwe: what can't be looked at is told, and undone by the next command.
func TestGuardsOwe(t *testing.T) {
	t.Run("in a file", func(t *testing.T) { owe(t, true) })
	t.Run("in memory", func(t *testing.T) { owe(t, false) })
}

func owe(t *testing.T, file bool) {
	g := newGuardGround(t)
	above := filepath.Dir(g.deed)
	if g.guards.dir = t.TempDir(); !file {
		g.guards.dir = ""
	}
	g.asAnother()
	c := g.enter()
	g.writeHook("evil\n")
	if err := os.Chmod(above, 0); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(c.leave(), " ")
	if !strings.Contains(notes, "could not be looked at") {
		t.Errorf("told %q", notes)
	}
	if _, err := g.guards.enter(t.Context(), Spec{Deed: g.deed}); err == nil {
		t.Error("a command may run in a deed that can't be looked at")
	}
	os.Chmod(above, 0o755)
	if file && len(g.records()) != 1 {
		t.Errorf("kept: %q", g.records())
	}
	notes = strings.Join(g.enter().leave(), " ")
	if g.read(hookAt) != "first\n" || !strings.Contains(notes, "put back") || len(g.records()) > 0 {
		t.Errorf("the hook is %q, told %q, kept %q", g.read(hookAt), notes, g.records())
	}
}

// TestGuardsFullDisk: what a human had is not lost where it can't be put back.
func TestGuardsFullDisk(t *testing.T) {
	g := newGuardGround(t)
	if err := unix.Mount("tmpfs", g.deed, "tmpfs", 0, "size=1m"); err != nil {
		testenv.Lacks(t, testenv.Root)
	}
	defer unix.Unmount(g.deed, unix.MNT_DETACH)
	g.sh("git init -q --template= x; mkdir x/.git/hooks")
	human := strings.Repeat("a human's\n", 2000)
	g.writeHook(human)
	c := g.enter()
	g.sh("echo evil > x/.git/hooks/pre-commit; cat /dev/zero > fill; cat /dev/zero >> fill")
	c.guard.keeper.humans = true // as while a server runs
	c.guard.checkOnce(t.Context())
	notes := strings.Join(c.leave(), " ")
	if g.read(hookAt) != "(none)" || !strings.Contains(notes, "could not be disarmed or put back") || strings.Contains(notes, "looked at whole") || len(g.records()) != 1 {
		t.Errorf("the hook is %.20q, told %q, kept %q", g.read(hookAt), notes, g.records())
	}
	g.sh("rm fill")
	recoverGit(t.Context(), g.guards.dir, gitHuman{})
	if g.read(hookAt) != human || g.read(hookAt+disarmed) != "evil\n" || len(g.records()) > 0 {
		t.Errorf("the hook is %.20q, beside it stands %q, kept %q", g.read(hookAt), g.read(hookAt+disarmed), g.records())
	}
}

// TestGuardsRecordFirst: without a whole record no command ran, so that what stands
// there is a human's.
func TestGuardsRecordFirst(t *testing.T) {
	for _, text := range []string{"", `{"deed":"/`} {
		for _, start := range []bool{true, false} {
			g := newGuardGround(t)
			os.Mkdir(g.guards.dir, 0o700)
			os.WriteFile(keptName(g.guards.dir, g.deed), []byte(text), 0o600)
			if start {
				if undone := recoverGit(t.Context(), g.guards.dir, gitHuman{}); len(undone) > 0 {
					t.Errorf("undone: %q", undone)
				}
			} else if notes := g.enter().leave(); len(notes) > 0 {
				t.Errorf("told %q", notes)
			}
			if g.read(hookAt) != "first\n" || len(g.records()) > 0 {
				t.Errorf("the hook is %q, kept %q", g.read(hookAt), g.records())
			}
		}
	}
	g := newGuardGround(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := g.guards.enter(ended, Spec{Deed: g.deed}); !errors.Is(err, context.Canceled) || len(g.records()) > 0 {
		t.Errorf("%v, kept %q", err, g.records())
	}
	os.WriteFile(g.guards.dir, nil, 0o600) // a file in its place: it can't be written
	if _, err := g.guards.enter(t.Context(), Spec{Deed: g.deed}); err == nil || !strings.Contains(err.Error(), "could not be written down") && !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("without a record: %v", err)
	}
}

// TestGuardsOtherFolder: a record is of one folder, not of all that come to stand
// at its path.
func TestGuardsOtherFolder(t *testing.T) {
	testenv.Slow(t)
	for _, how := range []string{"start", "next", "end"} {
		g := newGuardGround(t)
		c := g.enter()
		g.sh("mv ../deed ../old; mkdir ../deed; cd ../deed; git init -q x; echo another > x/.git/hooks/pre-commit; git -C x config alias.b '!b'")
		told := ""
		if how == "end" {
			told = strings.Join(c.leave(), " ")
		} else {
			c.guard.kept.file.Close() // as the kernel does
			next := &guards{dir: g.guards.dir}
			if how == "start" {
				told = strings.Join(recoverGit(t.Context(), next.dir, gitHuman{}), " ")
			} else if c, err := next.enter(t.Context(), Spec{Deed: g.deed}); err != nil {
				t.Error(err)
			} else {
				told = strings.Join(c.leave(), " ")
			}
		}
		if g.read(hookAt) != "another\n" || !strings.Contains(g.read("x/.git/config"), "!b") || !strings.Contains(told, "another folder") || len(g.records()) > 0 {
			t.Errorf("%s: the hook is %q, told %q, kept %q", how, g.read(hookAt), told, g.records())
		}
	}
}

// TestGitLookFails: what can't be looked at is an error, not a folder without git.
func TestGitLookFails(t *testing.T) {
	g := newGuardGround(t)
	v, err := newGitKeeper(g.deed).visit(t.Context())
	if err != nil || v.blind != nil {
		t.Fatal(err, v.blind)
	}
	v.at.Close()
	v.gitKeeper.top = nil
	if v.find(t.Context()); v.blind == nil {
		t.Error("an unreadable folder is none")
	}
	v.blind = nil
	if v.reaches("x"); v.blind == nil {
		t.Error("an unreadable path leads nowhere")
	}
	if _, _, err := v.readAgain("x/.git/config", roleConfig, nil); err == nil {
		t.Error("an unreadable config is none")
	}
	v.root.Close()
	for _, e := range []error{unix.EMFILE, unix.ENFILE, unix.EIO, unix.ENOMEM, unix.ESTALE, unix.EBADF} {
		if absent(e) {
			t.Errorf("%v says that nothing stands there", e)
		}
	}
}

// TestGitFolders: a deed with more folders than can be looked at is refused, and
// what a look finds before that is disarmed.
func TestGitFolders(t *testing.T) {
	g := newGuardGround(t)
	c := g.enter()
	c.guard.keeper.folders = 100
	g.writeHook("evil\n")
	g.sh("mkdir $(seq 200)")
	if notes := strings.Join(c.leave(), " "); !strings.Contains(notes, "too many to look for") {
		t.Errorf("told %q", notes)
	}
	if _, err := g.guards.enter(t.Context(), Spec{Deed: g.deed}); !errors.Is(err, errFolders) {
		t.Errorf("the next command: %v", err)
	}
	g.sh("rmdir $(seq 200)")
	g.enter().leave()
	if g.read(hookAt) != "first\n" {
		t.Errorf("the hook is %q", g.read(hookAt))
	}
}

// TestGuardsSpareAHuman: a human goes on using git while a server runs, and is
// undone, or taken for the server, only where git would run more than before.
func TestGuardsSpareAHuman(t *testing.T) {
	testenv.Slow(t)
	for _, at := range []string{".", "n"} {
		for _, odd := range []string{"", "[core]\n\tsshCommand = ssh -o \"x y\"\n[core] notesRef = refs/notes/x\n"} {
			g := newGuardGround(t)
			g.sh("git init -q --bare ../out; mkdir -p " + at + "; cd " + at + `; git init -q; git commit -q --allow-empty -m x; git checkout -q -b work
				printf '#!/bin/sh\ntrue\n' | tee .git/hooks/pre-push > .git/hooks/pre-commit; git remote add local "$PWD/../../out"; git config alias.a '!a'`)
			config := filepath.Join(g.deed, at, ".git/config")
			f, err := os.OpenFile(config, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteString(odd)
			f.Close()
			k := newGitKeeper(g.deed)
			k.humans = true
			before := g.look(k)
			g.sh("cd " + at + `; git remote add origin git@example.org:x; git config branch.work.remote local; git config branch.work.merge refs/heads/work
				git checkout -q -b second; git config branch.second.remote origin; git branch -D work; rm .git/hooks/pre-commit`)
			want := g.read(filepath.Join(at, ".git/config"))
			if told := g.disarm(k, before); told != "" {
				t.Errorf("%s, %q: told %q", at, odd, told)
			}
			if got := g.read(filepath.Join(at, ".git/config")); got != want || g.read(filepath.Join(at, ".git/hooks/pre-commit")) != "(none)" {
				t.Errorf("%s, %q: the config is %q", at, odd, got)
			}
			g.sh("cd " + at + "; git config branch.second.remote ../evil")
			if told := g.disarm(k, before); !strings.Contains(told, ".git/config: put back") {
				t.Errorf("a branch on a folder: told %q", told)
			}
		}
	}
	c := &guarded{shielded: true}
	for u, blamed := range map[string]bool{
		".git/hooks/pre-commit: x": false, ".git/config: x": false, ".git: x": false, "a/.git/config: .git/config: x": true, ".git/modules/x/config: x": true, ".git/hooks2/x: x": true,
	} {
		if c.blamed([]string{u}) != blamed || !(&guarded{}).blamed([]string{u}) {
			t.Errorf("%s: blamed %v", u, !blamed)
		}
	}
}

// TestGuardsStart: what a killed program's command left running is ended before
// what it planted is undone, else it could plant that again.
func TestGuardsStart(t *testing.T) {
	g := newGuardGround(t)
	c := g.enter()
	g.writeHook("evil\n")
	c.guard.kept.file.Close() // as the kernel does
	dead, leases := mark{program: 0x1abcdee}, t.TempDir()
	survivor := bystander(t)
	if !dead.put(survivor.Process.Pid) {
		t.Fatal("the mark can't be put")
	}
	if err := os.WriteFile(fmt.Sprintf("%s/%08x", leases, dead.program), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	undone := Probe(Config{Leases: leases, Standing: g.guards.dir}).Undone()
	if alive(survivor.Process.Pid) || len(undone) != 1 || g.read(hookAt) != "first\n" {
		t.Errorf("undone: %q; alive %v, the hook is %q", undone, alive(survivor.Process.Pid), g.read(hookAt))
	}
}

// TestGuardsTellPrograms: what a command did is told by its own result.
func TestGuardsTellPrograms(t *testing.T) {
	g := newGuardGround(t)
	g.sh("echo a > x/m.sh; git -C x config core.fsmonitor ./m.sh")
	first := g.enter()
	g.sh("echo evil > x/m.sh")
	second := g.enter()
	notes := second.leave()
	if len(notes) != 1 || !strings.Contains(notes[0], "deed/x/m.sh (core.fsmonitor)") {
		t.Errorf("told %q", notes)
	}
	if notes := first.leave(); len(notes) != 1 {
		t.Errorf("the first tells %q", notes)
	}
	if notes := g.enter().leave(); len(notes) > 0 {
		t.Errorf("the next command tells %q", notes)
	}
}

// TestGuardsResume: where nothing has changed between two commands the record stays,
// and says whether one runs; else there is a new one. A start takes what has ended
// away, and undoes nothing.
func TestGuardsResume(t *testing.T) {
	g := newGuardGround(t)
	g.writeHook("first\n")
	file := func() os.FileInfo {
		names, _ := filepath.Glob(filepath.Join(g.guards.dir, "*"+keptSuffix))
		if len(names) != 1 {
			t.Fatalf("kept %q", names)
		}
		info, err := os.Stat(names[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	g.enter().leave()
	before := file()
	c := g.enter()
	if len(g.records()) != 1 || !os.SameFile(before, file()) {
		t.Errorf("a second command that finds the same: it says that %q run", g.records())
	}
	c.leave()
	g.writeHook("second\n")
	c = g.enter()
	if len(g.records()) != 1 || os.SameFile(before, file()) {
		t.Errorf("a command that finds another hook: %q run", g.records())
	}
	g.writeHook("evil\n")
	if notes := c.leave(); len(notes) != 1 || g.read(hookAt) != "second\n" {
		t.Errorf("the hook is %q, told %q", g.read(hookAt), notes)
	}
	g.writeHook("a human's\n")
	if undone := recoverGit(t.Context(), g.guards.dir, gitHuman{}); len(undone) > 0 || g.read(hookAt) != "a human's\n" {
		t.Errorf("a start: the hook is %q, undone %q", g.read(hookAt), undone)
	}
	if names, _ := os.ReadDir(g.guards.dir); len(names) > 0 {
		t.Errorf("left %v", names)
	}
}

// TestGuardsExitsOfKilled: a link into the HOME of commands that a killed program's
// command made is removed by the next start.
func TestGuardsExitsOfKilled(t *testing.T) {
	g := newGuardGround(t)
	g.sh("mkdir ../chome")
	c, err := g.guards.enter(t.Context(), Spec{Deed: g.deed, Home: g.dir + "/chome"})
	if err != nil {
		t.Fatal(err)
	}
	g.sh("git init -q ../chome/z; ln -s $(cd ../chome; pwd)/z z")
	c.guard.kept.file.Close() // as the kernel does
	undone := recoverGit(t.Context(), g.guards.dir, gitHuman{})
	if _, err := os.Lstat(g.deed + "/z"); err == nil || !strings.Contains(strings.Join(undone, " "), "deed/z: was a link into the HOME") {
		t.Errorf("undone %q, the link: %v", undone, err)
	}
}
