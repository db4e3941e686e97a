package mcp

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/tools/mcp/mcptest"
)

// The test binary is also the servers that the tests talk with.
func TestMain(m *testing.M) {
	if kind := os.Getenv("MCP_TEST_SERVER"); kind != "" {
		mcptest.Main(kind)
		return
	}
	os.Exit(testenv.Main(m))
}

// process is a server without a sandbox. How those behind one are run is tested in
// tools/sandbox.
type process struct {
	cmd *exec.Cmd
	io.Reader
	io.WriteCloser
	out   io.Closer
	ended chan struct{}
	kill  sync.Once

	mu  sync.Mutex
	err bytes.Buffer
}

func (p *process) CloseWrite() error      { return p.WriteCloser.Close() }
func (p *process) Close() error           { p.WriteCloser.Close(); return p.out.Close() }
func (p *process) Ended() <-chan struct{} { return p.ended }
func (p *process) Stop()                  { p.kill.Do(func() { p.cmd.Process.Kill() }); <-p.ended }
func (p *process) Last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err.String()
}

func (p *process) stderr(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err.Write(b)
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// place starts servers of this binary in a folder of the test's, and counts them.
type place struct {
	dir string
	mu  sync.Mutex
	all []*process
}

func (pl *place) at(network bool) Place {
	return Place{Project: pl.dir, Deed: pl.dir + "/deed", Network: network, Home: pl.home, Start: pl.start}
}

func (pl *place) home(server string, own bool) (string, error) {
	if !own {
		return pl.dir + "/home", nil
	}
	if server == "honest-homeless" {
		return "", errors.New("no home")
	}
	return pl.dir + "/home-" + server, nil
}

func (pl *place) start(command, home string, env []string) (Process, error) {
	p := &process{ended: make(chan struct{})}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Dir, p.cmd.Env = pl.dir, append(env, "HOME="+home, "MCP_TEST_SERVER="+command)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.WriteCloser, p.Reader, p.out = in, r, r
	p.cmd.Stdout, p.cmd.Stderr = w, writer(p.stderr)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	w.Close()
	go func() { p.cmd.Wait(); close(p.ended) }()
	pl.mu.Lock()
	defer pl.mu.Unlock()
	pl.all = append(pl.all, p)
	return p, nil
}

// started is how many servers were started.
func (pl *place) started() int {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	return len(pl.all)
}

// newPlace returns a place and a manager of the servers with these names, each of which
// is of the kind that its name says up to a hyphen.
func newPlace(t testing.TB, limits Limits, names ...string) (*place, *Manager) {
	t.Helper()
	pl := &place{dir: t.TempDir()}
	if err := os.Mkdir(pl.dir+"/deed", 0o755); err != nil {
		t.Fatal(err)
	}
	var servers []Server
	for _, name := range names {
		kind, _, _ := strings.Cut(name, "-")
		servers = append(servers, Server{Name: name, Command: kind, Keys: keysOf(name)})
	}
	m := New(Config{Servers: servers, Limits: limits, Getenv: func(name string) string {
		if name == "TEST_KEY" {
			return "the key's value"
		}
		return ""
	}})
	t.Cleanup(func() {
		m.Close("")
		for _, p := range pl.all {
			select {
			case <-p.ended:
			case <-time.After(10 * time.Second):
				t.Error("a server runs on")
			}
		}
	})
	return pl, m
}

func keysOf(name string) []string {
	switch name {
	case "honest-key", "honest-homeless":
		return []string{"TEST_KEY"}
	case "honest-nokey":
		return []string{"TEST_KEY", "NO_KEY"}
	}
	return nil
}
