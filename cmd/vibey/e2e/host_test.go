package e2e

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take here before a test says that it hangs.
var patience = 30 * time.Second

// host is one process of `vibey serve`.
type host struct {
	*place
	t     *testing.T
	cmd   *exec.Cmd
	url   string // http://127.0.0.1:PORT
	code  string // the one-time code that it printed
	token string
	log   *logbook
	ended chan struct{}
	err   error // of the process, once ended
}

// logbook is a process's stderr.
type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var firstLine = regexp.MustCompile(`^vibey: (http://127\.0\.0\.1:\d+)/#code=(\S+)$`)

// serve starts a process on a place and waits for its first line.
func serve(t *testing.T, p *place, flags ...string) *host {
	t.Helper()
	h := &host{place: p, t: t, log: &logbook{}, ended: make(chan struct{})}
	args := append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)
	if p.program == "" { // not each older one knows tags
		args = append(args, "--provider", "local=chat,"+p.api+"/v1", "--provider", "plain=tags,"+p.api+"/v1")
	}
	h.cmd = p.command(args...)
	h.cmd.Stderr = h.log
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.kill(syscall.SIGKILL)
		if log := h.log.String(); strings.Contains(log, "DATA RACE") || strings.Contains(log, "panic") {
			t.Errorf("the program's log:\n%s", log)
		}
	})
	first := make(chan string, 1)
	go func() {
		r := bufio.NewReader(out)
		line, _ := r.ReadString('\n')
		first <- strings.TrimSuffix(line, "\n")
		io.Copy(io.Discard, r)
		h.err = h.cmd.Wait()
		close(h.ended)
	}()
	var line string
	select {
	case line = <-first:
	case <-time.After(patience):
	}
	m := firstLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the first line is %q\n%s", line, h.log)
	}
	h.url, h.code = m[1], m[2]
	b, err := os.ReadFile(filepath.Join(p.state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	h.token = strings.TrimSuffix(string(b), "\n")
	return h
}

// kill sends a signal and waits until the process is gone.
func (h *host) kill(sig syscall.Signal) {
	h.cmd.Process.Signal(sig) // an error is a process that has ended by itself
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.cmd.Process.Kill()
		h.t.Errorf("the process did not end at %v\n%s", sig, h.log)
	}
}

// again ends the process by a signal and starts another one on the same files.
func (h *host) again(sig syscall.Signal) *host {
	h.t.Helper()
	h.kill(sig)
	return serve(h.t, h.place)
}
