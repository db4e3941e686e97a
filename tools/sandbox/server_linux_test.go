package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
)

// late are walls that are built slowly, and then not at all.
type late struct{ begun, on chan struct{} }

func (l late) look(Spec) (*layout, error) { return new(layout), nil }

func (l late) build(*layout, Spec) (*job, error) {
	close(l.begun)
	<-l.on
	return nil, errors.New("no walls")
}

// TestStartingServer: a server that has not started in its own network is not to
// be reached, and least of all whatever has its port on this machine; it can be
// stopped.
func TestStartingServer(t *testing.T) {
	machine, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer machine.Close()
	port := machine.Addr().(*net.TCPAddr).Port
	w := newWorld(t)
	r := Probe(w.config())
	r.waitProbed()
	walls := late{make(chan struct{}), make(chan struct{})}
	r.level, r.walls = Bwrap, walls
	ended := make(chan error)
	go func() { _, err := r.Serve(w.spec("true"), port); ended <- err }()
	<-walls.begun
	servers := r.Servers(w.project)
	if len(servers) != 1 {
		t.Fatalf("servers are %v", servers)
	}
	if c, err := servers[0].Dial(); err == nil {
		c.Close()
		t.Error("it is reached on this machine's loopback")
	}
	stopped := make(chan struct{})
	go func() { r.StopServers(""); close(stopped) }()
	close(walls.on)
	<-stopped
	if err := <-ended; err == nil {
		t.Error("it was started")
	}
}

// TestBrowse: a browser takes no server's place and is none of them; there are 2 of a
// project at once.
func TestBrowse(t *testing.T) {
	w := newWorld(t)
	r := Probe(w.config())
	defer r.StopServers("")
	for range kinds[aServer].most {
		if _, err := r.Serve(w.spec("exec sleep 100"), testenv.Port(t)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Serve(w.spec("exec sleep 100"), testenv.Port(t)); err == nil || !strings.Contains(err.Error(), "8 servers") {
		t.Errorf("one server more: %v", err)
	}
	var browsers []*Server
	for range kinds[aBrowser].most {
		b, err := r.Browse(w.spec("exec sleep 100"), testenv.Port(t))
		if err != nil {
			t.Fatal(err)
		}
		browsers = append(browsers, b)
	}
	if _, err := r.Browse(w.spec("exec sleep 100"), testenv.Port(t)); err == nil || !strings.Contains(err.Error(), "2 browsers") {
		t.Errorf("one browser more: %v", err)
	}
	other := w.spec("exec sleep 100")
	other.Dir, other.Project, other.Deed = w.other, w.other, ""
	if _, err := r.Browse(other, testenv.Port(t)); err != nil {
		t.Errorf("of another project: %v", err)
	}
	for _, s := range r.Servers(w.project) {
		if slices.Contains(browsers, s) {
			t.Error("a browser is one of the servers")
		}
	}
	for _, p := range r.servers.ports(w.spec("")) {
		if p == browsers[0].Port || p == browsers[1].Port {
			t.Error("a command meets a browser")
		}
	}
	r.StopServers(w.project)
	if browsers[0].Running() || browsers[1].Running() {
		t.Error("a browser runs on")
	}
}

// TestRelaysEnd: what connects a command with a server ends with the command,
// also where the server holds on to its side.
func TestRelaysEnd(t *testing.T) {
	w := newWorld(t)
	r := levelsHere(t, w)[Bwrap]
	if r == nil {
		return
	}
	port := testenv.Port(t)
	holds := fmt.Sprintf(`/usr/bin/python3 -c '
import socket
s = socket.create_server(("127.0.0.1", %d))
a = [s.accept() for _ in iter(int, 1)]'`, port)
	srv, err := r.Serve(w.spec(holds), port)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	open := func() (sockets int) {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if to, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.HasPrefix(to, "socket:") {
				sockets++
			}
		}
		return sockets
	}
	before := open()
	connect := fmt.Sprintf(`/usr/bin/python3 -c '
import socket, time
for i in range(99):
    try:
        a = [socket.create_connection(("127.0.0.1", %d)) for _ in range(3)]
        break
    except OSError:
        time.sleep(0.1)
time.sleep(0.3)
print("ok")'`, port)
	if o := r.Command(t.Context(), w.spec(connect)); string(o.Stdout.Text) != "ok\n" {
		t.Fatalf("%s%s", o.Stdout.Text, o.Stderr.Text)
	}
	for begin := time.Now(); open() != before; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d are open, %d were before the command", open(), before)
		}
	}
}

// breaking are walls that, so many times, show what went away since the look.
type breaking struct {
	walls
	times *atomic.Int32
}

func (g breaking) look(s Spec) (*layout, error) {
	l, err := g.walls.look(s)
	if err == nil && g.times.Add(-1) >= 0 {
		l.args = append(slices.Clip(l.args), "--ro-bind", "/dev/null", "/etc/vibey-gone/x")
	}
	return l, err
}

// A command whose walls break before it begins gets new ones; it runs once, or is told as
// not run, with what broke.
func TestWallsThatBreak(t *testing.T) {
	for times, want := range map[int32]string{0: "x\n", 1: "x\n", 2: ""} {
		w := newWorld(t)
		r := Probe(w.config(Bwrap))
		if r.Level() != Bwrap {
			testenv.Lacks(t, testenv.Bubblewrap)
		}
		g := breaking{r.walls, new(atomic.Int32)}
		g.times.Store(times)
		r.walls = g
		o := r.Command(t.Context(), w.spec("echo x >> deed/ran; exit 3"))
		ran, _ := os.ReadFile(filepath.Join(w.project, "deed/ran"))
		if string(ran) != want {
			t.Errorf("broken %d times, it ran as %q", times, ran)
		}
		if _, broke := errors.AsType[*wallsError](o.Err); broke != (times == 2) || (o.ExitCode == 3) != (times < 2) {
			t.Errorf("broken %d times: exit code %d, %v", times, o.ExitCode, o.Err)
		}
		if o.Err != nil && !strings.Contains(o.Err.Error(), "/etc/vibey-gone/x") {
			t.Errorf("what broke is not told: %v", o.Err)
		}
	}
}
