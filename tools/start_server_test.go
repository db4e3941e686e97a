package tools

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/tools/sandbox"
)

// serving is a world whose set has servers, at the strongest level of this machine.
func serving(t *testing.T) *world {
	w := newWorld(t)
	w.set = NewSet("server")
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Levels: sandbox.Strongest()})
	t.Cleanup(func() { w.env.Sandbox.StopServers("") })
	return w
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
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
	w, port := serving(t), freePort(t)
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
	if r, _ := w.serverCall("start_server", port, `,"command":"true"`); r.Failure != ExecError || !strings.Contains(r.JSON, "port") {
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
	w, port := serving(t), freePort(t)
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
	for _, args := range []string{`{"port":0,"command":"true"}`, `{"port":70000,"command":"true"}`, `{"port":"80","command":"true"}`} {
		if r, _ := w.callArgs("start_server", args); r.Failure != Schema {
			t.Errorf("%s: %s", args, r.JSON)
		}
	}
}

// TestStartServerWithoutNetwork: where commands have no network of their own, a
// server would open a port of this machine: a human must have allowed that.
func TestStartServerWithoutNetwork(t *testing.T) {
	w, port := serving(t), freePort(t)
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.Landlock}})
	if w.env.Sandbox.Level() != sandbox.Landlock {
		t.Logf("no landlock here: %v", w.env.Sandbox.Missing())
		return
	}
	w.put("deed/index.html", "hello\n")
	command := fmt.Sprintf(`,"command":"exec /usr/bin/python3 -u -m http.server --bind 127.0.0.1 %d"`, port)
	if r, m := w.serverCall("start_server", port, command); r.Failure != Permission || !strings.Contains(m["error"].(string), "allow network") {
		t.Error(r.JSON)
	}
	w.env.Network = true
	if r, m := w.serverCall("start_server", port, command); !r.Success || m["port"] != float64(port) {
		t.Error(r.JSON)
	}
}
