package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/tools/sandbox"
)

// A turn's limit holds for its commands, and is told.
func TestCommandLimit(t *testing.T) {
	w := newWorld(t)
	w.env.Limit = 200 * time.Millisecond
	if r, _ := w.call("run_command", "command", "sleep 1000"); r.Success || !strings.Contains(r.JSON, "stopped after 200ms") {
		t.Error(r.JSON)
	}
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Limit: 200 * time.Millisecond})
	w.env.Limit = 20 * time.Second
	if r, _ := w.call("run_command", "command", "sleep 0.5"); !r.Success {
		t.Error(r.JSON)
	}
}

// A command that may write nothing reads, and says so; it makes no HOME. Where nothing
// can hold that it is refused, and so is a server.
func TestReadOnlyCalls(t *testing.T) {
	w := serving(t)
	if !w.env.Sandbox.HoldsReadOnly() {
		t.Fatal("this machine has no walls")
	}
	w.put("deed/index.html", "hello\n")
	w.env.ReadOnly = true
	r, m := w.call("run_command", "command", "cat deed/index.html; echo x > deed/new || echo y > ~/z")
	if !r.Success || m["stdout"] != "hello\n" || fmt.Sprint(m["changed"]) != "[]" || !strings.Contains(r.JSON, ranReadOnly) || strings.Contains(r.JSON, "[NOTE]") {
		t.Error(r.JSON)
	}
	if _, err := os.Lstat(w.env.Home); err == nil || w.get("deed/new") != "(none)" {
		t.Errorf("it wrote: %v", err)
	}
	go func(w *world) { // as a server does that runs beside it
		for w.get("deed/asked") == "(none)" {
			time.Sleep(10 * time.Millisecond)
			os.WriteFile(w.path("deed/asked"), []byte("x"), 0o644)
		}
	}(w)
	r, m = w.call("run_command", "command", "until [ -e deed/asked ]; do sleep 0.02; done; sleep 0.1")
	if !r.Success || strings.Contains(r.JSON, ranReadOnly) || !strings.Contains(fmt.Sprint(m["note"]), "changed by something else") {
		t.Error(r.JSON)
	}
	w.env.Network = true
	port := testenv.Port(t)
	r, m = w.serverCall("start_server", port, fmt.Sprintf(`,"command":"echo x > new; exec /usr/bin/python3 -m http.server --bind 127.0.0.1 %d"`, port))
	if !r.Success || !strings.Contains(fmt.Sprint(m["note"]), "read-only") || w.get("deed/new") != "(none)" {
		t.Error(r.JSON)
	}

	w = newWorld(t)
	w.set, w.env.ReadOnly = NewSet("server"), true
	for tool, args := range map[string]string{"run_command": `{"command":"echo x > deed/new"}`, "start_server": `{"command":"echo x > new","port":8123}`} {
		if r, _ := w.callArgs(tool, args); r.Success || !r.NotRun || r.Failure != Permission || !strings.Contains(r.JSON, "make the checkpoint first") {
			t.Errorf("%s: %s", tool, r.JSON)
		}
	}
	if w.get("deed/new") != "(none)" {
		t.Error("it wrote")
	}
}
