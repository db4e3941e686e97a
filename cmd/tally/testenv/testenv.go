// Package testenv has what the tests of this repository share: the surroundings that
// they count on (Main), and the one way of saying why a test is left out (Lacks, Long, Slow).
// cmd/tally reads these words and adds them up in a line at its end.
// A long table is gone through in steps of Stride.
//
//	func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
//
//	if r.Level() != sandbox.Bwrap {
//		testenv.Lacks(t, testenv.Bubblewrap)
//	}
package testenv

import (
	"os"
	"strings"
	"testing"
)

// Need is something that a machine may lack, in the words of a list: its name, and in
// brackets how to get it.
type Need string

const (
	Bubblewrap Need = "bubblewrap (apt install bubblewrap)"
	Chromium   Need = "chromium (apt install chromium)"
	Strace     Need = "strace (apt install strace)"
	Landlock   Need = "landlock (a kernel that has it, 5.13 or newer)"
	Root       Need = "the rights of root (run the tests as root, too)"
	Disk       Need = "a disk of another kind (loop devices or /dev/shm)"
	Overlay    Need = "a kernel that lets this user mount overlays in a user namespace (Linux 5.11 or newer, kernel.apparmor_restrict_unprivileged_userns=0)"
	Folding    Need = "a disk that folds names (as root: apt install exfat-fuse exfatprogs ntfs-3g)"
)

// What a left-out test says begins with one of these.
const (
	lacks = "left out: it needs "
	long  = "left to `just check`: it takes long"
)

// Lacks leaves a test out, or the subtest that needs it: this machine lacks something.
// With CI=true cmd/tally fails for it.
func Lacks(t testing.TB, n Need) {
	t.Helper()
	t.Skip(lacks + string(n))
}

// Partly says that a part of a test is left out, by a subtest that is; the test goes on.
func Partly(t testing.TB, n Need) {
	if t, ok := t.(*testing.T); ok {
		name, _, _ := strings.Cut(string(n), " (")
		t.Run("with "+name, func(t *testing.T) { Lacks(t, n) })
	}
}

// Walls is what the walls of a level need, by the level's name in tools/sandbox.
func Walls(level string) Need {
	if level == "bwrap" {
		return Bubblewrap
	}
	return Landlock
}

// Long leaves a test out with -short, which `just test` sets: one that takes long, whose
// fault another, shorter test would show in most cases. `just check` runs it.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip(long)
	}
}

// slowToo is the variable that CI sets for its run as an ordinary user, which is -short: there
// a test that calls Slow runs all the same.
const slowToo = "VIBEY_SLOW"

// Slow is Long for a test that another user's rights may change (walls, processes, the state
// dir): with -short it is left out, unless VIBEY_SLOW is set.
func Slow(t testing.TB) {
	t.Helper()
	if LeavesSlow() {
		t.Skip(long)
	}
}

// LeavesSlow reports whether Slow leaves a test out, for a script that decides by itself.
func LeavesSlow() bool { return testing.Short() && os.Getenv(slowToo) == "" }

// Stride is the step in which a test goes through a long table: 1, and with -short the
// given one, which is best a prime. It says by a subtest that the rest was left out.
func Stride(t *testing.T, short int) int {
	t.Helper()
	if !testing.Short() {
		return 1
	}
	t.Run("the rest", func(t *testing.T) { Long(t) })
	return short
}

// Reason returns why a test was left out, by what it said: what it lacks, or that it is
// long. A test that was skipped in other words has neither.
func Reason(said string) (n Need, isLong bool) {
	if _, after, ok := strings.Cut(said, lacks); ok {
		after, _, _ = strings.Cut(after, "\n")
		return Need(after), false
	}
	return "", strings.Contains(said, long)
}
