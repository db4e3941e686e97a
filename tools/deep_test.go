package tools

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// TestDeep runs calls on a deed with thousands of folders, each in the one
// before, in a process that may hold 256 descriptors.
func TestDeep(t *testing.T) {
	testenv.Slow(t)
	if os.Getenv("TOOLS_DEEP") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeep$")
		cmd.Env = append(os.Environ(), "TOOLS_DEEP=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	w := newWorld(t)
	t.Cleanup(func() { exec.Command("rm", "-rf", w.path("deed")).Run() })
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}); err != nil {
		t.Fatal(err)
	}
	// A path of 3,000 bytes is told, one of 10,000 can't be: that counts as changed.
	for _, c := range []struct {
		more   int
		answer string
	}{{1500, `"changed":[{"path":"deed/a/a/`}, {3500, `"changed":"unknown"`}} {
		r, _ := w.call("run_command", "command", nested(c.more))
		if !r.Success || !strings.Contains(r.JSON, c.answer) {
			t.Errorf("%d folders more: %.300s", c.more, r.JSON)
		}
	}
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false, 3000: false} {
		r, _ := w.call("write_file", "path", "deed/"+strings.Repeat("b/", depth)+"file", "content", "x")
		if r.Success != want || !want && !strings.Contains(r.JSON, "folders deep") {
			t.Errorf("a file %d folders deep: %.300s", depth, r.JSON)
		}
	}
}

// nested is a command that makes n folders more in the deed's innermost one, and
// a file there.
func nested(n int) string {
	return "cd deed && perl -e 'while (-d \"a\") { chdir \"a\" or die } for (1.." + strconv.Itoa(n) + ") { mkdir \"a\" or die; chdir \"a\" or die } open(F, \">file\") or die'"
}
