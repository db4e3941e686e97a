package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
	"vibey/tools/sandbox"
)

// The tests named TestSeed… hold the first requirements, step by step; the doc
// doc-seeds.md says which test holds which. They share what is in this file.

// allAllowed are the lines by which a human lets every tool run unasked.
func allAllowed() string {
	return "allow run_command\nallow write_file\nallow edit_file\nallow start_server\nallow stop_server\nallow plan_decision_log" + servers()
}

// servers is the line by which a human lets servers start where that needs the network of
// the machine, which is at landlock; "" at another level.
var servers = sync.OnceValue(func() string {
	if sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Levels: sandbox.Strongest()}).Level() == sandbox.Landlock {
		return "\nallow network"
	}
	return ""
})

// rules is a doc-main.md with a project/v1 block of these lines.
func rules(lines string) string {
	return "# Shop\n\nA shop.\n\nəəəproject/v1\n" + lines + "\nəəə\n"
}

// begin starts a server with a project p, and in it a dialog that has no message yet.
func begin(t *testing.T, provider, doc string, s providertest.Script) *walk {
	t.Helper()
	w := &walk{host: serve(t, newPlace(t, s)), provider: provider}
	w.make("p")
	w.ask("POST", "/project/p/file/doc-main.md", body{"content": doc}).is(200)
	w.draft()
	return w
}

// draft makes a new dialog the one of the walk.
func (w *walk) draft() {
	w.t.Helper()
	w.id = w.ask("POST", dialogPath+"/new", body{"provider": w.provider}).is(200).object()["dialogId"].(string)
}

// says sends a message of a human who lets every tool run, and waits for the turn's end.
func (w *walk) says(prompt string) []frame {
	w.t.Helper()
	return w.put(body{"prompt": prompt, "control": allAllowed()}, "done")
}

// now is the dialog as it stands.
func (w *walk) now() state { w.t.Helper(); return w.look("p", w.id) }

// system is what the model was told first.
func (w *walk) system() string {
	w.t.Helper()
	for _, s := range w.now().Sections {
		if s.Role == "System" {
			return s.text()
		}
	}
	w.t.Fatal("there is no System section")
	return ""
}

// sent is what the provider got at its n-th request, 0 for the first.
func (w *walk) sent(n int) string {
	w.t.Helper()
	bodies := w.mock.Bodies()
	if n >= len(bodies) {
		w.t.Fatalf("the provider got %d requests, and no number %d", len(bodies), n)
	}
	return bodies[n].Text
}

// lastSent is what the provider got last.
func (w *walk) lastSent() string { w.t.Helper(); return w.sent(len(w.mock.Bodies()) - 1) }

// result reads the result of a call.
func (w *walk) result(id string) body {
	w.t.Helper()
	r, ok := w.now().find("Tool Result", id)
	var b body
	if err := json.Unmarshal([]byte(r.text()), &b); !ok || err != nil {
		w.t.Fatalf("the result of %s: %v, %v, %s", id, ok, err, r.text())
	}
	return b
}

// notes are the Notes of a kind.
func (s state) notes(kind string) (out []section) {
	for _, sec := range s.Sections {
		if sec.Role == "Note" && sec.Meta["Kind"] == kind {
			out = append(out, sec)
		}
	}
	return out
}

// note is the only Note of a kind.
func (w *walk) note(kind string) section {
	w.t.Helper()
	st := w.now()
	notes := st.notes(kind)
	if len(notes) != 1 {
		w.t.Fatalf("%d Notes of the kind %s in %s", len(notes), kind, st.roles())
	}
	return notes[0]
}

// events are the data of the frames of a type.
func events(frames []frame, kind string) (out []string) {
	for _, f := range frames {
		if f.kind == kind {
			out = append(out, f.raw)
		}
	}
	return out
}

// are fails the test unless the events of a type are these.
func (w *walk) are(frames []frame, kind string, want ...string) {
	w.t.Helper()
	if got := events(frames, kind); !slices.Equal(got, want) {
		w.t.Errorf("the events %s are\n  %s\nand not\n  %s", kind, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// holds fails the test unless text holds each of want.
func (w *walk) holds(what, text string, want ...string) {
	w.t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			w.t.Errorf("%s lacks %q:\n%s", what, s, text)
		}
	}
}

// lacks fails the test if text holds one of bad.
func (w *walk) lacks(what, text string, bad ...string) {
	w.t.Helper()
	for _, s := range bad {
		if strings.Contains(text, s) {
			w.t.Errorf("%s has %q:\n%s", what, s, text)
		}
	}
}

// legal fails the test if a request to the provider was not, or check finds fault.
func (w *walk) legal() { w.t.Helper(); w.bodies(""); w.checked() }

// tool makes a call; args are JSON with verbs of fmt.
func tool(id, name, args string, more ...any) providertest.Call {
	if len(more) > 0 {
		args = fmt.Sprintf(args, more...)
	}
	return providertest.Call{ID: id, Name: name, Args: providertest.Args(args)}
}

// does is a response with words, which may be "", and calls.
func does(text string, calls ...providertest.Call) providertest.Reply {
	return providertest.Reply{Text: text, Calls: calls}
}

// command is a call of run_command.
func command(id, line string) providertest.Call {
	return tool(id, "run_command", `{"command":%q}`, line)
}

// saves is a call of write_file that writes a file of the deed.
func saves(id, path, content string) providertest.Call {
	return tool(id, "write_file", `{"path":%q,"content":%q}`, "deed/"+path, content)
}

// server is a call of start_server. It answers each request with a status, and with the
// name of the folder that it runs in.
func server(t *testing.T, id string, status int) providertest.Call {
	port := testenv.Port(t)
	line := fmt.Sprintf(`exec /usr/bin/python3 -u -c '
import http.server, os
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(%d)
        self.end_headers()
        self.wfile.write(os.path.basename(os.getcwd()).encode())
http.server.HTTPServer(("127.0.0.1", %d), H).serve_forever()'`, status, port)
	return tool(id, "start_server", `{"command":%q,"port":%d}`, line, port)
}
