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
// The least times and the medians of 200 rounds in ms, as root, on two cores:
//
//	true                                    0.8   1.1
//	level none                              5.0   8.3  a helper, which stays with the command
//	level landlock                          9.7  15.4  two, one after the other
//	bwrap with /usr alone                   2.6   3.9
//	and namespaces                          3.0   4.3
//	and one of the network                  3.6   5.1
//	and /dev, /dev/shm                      4.3   6.3
//	and the rest of the view                6.4   9.5  12 mounts for root's PATH here; for each bwrap reads the list of all
//	and the helper: level bwrap            12.5  18.3
//	level bwrap, its view prepared          1.9   2.9
//
// A command's end is its namespace's, 0.1. When all of /proc was searched for what
// a command left, that took 2.5 with 150 processes and 12 with 600.
//
// The helper is this whole program. It begins before the large packages are set
// up (see its room), 2.5 ms after its start at the least; a program of Go that
// does nothing takes 1.5.
//
// Is it worth it to prepare the view while the model thinks? It would save nine
// tenths. But a model thinks for seconds: that is less than a hundredth of a
// round. And a view that stands ready was made before the decision: it would have
// to be thrown away when the network is allowed or forbidden, a server starts or
// ends, a repository, a link or a socket appears in the deed, and it holds three
// processes for each dialog. Each of these forgotten is a hole. So it is not done.
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
