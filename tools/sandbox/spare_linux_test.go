package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// waitUntil fails a test in which something does not come to be.
func waitUntil(t testing.TB, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 20*time.Second {
			t.Fatalf("never: %s", what)
		}
	}
}

// spareOf returns the spare that a command of s would get, once it stands.
func spareOf(t testing.TB, r *Runner, s Spec) (sp *spare) {
	t.Helper()
	waitUntil(t, "a spare", func() bool {
		r.spares.mu.Lock()
		defer r.spares.mu.Unlock()
		for _, one := range r.spares.list {
			if one.key == s.key() && one.command != nil {
				sp = one
			}
		}
		return sp != nil
	})
	return sp
}

// wasUsed reports whether a spare, which has ended or is about to, had a command that
// prints something.
func wasUsed(sp *spare) bool {
	sp.command.readers.wait.Wait()
	return len(sp.command.stdout.head) > 0
}

// TestSpare: the walls of a command stand before it is known, and are its own.
func TestSpare(t *testing.T) {
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		defer r.StopServers("")
		s := w.spec(`echo "$0 $HOME $PWD"; echo x > $TMPDIR/mine; ls $TMPDIR; touch /usr/x deed/$$ 2>&1; exit 7`)
		first := r.Command(t.Context(), s)
		sp := spareOf(t, r, s)
		second := r.Command(t.Context(), s)
		if !wasUsed(sp) {
			t.Errorf("%s: the spare was not used", l)
		}
		if first.ExitCode != 7 || second.ExitCode != 7 || !bytes.Equal(first.Stdout.Text, second.Stdout.Text) {
			t.Errorf("%s: %d %q %q, and from a spare %d %q %q", l, first.ExitCode, first.Stdout.Text, first.Stderr.Text, second.ExitCode, second.Stdout.Text, second.Stderr.Text)
		}
	}
}

