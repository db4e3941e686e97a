package e2e

import (
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

var record = flag.Bool("record", false, "with -peers, write the recordings of the real agents anew, and what becomes of them; with -older, the folder of an older build")

// recordings are of each agent what passed, NAME.txt, and what stands in the dialog that
// became of it, NAME.dialog.txt.
const recordings = "testdata/recorded"

// longText is what a recording keeps the beginning of, written what a dialog has of its
// own each time.
var (
	longText = regexp.MustCompile(`"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u]){200})(?:[^"\\]|\\.)*"`)
	written  = regexp.MustCompile(`"mtime":"[^"]*"`)
)

// TestRecordedAgents plays what real agents sent, message by message, in a dialog in which
// one change is allowed, one denied, and one stopped: our answers are the recorded ones,
// and the same dialog becomes of it.
func TestRecordedAgents(t *testing.T) {
	testenv.Slow(t)
	for _, a := range peers {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			file, err := filepath.Abs(filepath.Join(recordings, a.name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			p := newPlace(t, providertest.Script{})
			got := a.decided(t, p, mockAgent(t, a.program)+" replay "+file, func(prompt, _ string) string { return prompt })
			want, err := os.ReadFile(filepath.Join(recordings, a.name+".dialog.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			p.checked()
		})
	}
}

// TestRecordPeers records the real agents: go test -run TestRecordPeers -peers FOLDER -record.
func TestRecordPeers(t *testing.T) {
	if *peersAt == "" || !*record {
		return
	}
	usual := patience
	patience = peerPatience
	t.Cleanup(func() { patience = usual })
	for _, a := range peers {
		t.Run(a.name, func(t *testing.T) {
			p, wants, scrub := a.configured(t)
			p.more = append(p.more, `OPENCODE_PERMISSION={"edit":"ask"}`) // else set where it is found on PATH
			passed := filepath.Join(t.TempDir(), "passed")
			got := a.decided(t, p, mockAgent(t, a.program)+" record "+passed+" "+a.command, wants)
			text, err := os.ReadFile(passed)
			if err != nil {
				t.Fatal(err)
			}
			var kept strings.Builder
			for line := range strings.Lines(scrub.Replace(string(text))) {
				switch {
				case strings.Contains(line, `"available_commands_update"`):
					continue // pages of what can be typed there
				case strings.HasPrefix(line, "> "):
					line = longText.ReplaceAllString(line, `"$1…"`) // what a prompt says is ours, and is not compared
				}
				kept.WriteString(line)
			}
			writeFile(t, filepath.Join(recordings, a.name+".txt"), kept.String())
			writeFile(t, filepath.Join(recordings, a.name+".dialog.txt"), scrub.Replace(got))
		})
	}
}

// configured is a place in which the real agent asks a scripted model, how that is told
// what to ask for, and what of the machine's paths is left out of a recording.
func (a peer) configured(t *testing.T) (p *place, wants func(prompt, name string) string, scrub *strings.Replacer) {
	t.Helper()
	p = newPlace(t, providertest.Script{})
	m := &model{}
	out := httptest.NewServer(m)
	t.Cleanup(out.Close)
	p.home = t.TempDir()
	p.more = append(a.env(out.URL), peerPath())
	if a.setup != nil {
		a.setup(t, p.home, out.URL)
	}
	deed := filepath.Join(p.dir, "work", "deed")
	wants = func(prompt, name string) string {
		c := a.call(filepath.Join(deed, name), "made by "+a.name)
		m.wants(prompt, &c)
		return prompt
	}
	return p, wants, strings.NewReplacer(deed, "$DEED", deed[1:], "$DEED", p.dir, "$DIR", p.home, "$HOME", *peersAt, "$PEERS", out.URL, "http://model")
}

// decided lets an agent ask for three changes, of which one is allowed, one denied and one
// stopped, and returns the dialog, a section a line.
func (a peer) decided(t *testing.T, p *place, command string, wants func(prompt, name string) string) string {
	t.Helper()
	h := serve(t, p, "--agent", a.name+"="+command)
	h.make("work")
	const path = "/project/work/dialog"
	f := h.post(path, body{"provider": "acp", "model": a.name, "prompt": wants("Please write a file.", "approved.txt"), "slug": a.name}).ends("tool_request")
	id := f.data.DialogID
	h.put(path, body{"dialogId": id, "control": approve(f.data.ToolCalls...)}).ends("done")
	f = h.put(path, body{"dialogId": id, "prompt": wants("And another one.", "denied.txt")}).ends("tool_request")
	h.put(path, body{"dialogId": id, "control": f.data.ToolCalls[0].ID + " deny\n"}).ends("done")
	h.put(path, body{"dialogId": id, "prompt": wants("A third one.", "stopped.txt")}).ends("tool_request")
	h.ask("PUT", path, body{"dialogId": id, "status": "waiting"}).is(200)
	h.put(path, body{"dialogId": id, "prompt": "Leave it."}).ends("done")
	st := h.look("work", id)
	h.kill(syscall.SIGTERM)
	return strings.ReplaceAll(st.lines(), filepath.Join(p.dir, "work", "deed"), "$DEED")
}

// lines are the sections of a dialog without what is another each time, such as ids and
// times, and without what we tell of ourselves.
func (s state) lines() string {
	var b strings.Builder
	for _, sec := range s.Sections {
		if sec.Meta["Kind"] == "codebase" {
			continue // a recorded agent writes no file, so the deed is another
		}
		b.WriteString(strings.Join(strings.Fields(sec.Role+" "+sec.Meta["Tool"]+" "+sec.Meta["Status"]), " ") + "\n")
		if sec.Role == "System" || sec.Role == "Authorization" {
			continue
		}
		for _, p := range sec.Payloads {
			text, err := json.Marshal(written.ReplaceAllString(p.Text, `"mtime":"…"`))
			if err != nil {
				panic(err) // a text is JSON
			}
			b.WriteString("  " + p.Type + " " + string(text) + "\n")
		}
	}
	return b.String()
}
