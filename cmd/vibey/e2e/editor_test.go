package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// editor is a process of `vibey acp` and the scripted client that drives it.
type editor struct {
	*place
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	log   *logbook
	ended chan struct{}

	mu      sync.Mutex
	last    int
	waits   map[int]chan rpc
	updates []update
	asked   []permission
	answer  func(permission) any // the result of a permission request; nil: none comes
	bad     []string             // lines of stdout that are no message
	news    chan struct{}
}

// rpc is any message.
type rpc struct {
	ID     *json.RawMessage `json:"id,omitempty"`
	Method string           `json:"method,omitempty"`
	Params json.RawMessage  `json:"params,omitempty"`
	Result json.RawMessage  `json:"result,omitempty"`
	Error  *rpcError        `json:"error,omitempty"`
}

type rpcError struct {
	Code    int
	Message string
}

// update is a session/update, flattened.
type update struct {
	Session string
	Kind    string          `json:"sessionUpdate"`
	Call    string          `json:"toolCallId"`
	Title   string          `json:"title"`
	Status  string          `json:"status"`
	Tool    string          `json:"kind"`
	Content json.RawMessage `json:"content"`
}

// text is what a chunk says.
func (u update) text() string {
	var c struct{ Text string }
	json.Unmarshal(u.Content, &c)
	return c.Text
}

// permission is a session/request_permission.
type permission struct {
	id       json.RawMessage
	Session  string `json:"sessionId"`
	ToolCall struct {
		ID      string `json:"toolCallId"`
		Title   string
		Kind    string
		Content []struct {
			Type    string
			Path    string
			OldText *string
			NewText string
			Content struct{ Text string }
		}
		RawInput json.RawMessage
	}
	Options []struct{ OptionID, Name, Kind string }
}

// option is the outcome that selects the option of that kind.
func (p permission) option(kind string) any {
	for _, o := range p.Options {
		if o.Kind == kind {
			return chosen(o.OptionID)
		}
	}
	return chosen("there is no " + kind)
}

func chosen(id string) any {
	return body{"outcome": body{"outcome": "selected", "optionId": id}}
}

func always(kind string) func(permission) any {
	return func(p permission) any { return p.option(kind) }
}

// edit starts `vibey acp` and says initialize.
func edit(t *testing.T, p *place, flags ...string) *editor {
	t.Helper()
	e := editing(t, p, flags...)
	var got struct {
		ProtocolVersion   int
		AgentCapabilities struct {
			LoadSession         bool
			PromptCapabilities  struct{ Image, Audio, EmbeddedContext bool }
			SessionCapabilities struct{ List, Resume *struct{} }
		}
	}
	e.call("initialize", body{"protocolVersion": 1, "clientCapabilities": body{"fs": body{"readTextFile": true, "writeTextFile": true}, "terminal": true}}, &got)
	if c := got.AgentCapabilities; got.ProtocolVersion != 1 || !c.LoadSession || !c.PromptCapabilities.EmbeddedContext || c.PromptCapabilities.Audio || c.SessionCapabilities.List == nil {
		t.Errorf("initialize: %+v", got)
	}
	return e
}

func editing(t *testing.T, p *place, flags ...string) *editor {
	t.Helper()
	e := &editor{place: p, t: t, log: &logbook{}, ended: make(chan struct{}), waits: map[int]chan rpc{}, news: make(chan struct{}, 1)}
	e.cmd = exec.Command(binary, append([]string{"acp"}, flags...)...)
	e.cmd.Env, e.cmd.Dir, e.cmd.Stderr = p.environment(), filepath.Dir(p.dir), e.log
	out, err := e.cmd.StdoutPipe()
	if err == nil {
		e.in, err = e.cmd.StdinPipe()
	}
	if err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		lines := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				break
			}
			e.take(line)
		}
		e.cmd.Wait()
		close(e.ended)
	}()
	t.Cleanup(func() {
		e.leave()
		e.mu.Lock()
		defer e.mu.Unlock()
		if log := e.log.String(); strings.Contains(log, "DATA RACE") || strings.Contains(log, "panic") || len(e.bad) > 0 {
			t.Errorf("no messages: %q; the program's log:\n%s", e.bad, log)
		}
	})
	return e
}

// leave closes stdin and waits until the process is gone.
func (e *editor) leave() {
	e.t.Helper()
	e.in.Close()
	select {
	case <-e.ended:
	case <-time.After(patience):
		e.cmd.Process.Signal(syscall.SIGKILL)
		e.t.Errorf("the process did not end with its stdin\n%s", e.log)
	}
}

