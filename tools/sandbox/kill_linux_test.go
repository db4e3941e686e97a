package sandbox

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledServer: when the server is killed, its commands go with it. At level
// bwrap that is all of them; at the others the kernel takes the first shell.
func TestKilledServer(t *testing.T) {
	if dir := os.Getenv("VIBEY_TEST_SERVER"); dir != "" { // this is the server
		w := world{dir: dir, root: dir + "/root", project: dir + "/root/book", deed: dir + "/root/book/deed", state: dir + "/state", home: dir + "/state/home/book"}
		Probe(w.config(Bwrap)).Command(t.Context(), w.spec("setsid -f sleep 98763.5; sleep 0.1; echo begun > deed/fifo; sleep 98763.6"))
		return
	}
	w := newWorld(t)
	if Probe(w.config(Bwrap)).Level() != Bwrap {
		return
	}
	if err := syscall.Mkfifo(w.deed+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(os.Args[0], "-test.run=^TestKilledServer$")
	server.Env = append(os.Environ(), "VIBEY_TEST_SERVER="+w.dir)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	fifo, err := os.OpenFile(w.deed+"/fifo", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	fifo.SetReadDeadline(time.Now().Add(20 * time.Second))
	buf := make([]byte, 6)
	if _, err := io.ReadFull(fifo, buf); err != nil || !strings.HasPrefix(string(buf), "begun") {
		t.Fatalf("the command has not begun: %q, %v", buf, err)
	}
	server.Process.Kill()
	server.Wait()
	for begin := time.Now(); ; {
		if !running("98763.5") && !running("98763.6") {
			return
		}
		if time.Since(begin) > 5*time.Second {
			t.Fatal("the command lives on")
		}
	}
}