// TestStaleSpare: a spare whose walls are not what they would be now is not used.
func TestStaleSpare(t *testing.T) {
	testenv.Slow(t)
	git := func(t *testing.T, w world, args ...string) {
		cmd := exec.Command("git", append([]string{"-C", w.deed}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	replace := func(t *testing.T, dir string) {
		if err := os.Rename(dir, dir+"-before"); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name    string
		levels  []Level
		before  func(t *testing.T, w world)
		change  func(t *testing.T, w world, r *Runner, s *Spec)
		command string
		want    string
	}{
		{
			name:    "another deed",
			change:  func(t *testing.T, w world, _ *Runner, _ *Spec) { replace(t, w.deed) },
			command: "echo > deed/new && echo written", want: "written\n",
		},
		{
			name:    "another HOME",
			change:  func(t *testing.T, w world, _ *Runner, _ *Spec) { replace(t, w.home) },
			command: "echo > ~/new && echo written", want: "written\n",
		},
		{
			name:    "a deed that was made again",
			change:  func(t *testing.T, w world, _ *Runner, _ *Spec) { os.RemoveAll(w.deed); os.Mkdir(w.deed, 0o700) },
			command: "echo > deed/new && echo written", want: "written\n",
		},
		{
			name: "a repository that a human made", levels: []Level{Bwrap},
			change:  func(t *testing.T, w world, _ *Runner, _ *Spec) { git(t, w, "init", "-q") },
			command: "ls deed/.git/HEAD && (echo x > deed/.git/hooks/post-commit; echo x >> deed/.git/config) 2>/dev/null || echo refused", want: "deed/.git/HEAD\nrefused\n",
		},
		{
			name: "hooks that were made again", levels: []Level{Bwrap},
			before: func(t *testing.T, w world) { git(t, w, "init", "-q") },
			change: func(t *testing.T, w world, _ *Runner, _ *Spec) {
				os.RemoveAll(w.deed + "/.git/hooks")
				os.Mkdir(w.deed+"/.git/hooks", 0o755)
			},
			command: "echo x > deed/.git/hooks/post-commit 2>/dev/null || echo refused", want: "refused\n",
		},
		{
			name: "a config that git wrote", levels: []Level{Bwrap},
			before:  func(t *testing.T, w world) { git(t, w, "init", "-q") },
			change:  func(t *testing.T, w world, _ *Runner, _ *Spec) { git(t, w, "config", "user.name", "Ann") },
			command: "git -C deed config user.name; echo x 2>/dev/null >> deed/.git/config || echo refused", want: "Ann\nrefused\n",
		},
		{
			name: "a socket", levels: []Level{Bwrap},
			change: func(t *testing.T, w world, _ *Runner, _ *Spec) {
				l, err := net.Listen("unix", w.project+"/s")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
			},
			command: `python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("s")' 2>/dev/null || echo refused`, want: "refused\n",
		},
		{
			name: "a socket that was made again", levels: []Level{Bwrap},
			before: func(t *testing.T, w world) {
				l, err := net.Listen("unix", w.project+"/s")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
			},
			change: func(t *testing.T, w world, _ *Runner, _ *Spec) {
				os.Remove(w.project + "/s")
				l, err := net.Listen("unix", w.project+"/s")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
			},
			command: `python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("s")' 2>/dev/null || echo refused`, want: "refused\n",
		},
		{
			name:    "a process that was killed",
			change:  func(t *testing.T, _ world, r *Runner, s *Spec) { spareOf(t, r, *s).command.kill() },
			command: "echo ran", want: "ran\n",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, l := range []Level{Bwrap, Landlock} {
				if c.levels != nil && l != c.levels[0] {
					continue
				}
				w := newWorld(t)
				r := Probe(w.config(l))
				if r.Level() != l {
					testenv.Partly(t, testenv.Walls(string(l)))
					continue
				}
				defer r.StopServers("")
				if c.before != nil {
					c.before(t, w)
				}
				s := w.spec("true")
				if o := r.Command(t.Context(), s); o.ExitCode != 0 {
					t.Fatalf("%+v", o)
				}
				sp := spareOf(t, r, s)
				c.change(t, w, r, &s)
				s.Command = c.command
				o := r.Command(t.Context(), s)
				if wasUsed(sp) {
					t.Errorf("%s: the spare was used", l)
				}
				if string(o.Stdout.Text) != c.want {
					t.Errorf("%s: %q and %q, want %q", l, o.Stdout.Text, o.Stderr.Text, c.want)
				}
			}
		})
	}
}

// TestSparePlaces: a spare is its project's, with or without the network, and not
// for where servers run.
func TestSparePlaces(t *testing.T) {
	testenv.Slow(t)
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		defer r.StopServers("")
		s := w.spec("true")
		r.Command(t.Context(), s)
		sp := spareOf(t, r, s)
		open := s
		open.Network = true
		r.Command(t.Context(), open)
		if !stillWaits(r, sp) {
			t.Errorf("%s: a command with the network got walls without", l)
		}
		spareOf(t, r, open)
		if l != Bwrap {
			continue
		}
		serve := w.spec("exec /usr/bin/python3 -m http.server --bind 127.0.0.1 8123")
		srv, err := r.Serve(serve, 8123)
		if err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "the server", func() bool {
			c, err := srv.Dial()
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		s.Command = `python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8123)); print("reached")'`
		if o := r.Command(t.Context(), s); !stillWaits(r, sp) || string(o.Stdout.Text) != "reached\n" {
			t.Errorf("with a server beside it: %q %q", o.Stdout.Text, o.Stderr.Text)
		}
		srv.Stop()
	}
}

// TestSpareEnds: a spare ends after its time, when there are too many, and with
// its project; and nothing of it is left.
func TestSpareEnds(t *testing.T) {
	testenv.Slow(t)
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		c := w.config(l)
		c.Leases = w.state + "/commands"
		r := Probe(c)
		gone := func(what string, sp *spare) {
			t.Helper()
			waitUntil(t, fmt.Sprintf("%s: %s ends it", l, what), func() bool {
				select {
				case <-sp.command.process.reaped:
					names, _ := filepath.Glob(c.Leases + "/*" + scratchSuffix + "/*")
					return len(names) == 0
				default:
					return false
				}
			})
			if o := string(sp.command.stdout.head) + string(sp.command.stderr.head); o != "" && !strings.Contains(o, "not run") {
				t.Errorf("%s: it wrote %q", l, o)
			}
		}
		s := w.spec("true")
		r.Command(t.Context(), s)
		sp := spareOf(t, r, s)
		sp.expiry.Reset(0)
		gone("its time", sp)

		var all []*spare
		for i := range 3 { // w.config allows two
			s := s
			s.Dir = filepath.Join(w.project, fmt.Sprint(i))
			s.Project = w.project
			os.Mkdir(s.Dir, 0o700)
			r.Command(t.Context(), s)
			all = append(all, spareOf(t, r, s))
		}
		first := all[0]
		waitUntil(t, "the oldest of three goes", func() bool {
			select {
			case <-first.command.process.reaped:
				return true
			default:
				return false
			}
		})
		r.StopServers(w.other)
		if !stillWaits(r, all[2]) {
			t.Errorf("%s: another project's end ended it", l)
		}
		r.StopServers(w.project)
		for _, sp := range all {
			gone("its project", sp)
		}
	}
}

func stillWaits(r *Runner, sp *spare) bool {
	r.spares.mu.Lock()
	defer r.spares.mu.Unlock()
	for _, one := range r.spares.list {
		if one == sp {
			return true
		}
	}
	return false
}

// TestCutOrder: of a command that is not told whole nothing runs.
func TestCutOrder(t *testing.T) {
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		for _, order := range []string{"", "\x00\x00", "\x20\x00\x00\x00touch deed/ran"} {
			s := w.spec("true")
			r.Command(t.Context(), s)
			sp := spareOf(t, r, s)
			if !r.spares.remove(sp) {
				t.Fatal("it is gone")
			}
			sp.command.job.order.WriteString(order)
			sp.command.job.order.Close()
			waitUntil(t, "its end", func() bool {
				select {
				case <-sp.command.process.exited:
					return true
				default:
					return false
				}
			})
			sp.command.end()
			if _, err := os.Stat(w.deed + "/ran"); err == nil {
				t.Errorf("%s: %q ran", l, order)
			}
			if text := string(sp.command.stderr.head); !strings.Contains(text, "the command was not run") {
				t.Errorf("%s: %q says %q", l, order, text)
			}
		}
		r.StopServers("")
	}
}

