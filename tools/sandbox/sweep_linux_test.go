package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
	outer := mark(cmd.Process.Pid, "outer")
	inner := mark(cmd.Process.Pid, "inner")
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if outer == "" || inner == "" || outer == inner || !strings.Contains(string(limits), outer) || !strings.Contains(string(limits), inner) {
		t.Errorf("outer %q, inner %q:\n%s", outer, inner, limits)
	}
	var l unix.Rlimit
	if err := unix.Prlimit(cmd.Process.Pid, locks, nil, &l); err != nil || l.Cur > l.Max {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestEachMarkAlone: either mark suffices to find a process.
func TestEachMarkAlone(t *testing.T) {
	for _, how := range []string{"limit", "environment"} {
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.Env = []string{}
		if how == "environment" {
			cmd.Env = []string{tagName + "=thetag"}
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		limit := ""
		if how == "limit" {
			limit = mark(cmd.Process.Pid, "thetag")
		}
		sweep(0, "thetag", limit)
		if alive(cmd.Process.Pid) {
			t.Errorf("not found by its %s", how)
			cmd.Process.Kill()
		}
		cmd.Wait()
	}
}

// TestOwnSession: a command can neither read the server's terminal nor type into it.
func TestOwnSession(t *testing.T) {
	o := runner(5*time.Second).Command(t.Context(), Spec{Command: "echo $$; cut -d' ' -f6 /proc/$$/stat", Dir: "/"})
	if pids := strings.Fields(string(o.Stdout.Text)); len(pids) != 2 || pids[0] != pids[1] {
		t.Errorf("process and session: %q", o.Stdout.Text)
	}
}
