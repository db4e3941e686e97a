package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// TestMarksNest: where this program runs within a command of a server like
// itself, both marks stay readable, the outer one as the hard limit.
func TestMarksNest(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	outer, inner := mark{7, 1}, mark{8, 1}
	if !outer.put(cmd.Process.Pid) || !inner.put(cmd.Process.Pid) {
		t.Fatal("the marks can't be put")
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if got := marksOf(limits); got != [2]mark{inner, outer} {
		t.Errorf("%v in\n%s", got, limits)
	}
	var l unix.Rlimit
	if err := unix.Prlimit(cmd.Process.Pid, helper.Locks, nil, &l); err != nil || l.Cur > l.Max {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestEachMarkAlone: either mark suffices to find a process, by its command and
// by its program; another program's is left alone.
func TestEachMarkAlone(t *testing.T) {
	sweeps := map[string]func(m mark){
		"its command": func(m mark) { sweep(0, m) },
		"its program": func(m mark) { sweepProgram(m.program) },
	}
	for name, kill := range sweeps {
		for _, how := range []string{"limit", "environment"} {
			m, other := newMark(), newMark()
			m.program, other.program = 0x1234567, 0x1234568
			pids := map[mark]int{}
			for _, one := range []mark{m, other} {
				cmd := exec.Command("/bin/sleep", "1000")
				cmd.Env = []string{}
				if how == "environment" {
					cmd.Env = []string{tagName + "=" + one.tag()}
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if how == "limit" && !one.put(cmd.Process.Pid) {
					t.Fatal("the mark can't be put")
				}
				pids[one] = cmd.Process.Pid
				t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			}
			kill(m)
			if alive(pids[m]) {
				t.Errorf("%s is not found by its %s", name, how)
			}
			if !alive(pids[other]) {
				t.Errorf("%s: another program's process is killed by its %s", name, how)
			}
		}
	}
}

// TestOwnSession: a command can neither read the server's terminal nor type into it.
func TestOwnSession(t *testing.T) {
	o := runner(5*time.Second).Command(t.Context(), Spec{Command: "echo $$; cut -d' ' -f6 /proc/$$/stat", Dir: "/"})
	if pids := strings.Fields(string(o.Stdout.Text)); len(pids) != 2 || pids[0] != pids[1] {
		t.Errorf("process and session: %q", o.Stdout.Text)
	}
}

// TestHalfBuiltWalls: bubblewrap that was killed before its first process could go on
// leaves that waiting for ever, with nothing run in it. The next start ends it.
func TestHalfBuiltWalls(t *testing.T) {
	w := newWorld(t)
	if levelsHere(t, w)[Bwrap] == nil {
		return
	}
	name := fmt.Sprintf("half-built-%d", os.Getpid()) // no other run of this test ends it
	m := mark{program: 0x0abcdef, command: 1}
	defer lives(name)
	for tries := 0; !running(name); tries++ { // another program's start may have ended it already
		if tries == 20 {
			t.Fatal("bubblewrap has left nothing: then this can be simpler")
		}
		told, info, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		told.Close() // so bubblewrap dies where it tells of that process
		cmd := exec.Command(bwrapPaths[0], "--unshare-user", "--unshare-pid", "--die-with-parent", "--info-fd", "3", "--ro-bind", "/", "/", "/bin/true", name)
		cmd.ExtraFiles, cmd.Env = []*os.File{info}, []string{tagName + "=" + m.tag()}
		err = cmd.Run()
		info.Close()
		if err == nil {
			t.Fatal("bubblewrap has not died")
		}
	}
	c := w.config(Bwrap)
	c.Leases = w.state + "/commands"
	w.write(t, "state/commands/"+m.tag()[:8], "")
	Probe(c).Undone() // waits for what the start does
	if running(name) {
		t.Error("it waits on")
	}
}