// dying are the walls of a program that tells its command and is dead before the
// first process reads it.
type dying struct{ walls }

func (d dying) build(l *layout, s Spec) (*job, error) {
	j, err := d.walls.build(l, s)
	if err != nil || j.order == nil {
		return j, err
	}
	order := binary.NativeEndian.AppendUint32(nil, uint32(len(s.Command)))
	j.order.Write(append(order, s.Command...))
	j.order.Close()
	return j, nil
}

// TestOrderOfTheDead: a command does not begin once the program that told it is dead,
// and nor does a server. While bubblewrap builds the walls, nothing ends it with the
// program.
func TestOrderOfTheDead(t *testing.T) {
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		r.walls = dying{r.walls}
		s := w.spec("touch deed/ran")
		if o := r.Command(t.Context(), s); !strings.Contains(string(o.Stderr.Text), "the server has ended") || o.ExitCode != 126 {
			t.Errorf("%s: %d, %s", l, o.ExitCode, o.Stderr.Text)
		}
		if l == Bwrap {
			srv, err := r.Serve(s, testenv.Port(t))
			if err != nil {
				t.Fatal(err)
			}
			if o := srv.Outcome(); !strings.Contains(string(srv.Output().Text), "the server has ended") || o.ExitCode != 126 {
				t.Errorf("a server: %d, %s", o.ExitCode, srv.Output().Text)
			}
		}
		if _, err := os.Stat(w.deed + "/ran"); err == nil {
			t.Errorf("%s: it ran", l)
		}
		os.Remove(w.deed + "/ran")
	}
}

