package crash

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var (
	vibey      = flag.String("vibey", "", "the program, by its whole path; without it TestCrash does nothing")
	states     = flag.Int("states", 0, "how many states to hold; 0 holds all")
	seed       = flag.Uint64("seed", 1, "where texts are cut")
	cuts       = flag.Int("cuts", 80, "places at which each unsynced text is cut, beside its lines")
	mixed      = flag.Int("mixed", 28, "states a moment that mix what happened to several files")
	holes      = flag.Int("holes", 120, "states of each unsynced text in which pages of it are lost and later ones kept")
	restartMax = flag.Int("restarts", 60, "states with holes on which the program itself starts")
	withFaults = flag.Bool("faults", true, "let calls of the system fail, too")
	keepTrace  = flag.String("strace", "", "keep the trace in this file")
)

// shown is how many broken promises are told in words.
const shown = 20

// TestCrash is the lab. It takes minutes, so it runs where -vibey names the program, as
// `just crash` does.
func TestCrash(t *testing.T) {
	if *vibey == "" {
		return
	}
	dir := roomyDir(t)
	begin := time.Now()
	r := record(t, filepath.Join(dir, "play"))
	t.Logf("recorded %d events of %d calls in %.1f s", len(r.events), r.calls, time.Since(begin).Seconds())
	control(t, r, filepath.Join(dir, "control"))
	if *withFaults {
		failCalls(t, filepath.Join(dir, "faults"))
	}
	l := newLab(r, filepath.Join(dir, "states"))
	l.most = *states
	begin = time.Now()
	if err := l.run(r.events, r.before, newCutter()); err != nil {
		t.Fatal(err)
	}
	for _, b := range l.broken[:min(len(l.broken), shown)] {
		t.Error("broken:", b)
	}
	if more := len(l.broken) - shown; more > 0 {
		t.Errorf("… and %d more", more)
	}
	for _, what := range slices.Sorted(maps.Keys(l.holder.seen)) {
		t.Logf("%s: %d", what, l.holder.seen[what])
	}
	t.Logf("%s; %.1f s", l.figures(), time.Since(begin).Seconds())
	restarts(t, r, l.holed, filepath.Join(dir, "restarts"))
	if l.holes == 0 {
		return // no such state within the time
	}
	t.Logf("control: the old reader takes %d of %d states with lost pages for what was never written; %s", l.old, l.holes, l.oldSaid)
	if l.old == 0 {
		t.Error("control: the lab did not see it")
	}
}

// roomyDir is a folder in memory where the system has one: states are laid out
// and synced by the thousand.
func roomyDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "vibey-crash-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newCutter() cutter {
	return cutter{random: rand.New(rand.NewPCG(*seed, 0)), cuts: *cuts, mixed: *mixed, holed: *holes}
}

func newLab(r *recording, dir string) *lab {
	return &lab{holder: &holder{key: r.key, now: r.end, dir: dir, seen: map[string]int{}}}
}

// control fails if the lab does not see the missing sync of the control: a tool that
// ran, and after a power cut would run again.
func control(t *testing.T, r *recording, dir string) {
	events, first, dropped := withoutStartSync(r.events)
	if dropped == 0 {
		t.Error("control: no sync stands before a start")
		return
	}
	l := newLab(r, dir)
	l.first, l.from = "would run again", first
	c := newCutter()
	c.holed = 0
	if err := l.run(events, r.before, c); err != nil {
		t.Error("control:", err)
		return
	}
	said := l.said(l.first)
	if said == "" {
		t.Errorf("control: %d syncs before a start were dropped, and the lab did not see it", dropped)
		return
	}
	t.Logf("control: without the %d syncs before a start, after %d states: %s", dropped, l.kills+l.cuts, said)
}
