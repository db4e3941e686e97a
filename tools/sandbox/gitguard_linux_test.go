package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
	"vibey/tools/git"
)

// ground is a deed, and beside it a place where programs leave a sign that they
// ran.
type ground struct {
	t         *testing.T
	dir, deed string
}

// sh runs a script in the deed with a git that has no config of its own. {ran}
// is a program that leaves the sign, {out} a folder outside.
func (g ground) sh(script string) string {
	g.t.Helper()
	ran := filepath.Join(g.dir, "program")
	if err := os.WriteFile(ran, []byte("#!/bin/sh\ntouch "+g.dir+"/ran\nprintf '/\\0'\n"), 0o755); err != nil {
		g.t.Fatal(err)
	}
	script = strings.NewReplacer("{ran}", ran, "{out}", g.dir+"/out", "{deed}", g.deed).Replace(script)
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = g.deed
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir + "/home", "GIT_CONFIG_NOSYSTEM=1", "EDITOR=true", "TERM=dumb",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func (g ground) read(name string) string {
	b, err := os.ReadFile(filepath.Join(g.deed, name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

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
	c, err := g.guards.enter(g.t.Context(), Spec{Deed: g.deed}, false)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g guardGround) records() (names []string) {
	if g.guards.dir == "" {
		return nil
	}
	names, _ = filepath.Glob(filepath.Join(g.guards.dir, "*"))
	return names
}

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
	if _, err := g.guards.enter(t.Context(), Spec{Deed: g.deed}, false); err == nil {
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
	c.guard.look(t.Context()) // as while a server runs
	notes := strings.Join(c.leave(), " ")
	if g.read(hookAt) != "" || !strings.Contains(notes, "could not be disarmed or put back") || strings.Contains(notes, "looked at whole") || len(g.records()) != 1 {
		t.Errorf("the hook is %.20q, told %q, kept %q", g.read(hookAt), notes, g.records())
	}
	g.sh("rm fill")
	recoverGit(t.Context(), g.guards.dir, git.Human{})
	if g.read(hookAt) != human || g.read(hookAt+git.Disarmed) != "evil\n" || len(g.records()) > 0 {
		t.Errorf("the hook is %.20q, beside it stands %q, kept %q", g.read(hookAt), g.read(hookAt+git.Disarmed), g.records())
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
				if undone := recoverGit(t.Context(), g.guards.dir, git.Human{}); len(undone) > 0 {
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
	if _, err := g.guards.enter(ended, Spec{Deed: g.deed}, false); !errors.Is(err, context.Canceled) || len(g.records()) > 0 {
		t.Errorf("%v, kept %q", err, g.records())
	}
	os.WriteFile(g.guards.dir, nil, 0o600) // a file in its place: it can't be written
	if _, err := g.guards.enter(t.Context(), Spec{Deed: g.deed}, false); err == nil || !strings.Contains(err.Error(), "could not be written down") && !strings.Contains(err.Error(), "not a directory") {
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
				told = strings.Join(recoverGit(t.Context(), next.dir, git.Human{}), " ")
			} else if c, err := next.enter(t.Context(), Spec{Deed: g.deed}, false); err != nil {
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
	if len(notes) != 1 || !strings.Contains(notes[0], "deed/x/m.sh: a human's git runs it, as core.fsmonitor") {
		t.Errorf("told %q", notes)
	}
	if notes := first.leave(); len(notes) != 1 {
		t.Errorf("the first tells %q", notes)
	}
	if notes := g.enter().leave(); len(notes) > 0 {
		t.Errorf("the next command tells %q", notes)
	}
}

// TestGuardsExitsOfKilled: a link into the HOME of commands that a killed program's
// command made is removed by the next start.
func TestGuardsExitsOfKilled(t *testing.T) {
	g := newGuardGround(t)
	g.sh("mkdir ../chome")
	c, err := g.guards.enter(t.Context(), Spec{Deed: g.deed, Home: g.dir + "/chome"}, false)
	if err != nil {
		t.Fatal(err)
	}
	g.sh("git init -q ../chome/z; ln -s $(cd ../chome; pwd)/z z")
	c.guard.kept.file.Close() // as the kernel does
	undone := recoverGit(t.Context(), g.guards.dir, git.Human{})
	if _, err := os.Lstat(g.deed + "/z"); err == nil || !strings.Contains(strings.Join(undone, " "), "deed/z: was a link into the HOME") {
		t.Errorf("undone %q, the link: %v", undone, err)
	}
}