func (e *editor) take(line string) {
	var m rpc
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		e.mu.Lock()
		e.bad = append(e.bad, line)
		e.mu.Unlock()
		return
	}
	switch {
	case m.Method == "session/update":
		var p struct {
			SessionID string
			Update    update
		}
		json.Unmarshal(m.Params, &p)
		p.Update.Session = p.SessionID
		e.mu.Lock()
		e.updates = append(e.updates, p.Update)
		e.mu.Unlock()
	case m.Method == "session/request_permission":
		var p permission
		json.Unmarshal(m.Params, &p)
		p.id = *m.ID
		e.mu.Lock()
		e.asked = append(e.asked, p)
		answer := e.answer
		e.mu.Unlock()
		if answer == nil {
			break
		}
		if result := answer(p); result != nil {
			e.send(body{"jsonrpc": "2.0", "id": p.id, "result": result})
		}
	case m.ID != nil && m.Method == "":
		var id int
		json.Unmarshal(*m.ID, &id)
		e.mu.Lock()
		c := e.waits[id]
		e.mu.Unlock()
		if c != nil {
			c <- m
		}
	}
	select {
	case e.news <- struct{}{}:
	default:
	}
}

func (e *editor) send(m any) {
	e.t.Helper()
	b, err := json.Marshal(m)
	if err == nil {
		_, err = e.in.Write(append(b, '\n'))
	}
	if err != nil {
		e.t.Error(err)
	}
}

// begin sends a request.
func (e *editor) begin(method string, params any) chan rpc {
	e.t.Helper()
	e.mu.Lock()
	e.last++
	id, c := e.last, make(chan rpc, 1)
	e.waits[id] = c
	e.mu.Unlock()
	e.send(body{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return c
}

func (e *editor) await(c chan rpc) rpc {
	e.t.Helper()
	select {
	case m := <-c:
		return m
	case <-e.ended:
		e.t.Fatalf("the process has ended\n%s", e.log)
	case <-time.After(patience):
		e.t.Fatalf("no answer\n%s", e.log)
	}
	return rpc{}
}

// call sends a request that has to succeed.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	m := e.await(e.begin(method, params))
	if m.Error != nil {
		e.t.Fatalf("%s: %+v", method, m.Error)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			e.t.Fatal(err)
		}
	}
}

// refused sends a request that has to fail, and returns its words.
func (e *editor) refused(method string, params any) rpcError {
	e.t.Helper()
	m := e.await(e.begin(method, params))
	if m.Error == nil {
		e.t.Fatalf("%s was answered with %s", method, m.Result)
	}
	return *m.Error
}

// modes are a session's modes.
type modes struct {
	Current   string                      `json:"currentModeId"`
	Available []struct{ ID, Name string } `json:"availableModes"`
}

// session begins one in a folder.
func (e *editor) session(cwd string) (id string) {
	e.t.Helper()
	var got struct {
		SessionID string
		Modes     modes
	}
	e.call("session/new", body{"cwd": cwd, "mcpServers": []any{}}, &got)
	if got.SessionID == "" || !strings.Contains(got.Modes.Current, "/") {
		e.t.Fatalf("session/new: %+v", got)
	}
	return got.SessionID
}

func text(words string) []any { return []any{body{"type": "text", "text": words}} }

// prompt sends a message and returns why the turn ended.
func (e *editor) prompt(session, words string) string {
	e.t.Helper()
	return e.stopped(e.await(e.begin("session/prompt", body{"sessionId": session, "prompt": text(words)})))
}

func (e *editor) stopped(m rpc) string {
	e.t.Helper()
	var got struct{ StopReason string }
	if m.Error != nil || json.Unmarshal(m.Result, &got) != nil {
		e.t.Fatalf("session/prompt: %+v", m.Error)
	}
	return got.StopReason
}

// until waits until the editor has been told what done looks for.
func (e *editor) until(what string, done func() bool) {
	e.t.Helper()
	late := time.After(patience)
	for {
		e.mu.Lock()
		ok := done()
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-e.news:
		case <-late:
			e.t.Fatalf("never came: %s\n%s", what, e.log)
		}
	}
}

// told returns what the editor was told of a session, in short, and forgets it: kinds of
// updates, pieces of one text as one.
func (e *editor) told(session string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out, rest []string
	var kept []update
	for _, u := range e.updates {
		if u.Session != session {
			kept = append(kept, u)
			continue
		}
		kind := strings.TrimSuffix(u.Kind, "_message_chunk")
		switch {
		case strings.HasSuffix(u.Kind, "_chunk"):
			if n := len(out); n > 0 && rest[n-1] == kind {
				out[n-1] += u.text()
				continue
			}
			out, rest = append(out, kind+":"+u.text()), append(rest, kind)
			continue
		case u.Kind == "tool_call":
			out = append(out, "call:"+u.Call+":"+u.Tool)
		case u.Kind == "tool_call_update":
			out = append(out, u.Status+":"+u.Call)
		default:
			out = append(out, u.Kind)
		}
		rest = append(rest, "")
	}
	e.updates = kept
	return strings.Join(out, " | ")
}
