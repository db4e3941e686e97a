package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// vibey runs one command line on a place and returns what it printed and its
// exit code.
func (p *place) vibey(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		p.t.Fatal(err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// checked holds `vibey check` over the place: no rule may be broken, but for
// those that are named.
func (p *place) checked(but ...string) {
	p.t.Helper()
	out, log, code := p.vibey("check", "--state", p.state, p.dir)
	for line := range strings.Lines(out) {
		if !slices.ContainsFunc(but, func(rule string) bool { return strings.Contains(line, ": "+rule+": ") }) {
			p.t.Errorf("vibey check: %s", line)
		}
	}
	if code == 2 {
		p.t.Errorf("vibey check could not run: %s", log)
	}
}

// TestCommandLine works on the folder of a server that runs.
func TestCommandLine(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	write := func(id string) providertest.Call {
		return providertest.Call{ID: id, Name: "write_file", Args: providertest.Args(`{"path":"deed/` + id + `","content":"x"}`)}
	}
	slow := providertest.Reply{Text: strings.Repeat("slow ", 60), Chunk: 5, DelayMS: 15}
	h := serve(t, newPlace(t, providertest.Script{
		Cases: []providertest.Case{{When: "slowly", Replies: []providertest.Reply{slow, {Text: "More."}}}},
		Replies: []providertest.Reply{
			{Text: "Two files.", Calls: []providertest.Call{write("one"), write("two")}}, {Text: "One is written."},
		},
	}))
	h.make("p")

	t.Run("run, approve, deny", func(t *testing.T) {
		out, log, code := h.vibey("run", "-p", "p", "--provider", "claude", "--slug", "by-hand", "write two files")
		if code != 3 || !strings.Contains(out, "Two files.") || !strings.Contains(out, "sha256") {
			t.Fatalf("run: exit %d\n%s%s", code, out, log)
		}
		// The server sees what another process has done.
		var list []state
		h.get("/project/p/dialogs").is(200).into(&list)
		if len(list) != 1 || list[0].Needs != "approval" || !strings.HasSuffix(list[0].DialogID, "-by-hand") {
			t.Fatalf("list %+v", list)
		}
		id := list[0].DialogID
		if out, log, code := h.vibey("approve", "p/"+id, "three"); code == 0 || h.there("p", "deed", "one") {
			t.Errorf("approve what is not there: exit %d\n%s%s", code, out, log)
		}
		if out, log, code := h.vibey("approve", id, "one"); code != 3 || !h.there("p", "deed", "one") {
			t.Errorf("approve: exit %d\n%s%s", code, out, log)
		}
		out, log, code = h.vibey("deny", "p/"+id, "two", "--json")
		if code != 0 || h.there("p", "deed", "two") {
			t.Errorf("deny: exit %d\n%s%s", code, out, log)
		}
		for line := range strings.Lines(out) {
			var e struct{ Type string }
			if json.Unmarshal([]byte(line), &e) != nil || e.Type == "" {
				t.Errorf("--json printed %q", line)
			}
		}
		if st := h.look("p", id); st.Needs != "reply" || !strings.HasSuffix(lastAssistant(st).text(), "One is written.") {
			t.Errorf("the server says %s: %s", st.Needs, st.roles())
		}
		if out, _, code := h.vibey("approve", "p/"+id, "two"); code == 0 || h.there("p", "deed", "two") {
			t.Errorf("a denied call can be approved: %d %s", code, out)
		}
	})

	t.Run("tail what the server runs", func(t *testing.T) {
		s := h.post(dialogPath, body{"provider": "openai", "prompt": "tell it slowly"})
		id := s.kind("section").data.DialogID
		s.kind("chunk")
		out, log, code := h.vibey("tail", "p/"+id)
		if code != 0 || strings.Count(out, "slow ") < 60 || strings.Count(out, "slow slow") > 60 {
			t.Errorf("tail: exit %d\n%s%s", code, out, log)
		}
		// What it runs, nobody else can run.
		s = h.put(dialogPath, body{"dialogId": id, "prompt": "go on"})
		s.ends("done")
	})

	t.Run("what another process runs is followed, not run twice", func(t *testing.T) {
		cmd := exec.Command(binary, "run", "-p", "p", "--provider", "claude", "--slug", "elsewhere", "tell it slowly")
		cmd.Env, cmd.Dir = h.environment(), filepath.Dir(h.dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 40) // the first words: it is at work
		if _, err := out.Read(buf); err != nil {
			t.Fatal(err)
		}
		var id string
		for _, name := range h.names("p") {
			if m := regexp.MustCompile(`^dialog-(.*-elsewhere)-active\.md$`).FindStringSubmatch(name); m != nil {
				id = m[1]
			}
		}
		if id == "" {
			t.Fatalf("no active dialog among %v", h.names("p"))
		}
		h.ask("PUT", dialogPath, body{"dialogId": id, "prompt": "me too"}).problem(409)
		s := h.join("p", id, "")
		f := s.ends("done")
		bytes.NewBuffer(buf).ReadFrom(out)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		var v seen
		v.take(s.wait())
		if st := h.look("p", id); len(v.sections) != len(st.Sections) || v.open != "" || f.status() != "waiting" {
			t.Errorf("followed %d sections of %d, open %q, end %s", len(v.sections), len(st.Sections), v.open, f.raw)
		}
	})

	t.Run("login", func(t *testing.T) {
		out, log, code := h.vibey("login")
		m := firstLine.FindStringSubmatch(strings.TrimSuffix(out, "\n"))
		if code != 0 || m == nil || m[1] != h.url {
			t.Fatalf("login: exit %d %q %s", code, out, log)
		}
		h.ask("POST", "/login", body{"code": m[2]}).is(200)
		h.ask("POST", "/login", body{"code": m[2]}).problem(401)
	})

	t.Run("check and fmt", func(t *testing.T) {
		h.checked()
		const loose = "# Dialog\r\n> Provider: claude\r\n> Model: m\r\n\r\n## User\r\nHello there.\r\n"
		h.write(loose, "p", "dialog-20260102-000000-loose-waiting.md")
		out, _, code := h.vibey("check", "--state", h.state, h.dir)
		if code != 1 || !strings.Contains(out, "dialog-20260102-000000-loose-waiting.md:") {
			t.Errorf("check of a loose file: exit %d\n%s", code, out)
		}
		if out, log, code := h.vibey("fmt", filepath.Join(h.dir, "p")); code != 0 {
			t.Errorf("fmt: exit %d\n%s%s", code, out, log)
		}
		h.checked()
		if st := h.look("p", "20260102-000000-loose"); len(st.Sections) != 1 || !strings.Contains(st.Sections[0].text(), "Hello there.") {
			t.Errorf("fmt lost text: %s", st.Markdown)
		}
		if _, _, code := h.vibey("check", filepath.Join(h.dir, "nowhere")); code != 2 {
			t.Errorf("check of nothing: exit %d", code)
		}
	})

	// An approval that was altered by a hand is found by its Mac.
	t.Run("check finds a forged approval", func(t *testing.T) {
		for _, name := range h.names("p") {
			if strings.Contains(name, "-by-hand-") {
				h.write(strings.Replace(h.read("p", name), "two deny", "allow run_command", 1), "p", name)
			}
		}
		if out, _, code := h.vibey("check", "--state", h.state, h.dir); code != 1 || !strings.Contains(strings.ToLower(out), "mac") {
			t.Errorf("exit %d\n%s", code, out)
		}
	})
	h.bodies("")
}
