package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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
// a folder for the record. What runs on this goroutine is that user's.
type guardGround struct {
	ground
	records string
}

func newGuardGround(t *testing.T) guardGround {
	t.Helper()
	dir, err := os.MkdirTemp("", "guard-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := guardGround{ground{t, dir, filepath.Join(dir, "deed")}, filepath.Join(dir, "standing")}
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
	if g.records != "" {
		os.MkdirAll(g.records, 0o700)
		if top := filepath.Dir(filepath.Dir(g.records)); top != filepath.Clean(os.TempDir()) {
			os.Chmod(top, 0o755)
		}
		os.Chmod(filepath.Dir(g.records), 0o755)
		os.Chown(g.records, otherUser, otherUser)
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

func (g guardGround) try(ctx context.Context) (*guard, error) {
	return enterGuard(ctx, g.records, git.Folder{Dir: g.deed}, false)
}

func (g guardGround) enter() *guard {
	g.t.Helper()
	c, err := g.try(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

// kept are the records that are not done with.
func (g guardGround) kept() (names []string) {
	names, _ = filepath.Glob(filepath.Join(g.records, "*"))
	return slices.DeleteFunc(names, func(name string) bool { info, err := os.Stat(name); return err == nil && info.Size() == 0 })
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
	g := newGuardGround(t)
	above := filepath.Dir(g.deed)
	g.records = t.TempDir()
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
	if _, err := g.try(t.Context()); err == nil {
		t.Error("a command may run in a deed that can't be looked at")
	}
	os.Chmod(above, 0o755)
	if len(g.kept()) != 1 {
		t.Errorf("kept: %q", g.kept())
	}
	notes = strings.Join(g.enter().leave(), " ")
	if g.read(hookAt) != "first\n" || !strings.Contains(notes, "put back") || len(g.kept()) > 0 {
		t.Errorf("the hook is %q, told %q, kept %q", g.read(hookAt), notes, g.kept())
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
	c.mend(t.Context()) // as while a server runs
	notes := strings.Join(c.leave(), " ")
	if !strings.Contains(notes, "could not be disarmed or put back") || strings.Contains(notes, "looked at whole") || len(g.kept()) != 1 {
		t.Errorf("the hook is %.20q, told %q, kept %q", g.read(hookAt), notes, g.kept())
	}
	g.sh("rm fill")
	recoverGit(t.Context(), g.records, git.Human{})
	if g.read(hookAt) != human || g.read(hookAt+git.Disarmed) != "evil\n" || len(g.kept()) > 0 {
		t.Errorf("the hook is %.20q, beside it stands %q, kept %q", g.read(hookAt), g.read(hookAt+git.Disarmed), g.kept())
	}
}

// TestGuardsRecordFirst: without a whole record no command ran, so that what stands
// there is a human's.
func TestGuardsRecordFirst(t *testing.T) {
	for _, text := range []string{"", `{"deed":"/`} {
		for _, start := range []bool{true, false} {
			g := newGuardGround(t)
			os.Mkdir(g.records, 0o700)
			os.WriteFile(recordOf(g.records, g.deed, false), []byte(text), 0o600)
			if start {
				if undone := recoverGit(t.Context(), g.records, git.Human{}); len(undone) > 0 {
					t.Errorf("undone: %q", undone)
				}
			} else if notes := g.enter().leave(); len(notes) > 0 {
				t.Errorf("told %q", notes)
			}
			if g.read(hookAt) != "first\n" || len(g.kept()) > 0 {
				t.Errorf("the hook is %q, kept %q", g.read(hookAt), g.kept())
			}
		}
	}
	g := newGuardGround(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := g.try(ended); !errors.Is(err, context.Canceled) || len(g.kept()) > 0 {
		t.Errorf("%v, kept %q", err, g.kept())
	}
	os.RemoveAll(g.records)
	os.WriteFile(g.records, nil, 0o600) // a file in its place: it can't be written
	if _, err := g.try(t.Context()); err == nil || !strings.Contains(err.Error(), "could not be written down") && !strings.Contains(err.Error(), "not a directory") {
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
			c.file.Close() // as the kernel does
			if how == "start" {
				told = strings.Join(recoverGit(t.Context(), g.records, git.Human{}), " ")
			} else if c, err := g.try(t.Context()); err != nil {
				t.Error(err)
			} else {
				told = strings.Join(c.leave(), " ")
			}
		}
		if g.read(hookAt) != "another\n" || !strings.Contains(g.read("x/.git/config"), "!b") || !strings.Contains(told, "another folder") || len(g.kept()) > 0 {
			t.Errorf("%s: the hook is %q, told %q, kept %q", how, g.read(hookAt), told, g.kept())
		}
	}
}

// TestGuardsStart: what a killed program's command left running is ended before
// what it planted is undone, else it could plant that again.
func TestGuardsStart(t *testing.T) {
	g := newGuardGround(t)
	c := g.enter()
	g.writeHook("evil\n")
	c.file.Close() // as the kernel does
	dead, leases := mark{program: 0x1abcdee}, t.TempDir()
	survivor := bystander(t)
	if !dead.put(survivor.Process.Pid) {
		t.Fatal("the mark can't be put")
	}
	if err := os.WriteFile(fmt.Sprintf("%s/%08x", leases, dead.program), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	undone := Probe(Config{Leases: leases, Standing: g.records}).Undone()
	if alive(survivor.Process.Pid) || len(undone) != 1 || g.read(hookAt) != "first\n" {
		t.Errorf("undone: %q; alive %v, the hook is %q", undone, alive(survivor.Process.Pid), g.read(hookAt))
	}
}
