package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"vibey/provider/providertest"
)

// standIns are what this test's own program is if its first argument says so: an agent
// over ACP that plays a script, that hands on and records what passes between a real one
// and its client, or that plays a recording.
var standIns = map[string]func(file string, command []string) error{
	"play": func(file string, _ []string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return (&providertest.Agent{Script: string(text)}).Play(os.Stdin, os.Stdout)
	},
	"record": func(file string, command []string) error {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return recordAgent(f, command, os.Stdin, os.Stdout)
	},
	"replay": func(file string, _ []string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return replayAgent(string(text), os.Stdin, os.Stdout)
	},
}

// mockAgent is the stand-in for agents, named as an agent's program, by which it is known.
func mockAgent(t testing.TB, program string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), program)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// A recording is what passed between a client and an agent over ACP, in its order, a
// message a line: behind "> " what the client sent, behind "< " what the agent did.

// recordAgent starts an agent, hands on what passes between it and in and out, and writes that
// to a recording. It returns when the agent has ended.
func recordAgent(recording io.Writer, command []string, in io.Reader, out io.Writer) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var mu sync.Mutex
	hand := func(mark string, from io.Reader, to io.Writer) {
		lines := bufio.NewReaderSize(from, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			mu.Lock()
			fmt.Fprintf(recording, "%s %s", mark, line) // before it is handed on, so that its answer stands behind it
			mu.Unlock()
			if _, err := to.Write(line); err != nil {
				return
			}
		}
	}
	go func() {
		hand(">", in, to)
		to.Close()
	}()
	hand("<", from, out)
	return cmd.Wait()
}

// passed is a line of a recording.
type passed struct {
	message
	line string
	ours bool // of the agent
	came bool // of the client, and has come
}

// replayAgent plays the agent of a recording until in ends. What the agent sent goes out once
// all that it had got by then has come: requests by their method, answers as they were, in
// any order. Requests of the client keep the ids that it gives them, and $DEED stands for
// the folder of its session. What was not recorded is an error.
func replayAgent(recording string, in io.Reader, out io.Writer) error {
	var lines []*passed
	for line := range strings.Lines(recording) {
		r := &passed{line: strings.TrimSpace(line[1:]), ours: line[0] == '<'}
		if err := json.Unmarshal([]byte(r.line), &r.message); err != nil {
			return fmt.Errorf("%w in %s", err, line)
		}
		lines = append(lines, r)
	}
	ids, deed := map[string]json.RawMessage{}, ""
	from := bufio.NewReaderSize(in, 1<<20)
	for next := 0; ; {
		for ; next < len(lines) && (lines[next].ours || lines[next].came); next++ {
			if !lines[next].ours {
				continue
			}
			text := strings.ReplaceAll(lines[next].line, "$DEED", deed)
			if lines[next].Method == "" {
				text = withID(text, ids[string(lines[next].ID)])
			}
			io.WriteString(out, text+"\n")
		}
		line, err := from.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		was := awaited(lines, m)
		if was == nil {
			return fmt.Errorf("this was not recorded: %s", line)
		}
		was.came = true
		if m.Method != "" {
			ids[string(was.ID)] = m.ID
		}
		var p struct{ CWD string }
		if json.Unmarshal(m.Params, &p) == nil && p.CWD != "" {
			deed = p.CWD
		}
	}
}

// message is what is read of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// awaited is the first line of the client that has not come yet and that m is, nil for
// none.
func awaited(lines []*passed, m message) *passed {
	for _, r := range lines {
		switch {
		case r.ours || r.came || r.Method != m.Method:
		case m.Method != "", string(r.ID) == string(m.ID) && same(r.Result, m.Result) && same(r.Error, m.Error):
			return r
		}
	}
	return nil
}

// same reports whether two JSON values say the same.
func same(a, b json.RawMessage) bool {
	var x, y any
	json.Unmarshal(a, &x)
	json.Unmarshal(b, &y)
	return reflect.DeepEqual(x, y)
}

// withID is a JSON object with another id.
func withID(object string, id json.RawMessage) string {
	var fields map[string]json.RawMessage
	json.Unmarshal([]byte(object), &fields) // it was read as one
	fields["id"] = id
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // of JSON that was read
	}
	return string(b)
}
