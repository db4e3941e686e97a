package sandbox

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
)

// TestServerToKill is the server that killServer starts.
func TestServerToKill(t *testing.T) {
	dir := os.Getenv("VIBEY_TEST_SERVER")
	if dir == "" {
		return
	}
	w := worldIn(dir)
	r, s := Probe(w.config(Level(os.Getenv("VIBEY_TEST_LEVEL")))), w.spec(os.Getenv("VIBEY_TEST_COMMAND"))
	if os.Getenv("VIBEY_TEST_PIPE") == "" {
		r.Command(t.Context(), s)
	} else if p, err := r.Pipe(s, nil); err == nil {
		<-p.Ended()
	}
}

// killServer runs a command in a server of its own, and kills that server once
// the command has written to deed/begun, which is a FIFO.
func killServer(t *testing.T, w world, l Level, command string) {
	t.Helper()
	server := exec.Command(os.Args[0], "-test.run=^TestServerToKill$")
	server.Env = append(os.Environ(), "VIBEY_TEST_SERVER="+w.dir, "VIBEY_TEST_LEVEL="+string(l), "VIBEY_TEST_COMMAND="+command)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	awaitBegin(t, w)
	server.Process.Kill()
	server.Wait()
}

// awaitBegin returns once something was written to deed/begun.
func awaitBegin(t *testing.T, w world) {
	t.Helper()
	fifo, err := os.OpenFile(w.deed+"/begun", os.O_RDWR, 0) // does not wait for a writer that may be dead
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	fifo.SetReadDeadline(time.Now().Add(20 * time.Second))
	buf := make([]byte, 6)
	if _, err := io.ReadFull(fifo, buf); err != nil || !strings.HasPrefix(string(buf), "begun") {
		t.Fatalf("the command has not begun: %q, %v", buf, err)
	}
}

// TestKilledServer: when the server is killed, its commands go with it, at every
// level: the first shell, and what it has started.
func TestKilledServer(t *testing.T) { killedServer(t) }

// TestKilledPipes: so do its programs at pipes.
func TestKilledPipes(t *testing.T) {
	testenv.Slow(t)
	t.Setenv("VIBEY_TEST_PIPE", "yes")
	killedServer(t)
}

func killedServer(t *testing.T) {
	for _, l := range []Level{None, Landlock, Bwrap} {
		a := attack{command: "setsid -f sleep 98763.5; env -i setsid -f sleep 98763.5; sleep 98763.5 & sleep 0.1; echo begun > deed/begun; sleep 98763.5", killed: true}
		w := a.stage(t)
		if Probe(w.config(l)).Level() != l {
			testenv.Partly(t, testenv.Walls(string(l)))
			continue
		}
		killServer(t, w, l, a.command)
		for begin := time.Now(); running("98763.5"); {
			if time.Since(begin) > 5*time.Second {
				t.Errorf("%s: %d processes live on", l, len(processes("98763.5")))
				lives("98763.5")
			}
		}
	}
}
