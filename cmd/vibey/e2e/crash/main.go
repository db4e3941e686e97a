// Command crash is the crash lab. It runs a scripted dialog of the real program
// under strace, and from the trace makes the states that a crash may leave on
// the disk: after a kill at every call, and after a power cut, when what was not
// synced is lost, cut at any byte, zeros, or there after all. It starts on each
// and checks what vibey/vibey/doc-main.md promises: nothing that was sent to a client
// is lost, no tool runs twice, only a human's grants count, one message goes on.
// Pages of one append reach the disk in any order: zeros stand for those that did
// not, wherever they end. On some of these states the program itself starts.
//
//	go run ./cmd/vibey/e2e/crash -vibey bin/vibey                everything
//	go run ./cmd/vibey/e2e/crash -vibey bin/vibey -states 11000  no more than so many
//
// It exits 1 where a promise was broken, and where one of two controls was not
// caught: a protocol without the sync before a tool starts, and the format's
// reader as it was before zeros meant anything.
package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	o := options{}
	flag.StringVar(&o.vibey, "vibey", "bin/vibey", "the program")
	flag.IntVar(&o.states, "states", 0, "how many states to hold; 0 holds all")
	flag.Uint64Var(&o.seed, "seed", 1, "where texts are cut")
	flag.IntVar(&o.cuts, "cuts", 80, "places at which each unsynced text is cut, beside its lines")
	flag.IntVar(&o.mixed, "mixed", 28, "states a moment that mix what happened to several files")
	flag.IntVar(&o.holed, "holes", 120, "states of each unsynced text in which pages of it are lost and later ones kept")
	flag.IntVar(&o.restartMax, "restarts", 60, "states with holes on which the program itself starts")
	flag.BoolVar(&o.faults, "faults", true, "let calls of the system fail, too")
	flag.StringVar(&o.trace, "trace", "", "keep the trace in this file")
	flag.Parse()
	ok, err := o.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

type options struct {
	vibey       string
	states      int
	seed        uint64
	cuts, mixed int
	holed       int
	restartMax  int
	faults      bool
	trace       string
}

// shown is how many broken promises are told in words.
const shown = 20

func (o *options) run() (ok bool, err error) {
	if o.vibey, err = filepath.Abs(o.vibey); err != nil {
		return false, err
	}
	dir, err := roomyDir()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	begin := time.Now()
	r, err := o.record(filepath.Join(dir, "play"))
	if err != nil {
		return false, err
	}
	fmt.Printf("recorded %d events of %d calls in %.1f s\n", len(r.events), r.calls, time.Since(begin).Seconds())
	ok = true
	if !o.caught(r, dir) {
		ok = false
	}
	if o.faults {
		good, err := o.fail(filepath.Join(dir, "faults"))
		if err != nil {
			return false, err
		}
		ok = ok && good
	}
	l := o.lab(r, filepath.Join(dir, "states"))
	l.most = o.states
	begin = time.Now()
	if err := l.run(r.events, r.before, o.cutter()); err != nil {
		return false, err
	}
	for i, b := range l.broken {
		if i == shown {
			fmt.Printf("  … and %d more\n", len(l.broken)-shown)
			break
		}
		fmt.Println("  broken:", b)
	}
	for _, what := range slices.Sorted(maps.Keys(l.holder.seen)) {
		fmt.Printf("%s: %d\n", what, l.holder.seen[what])
	}
	fmt.Printf("%s; %.1f s\n", l.figures(), time.Since(begin).Seconds())
	good, err := o.restarts(r, l, filepath.Join(dir, "restarts"))
	return ok && good && l.oldCaught() && len(l.broken) == 0, err
}

// roomyDir is a folder in memory where the system has one: states are laid out
// and synced by the thousand.
func roomyDir() (string, error) {
	dir, err := os.MkdirTemp("/dev/shm", "vibey-crash-")
	if err != nil {
		dir, err = os.MkdirTemp("", "vibey-crash-")
	}
	return dir, err
}

func (o *options) cutter() cutter {
	return cutter{random: rand.New(rand.NewPCG(o.seed, 0)), cuts: o.cuts, mixed: o.mixed, holed: o.holed}
}

func (o *options) lab(r *recording, dir string) *lab {
	return &lab{vibey: o.vibey, holder: &holder{key: r.key, now: r.end, dir: dir, seen: map[string]int{}}}
}

// caught reports whether the lab sees the missing sync of the control: a tool that
// ran, and after a power cut would run again.
func (o *options) caught(r *recording, dir string) bool {
	control, first, dropped := withoutStartSync(r.events)
	l := o.lab(r, filepath.Join(dir, "control"))
	l.first, l.from = "would run again", first
	c := o.cutter()
	c.holed = 0
	if err := l.run(control, r.before, c); err != nil {
		fmt.Println("control:", err)
		return false
	}
	said := l.said(l.first)
	if dropped == 0 || said == "" {
		fmt.Printf("control: %d syncs before a start were dropped, and the lab did not see it\n", dropped)
		return false
	}
	fmt.Printf("control: without the %d syncs before a start, after %d states: %s\n", dropped, l.kills+l.cuts, said)
	return true
}
