package sandbox

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// part is a way to run true that has one thing more than the one before it.
type part struct {
	name string
	run  func() time.Duration
}

// BenchmarkParts tells where the time of a command goes: each round runs true in
// every way once, so that what else the machine does falls on all alike. Each
// way's least time and its median are told.
//
//	go test -run '^$' -bench Parts -benchtime 300x ./tools/sandbox
//
// The least times and the medians of 150 rounds in ms, on two cores, as root and as
// another user:
//
//	true                                    0.8   1.7    0.9   1.8
//	level none                              7.4  14.6    6.6  13.6  a helper, which stays with the command
//	level landlock                         10.5  19.7   12.4  19.7  two, one after the other
//	level landlock, from a spare            4.6   9.4    4.8  10.3
//	bwrap with /usr alone                   3.3   7.3    3.8   8.0
//	and namespaces                          3.5   7.2    3.9   7.1
//	and one of the network                  4.3   7.4    5.1   8.1
//	and /dev, /dev/shm                      5.0   8.7    5.8   9.0
//	and the rest of the view                6.9  11.8    7.3  10.8  12 mounts for root's PATH here; for each bwrap reads the list of all
//	and the helper: level bwrap            14.0  22.4   14.9  20.4
//	level bwrap, from a spare               4.4   8.6    5.4   8.7
//
// A command's end is its namespace's, 0.1. When all of /proc was searched for what
// a command left, that took 2.5 with 150 processes and 12 with 600. To write down what
// stands in the deed takes 0.7, 2.1 before the record stayed.
//
// The helper is this whole program. It begins before the large packages are set
// up (see its room), 3.4 ms after its start at the least; a program of Go that
// does nothing takes 1.4, and one that is linked to the system's C library 0.9 more.
//
// Is it worth it to prepare the view while the model thinks? Yes: a round of true in a
// dialog takes 11 ms instead of 26 where the provider thinks for 20 ms, and 14 instead
// of 25 where it answers at once, for then the next view is made while the command
// before it runs. What it needs is a comparison, see spares: what is forgotten there
// would be a hole. It costs two processes of bubblewrap and a helper for each project
// in which a command ran in the last half minute.
func BenchmarkParts(b *testing.B) {
	w := newWorld(b)
	parts := partsHere(b, w)
	times := make([][]time.Duration, len(parts))
	for b.Loop() {
		for i, p := range parts {
			times[i] = append(times[i], p.run())
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, p := range parts {
		slices.Sort(times[i])
		b.Logf("%-44s min %6.2f  p50 %6.2f ms", p.name, ms(times[i][0]), ms(times[i][len(times[i])/2]))
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func partsHere(b *testing.B, w world) []part {
	parts := []part{{"true", func() time.Duration { return timed(b, "/bin/true") }}}
	command := func(l Level) {
		c := w.config(l)
		c.Leases, c.Standing = filepath.Join(w.state, "commands"), filepath.Join(w.state, "standing")
		spare := Probe(c)
		b.Cleanup(func() { spare.StopServers("") })
		c.Spares = 0
		if r := Probe(c); r.Level() == l {
			parts = append(parts, part{"level " + string(l), func() time.Duration {
				begin := time.Now()
				if o := r.Command(b.Context(), w.spec("true")); o.ExitCode != 0 || o.Err != nil {
					b.Fatal(o)
				}
				return time.Since(begin)
			}})
		}
		if s := w.spec("true"); l != None && spare.Level() == l {
			spare.Command(b.Context(), s)
			parts = append(parts, part{"level " + string(l) + ", from a spare", func() time.Duration { return fromSpare(b, spare, s) }})
		}
	}
	command(None)
	command(Landlock)
	r := Probe(w.config(Bwrap))
	if r.Level() != Bwrap {
		return parts
	}
	bubble := r.walls.(*bubble)
	bwrap := func(args ...string) func() time.Duration {
		return func() time.Duration { return timed(b, bubble.program, args...) }
	}
	view := bubble.views.with(w.deed)
	system := symlinks(view.links, view.mounts)
	usr := append([]string{"--ro-bind", "/usr", "/usr"}, system...)
	namespaces := []string{"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"}
	alone := slices.Concat(namespaces, []string{"--unshare-net"})
	devices := []string{"--dev", "/dev", "--tmpfs", "/dev/shm"}
	all := slices.Concat(bubble.base(view), []string{"--unshare-net"}, system, []string{"--ro-bind", w.project, w.project, "--bind", w.deed, w.deed, "--bind", w.home, w.home}, devices, []string{"--proc", "/proc", "--remount-ro", "/"})
	parts = append(parts,
		part{"bwrap, /usr alone", bwrap(append(usr, "true")...)},
		part{"and namespaces", bwrap(slices.Concat(namespaces, usr, []string{"true"})...)},
		part{"and one of the network", bwrap(slices.Concat(alone, usr, []string{"true"})...)},
		part{"and /dev, /dev/shm", bwrap(slices.Concat(alone, usr, devices, []string{"true"})...)},
		part{"and the rest of the view", bwrap(append(all, "true")...)},
	)
	command(Bwrap)
	return parts
}

func timed(b *testing.B, name string, args ...string) time.Duration {
	begin := time.Now()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Since(begin)
}

// fromSpare times a command whose walls stand already.
func fromSpare(b *testing.B, r *Runner, s Spec) time.Duration {
	spareOf(b, r, s)
	time.Sleep(50 * time.Millisecond) // as short as a model never thinks
	begin := time.Now()
	if o := r.Command(b.Context(), s); o.ExitCode != 0 || o.Err != nil {
		b.Fatal(o)
	}
	return time.Since(begin)
}
