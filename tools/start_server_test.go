package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/tools/sandbox"
)

// serving is a world whose set has servers, at the strongest level of this machine. Where
// that is landlock a human has allowed the network, which a server needs there.
func serving(t *testing.T) *world {
	w := newWorld(t)
	w.set = NewSet("server")
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Levels: sandbox.Strongest()})
	w.env.Network = w.env.Sandbox.Level() == sandbox.Landlock
	t.Cleanup(func() { w.env.Sandbox.StopServers("") })
	return w
}

func (w *world) serverCall(tool string, port int, more string) (Result, map[string]any) {
	return w.callArgs(tool, fmt.Sprintf(`{"port":%d%s}`, port, more))
}

func TestServerSet(t *testing.T) {
	var names []string
	for _, s := range NewSet("server").Specs() {
		names = append(names, s.Name)
	}
	if want := []string{"run_command", "write_file", "edit_file", "launch_agent", "start_server", "stop_server", "server_logs"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
	for name, want := range map[string]struct {
		class dialog.Class
		asks  bool
	}{"start_server": {dialog.Verify, true}, "stop_server": {dialog.Mutate, true}, "server_logs": {dialog.Read, false}} {
		if tool, ok := NewSet("server").Lookup(name); !ok || tool.Class != want.class || tool.Asks != want.asks {
			t.Errorf("%s: %+v", name, tool)
		}
	}
	if _, ok := NewSet().Lookup("start_server"); ok {
		t.Error("it is there without its set")
	}
}

func TestStartServer(t *testing.T) {
	w, port := serving(t), testenv.Port(t)
	w.put("deed/index.html", "hello\n")
	r, m := w.serverCall("start_server", port, fmt.Sprintf(`,"command":"exec /usr/bin/python3 -u -m http.server %d"`, port))
	h, _ := m["healthCheck"].(map[string]any)
	if !r.Success || h["status"] != 200.0 || h["bodySnippet"] != "hello\n" || h["bodyBytes"] != 6.0 || len(h["bodyHash"].(string)) != 64 || r.Sandbox == "" {
		t.Fatal(r.JSON)
	}
	if resp, err := http.Get(m["previewUrl"].(string)); err != nil || resp.StatusCode != 200 {
		t.Errorf("the preview: %v, %v", resp, err)
	}
	if r, m := w.call("run_command", "command", fmt.Sprintf("curl -s http://127.0.0.1:%d/", port)); m["stdout"] != "hello\n" {
		t.Error(r.JSON)
	}
	own := fmt.Sprintf("port %d is that of a server of this project, which this dialog has started. Stop it with stop_server", port)
	if r, m := w.serverCall("start_server", port, `,"command":"true"`); r.Failure != ExecError || !strings.Contains(fmt.Sprint(m["error"]), own) {
		t.Error(r.JSON)
	}
	if r, m := w.serverCall("server_logs", port, ""); !r.Success || !strings.Contains(m["output"].(string), "GET / HTTP/1.1") || m["running"] != true {
		t.Error(r.JSON)
	}
	if r, _ := w.serverCall("server_logs", port+1, ""); r.Success || !strings.Contains(r.JSON, fmt.Sprint(port)) {
		t.Error(r.JSON)
	}
	if r, m := w.serverCall("stop_server", port, ""); !r.Success || m["running"] != false {
		t.Error(r.JSON)
	}
	if r, _ := w.serverCall("stop_server", port, ""); r.Success || !strings.Contains(r.JSON, "no server") {
		t.Error(r.JSON)
	}
}

func TestStartServerFails(t *testing.T) {
	w, port := serving(t), testenv.Port(t)
	for _, c := range []struct{ command, want string }{
		{"echo broken >&2; exit 3", "ended with exit code 3"},
		{"exit 0", "ended with exit code 0"},
		{fmt.Sprintf("mkdir -p e; cd e; exec /usr/bin/python3 -c 'import http.server as h; h.HTTPServer((\\\"127.0.0.1\\\",%d),h.BaseHTTPRequestHandler).serve_forever()'", port), "status 501"},
	} {
		r, m := w.serverCall("start_server", port, `,"command":"`+c.command+`"`)
		if r.Success || r.Failure != "" || !strings.Contains(m["error"].(string), c.want) {
			t.Errorf("%s: %s", c.command, r.JSON)
		}
		if strings.Contains(c.command, "broken") && !strings.Contains(m["output"].(string), "broken") {
			t.Error(r.JSON)
		}
	}
	port = testenv.Port(t)
	breaks := fmt.Sprintf(`exec /usr/bin/python3 -c \"import socket; c = socket.create_server(('127.0.0.1', %d)).accept()[0]; c.recv(999); c.send(b'HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\nhi')\"`, port)
	r, m := w.serverCall("start_server", port, `,"command":"`+breaks+`"`)
	if h, _ := m["healthCheck"].(map[string]any); h["bodyCut"] != true || h["bodyBytes"] != 2.0 || !strings.Contains(fmt.Sprint(m["note"]), "broke off") {
		t.Error(r.JSON)
	}
	for _, args := range []string{`{"port":0,"command":"true"}`, `{"port":70000,"command":"true"}`, `{"port":"80","command":"true"}`} {
		if r, _ := w.callArgs("start_server", args); r.Failure != Schema {
			t.Errorf("%s: %s", args, r.JSON)
		}
	}
}

// TestStartServerWithoutNetwork: where commands have no network of their own, a
// server would open a port of this machine: a human must have allowed that.
func TestStartServerWithoutNetwork(t *testing.T) {
	w, port := serving(t), testenv.Port(t)
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.Landlock}})
	w.env.Network = false
	if w.env.Sandbox.Level() != sandbox.Landlock {
		testenv.Lacks(t, testenv.Landlock)
	}
	w.put("deed/index.html", "hello\n")
	command := fmt.Sprintf(`,"command":"exec /usr/bin/python3 -u -m http.server --bind 127.0.0.1 %d"`, port)
	if r, m := w.serverCall("start_server", port, command); r.Failure != Permission || !strings.Contains(m["error"].(string), "allow network") {
		t.Error(r.JSON)
	}
	w.env.Network = true
	w.env.DialogID = "20260101-000000-first"
	if r, m := w.serverCall("start_server", port, command); !r.Success || m["port"] != float64(port) {
		t.Error(r.JSON)
	}
	w.env.DialogID = "20260101-000000-second"
	if r, m := w.serverCall("start_server", port, command); r.Success || !strings.Contains(fmt.Sprint(m["error"]), "which the dialog 20260101-000000-first has started. Stop it with stop_server") {
		t.Error(r.JSON)
	}
}