// TestStaleSpareView: what a command sees of the machine is what stands there when it
// begins: programs that were installed anew, and disks that were mounted.
func TestStaleSpareView(t *testing.T) {
	testenv.Slow(t)
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		tools := filepath.Join(w.dir, "tools")
		install := func(says string) {
			os.RemoveAll(tools)
			w.write(t, "tools/tool", "#!/bin/sh\necho "+says+"\n")
			os.Chmod(tools+"/tool", 0o755)
		}
		install("old")
		c := w.config(l)
		c.Path = tools + ":" + c.Path
		r := Probe(c)
		defer r.StopServers("")
		s := w.spec("tool")
		r.Command(t.Context(), s)
		sp := spareOf(t, r, s)
		install("new")
		if o := r.Command(t.Context(), s); wasUsed(sp) || string(o.Stdout.Text) != "new\n" {
			t.Errorf("%s: %q %q", l, o.Stdout.Text, o.Stderr.Text)
		}

		disk := w.deed + "/disk"
		os.Mkdir(disk, 0o755)
		spareOf(t, r, s)
		if err := unix.Mount("disk", disk, "tmpfs", 0, ""); err != nil {
			testenv.Partly(t, testenv.Root)
			continue
		}
		defer unix.Unmount(disk, unix.MNT_DETACH)
		os.WriteFile(disk+"/f", []byte("on the disk\n"), 0o644)
		s.Command = "cat deed/disk/f; echo new > deed/disk/new"
		if o := r.Command(t.Context(), s); string(o.Stdout.Text) != "on the disk\n" {
			t.Errorf("%s: %q %q", l, o.Stdout.Text, o.Stderr.Text)
		}
		if _, err := os.Stat(disk + "/new"); err != nil {
			t.Errorf("%s: it was written elsewhere: %v", l, err)
		}
	}
}

// TestSparesEndWhole: when the spares of a project have ended nothing of them is
// left, nor of one that was still being made.
func TestSparesEndWhole(t *testing.T) {
	w := newWorld(t)
	c := w.config(Bwrap)
	c.Spares = 0 // no other
	r := Probe(c)
	if r.Level() != Bwrap {
		testenv.Lacks(t, testenv.Bubblewrap)
	}
	s := w.spec("")
	l, err := r.walls.look(s)
	if err != nil {
		t.Fatal(err)
	}
	command, err := r.launch(l, s)
	if err != nil {
		t.Fatal(err)
	}
	p := &spares{most: 1}
	sp := p.begin(s.key(), 1)
	ended := make(chan bool)
	go func() { p.end(w.project); close(ended) }()
	waitUntil(t, "the list is empty", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.list) == 0 })
	p.put(sp, spare{command: command, layout: l})
	<-ended
	select {
	case <-command.process.reaped:
	default:
		t.Error("it lives on")
	}
	if _, err := os.Stat(w.deed + "/.git"); err == nil {
		t.Error("the folder for a repository stays")
	}
}

// TestLongCommand: a command that no shell can be given is not run, in a spare or
// not, and one that is just short enough is.
func TestLongCommand(t *testing.T) {
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		defer r.StopServers("")
		s := w.spec("true")
		for range 2 {
			s.Command = "true " + strings.Repeat("x", maxArgument-6)
			if o := r.Command(t.Context(), s); o.Err != nil || o.ExitCode != 0 {
				t.Errorf("%s: %v, %d %q", l, o.Err, o.ExitCode, o.Stderr.Text)
			}
			spareOf(t, r, s)
			s.Command += "x"
			if o := r.Command(t.Context(), s); o.Err == nil {
				t.Errorf("%s: %d %q", l, o.ExitCode, o.Stderr.Text)
			}
		}
	}
}