// answer is a server's answer, without a server.
type answer struct{ io.Reader }

func (a answer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(a.Reader)}, nil
}

// reading is a Reader that only does f.
type reading func() error

func (f reading) Read([]byte) (int, error) { return 0, f() }

// TestHealthBody: bodyBytes and bodyHash are of the whole body, or it is said that
// they are not.
func TestHealthBody(t *testing.T) {
	zeros := func(n int64) io.Reader { return io.LimitReader(zero{}, n) }
	ctx, cancel := context.WithCancel(t.Context())
	late := reading(func() error { cancel(); return ctx.Err() })
	broken := reading(func() error { return io.ErrUnexpectedEOF })
	for _, c := range []struct {
		name string
		body io.Reader
		size int64
		cut  string
	}{
		{"empty", zeros(0), 0, ""},
		{"a page", zeros(3 << 20), 3 << 20, ""},
		{"the largest", zeros(healthBody), healthBody, ""},
		{"larger", zeros(healthBody + 1), healthBody, "is longer than 64 MiB"},
		{"broken off", io.MultiReader(zeros(10), broken), 10, "broke off"},
		{"broken off later", io.MultiReader(zeros(1<<20), broken), 1 << 20, "broke off"},
		{"late", io.MultiReader(zeros(2<<20), late), 2 << 20, "still coming after 5s"},
	} {
		h, err := askOnce(ctx, &http.Client{Transport: answer{c.body}}, 1)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		sum := sha256.New()
		io.Copy(sum, zeros(c.size))
		if h.BodyBytes != c.size || h.BodyHash != hex.EncodeToString(sum.Sum(nil)) || h.BodyCut != (c.cut != "") || !strings.Contains(h.cut, c.cut) {
			t.Errorf("%s: %+v", c.name, h)
		}
		if more := fmt.Sprintf("… (%d bytes more)", c.size-snippetSize); c.size > snippetSize && !strings.HasSuffix(h.BodySnippet, more) {
			t.Errorf("%s: %s", c.name, h.BodySnippet[snippetSize:])
		}
	}
}

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }
