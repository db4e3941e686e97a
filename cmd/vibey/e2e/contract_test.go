package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibey/provider/providertest"
)

var (
	validID   = regexp.MustCompile(`^20\d{6}-\d{6}-[a-z0-9-]+$`)
	validSpan = regexp.MustCompile(`^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ - 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)
)

// keys are the names of an object's members.
func keys(raw string) []string {
	var m map[string]json.RawMessage
	json.Unmarshal([]byte(raw), &m) // no object has no names
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func wantKeys(t *testing.T, what, raw string, want ...string) {
	t.Helper()
	have := keys(raw)
	for _, k := range want {
		if !slices.Contains(have, k) {
			t.Errorf("%s has no %q: %s", what, k, raw)
		}
	}
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestShapes goes through one dialog and looks at the shape of all that comes.
func TestShapes(t *testing.T) {
	args := `{ "command":"cat doc-main.md",  "description":"read the docs" }`
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			h := serve(t, newPlace(t, providertest.Script{Models: []string{"first", "second"}, Replies: []providertest.Reply{
				{Text: "I will *read* it.", Usage: &providertest.Usage{In: 100, Out: 20}, Calls: []providertest.Call{{ID: "r1", Name: "run_command", Args: providertest.Args(args)}}},
				{Text: "It says this.", Usage: &providertest.Usage{In: 300, Out: 30, Cached: 90}},
			}}))
			h.make("p")
			a := h.ask("POST", dialogPath+"/new", body{"provider": provider, "slug": "Read Vibey, bitte: größer!"}).is(200)
			if got := keys(a.text); !slices.Equal(got, []string{"dialogId", "filename", "model", "provider", "status"}) {
				t.Errorf("draft %s", a.text)
			}
			var draft state
			a.into(&draft)
			if !validID.MatchString(draft.DialogID) || draft.Filename != "dialog-"+draft.DialogID+"-waiting.md" || draft.Status != "waiting" || draft.Model != "first" || draft.Provider != provider {
				t.Errorf("draft %s", a.text)
			}
			if st := h.look("p", draft.DialogID); st.Needs != "reply" || len(st.Sections) != 0 {
				t.Errorf("a draft needs %s, sections %v", st.Needs, st.Sections)
			}

			s := h.put(dialogPath, body{"dialogId": draft.DialogID, "prompt": "read it"})
			end := s.ends("tool_request")
			wantKeys(t, "tool_request", end.raw, "type", "dialogId", "filename", "toolCalls")
			c := end.data.ToolCalls[0]
			if c.ID != "r1" || c.Name != "run_command" || c.InputText != args || c.SHA256 != sha(c.InputText) || c.Description != "read the docs" || string(c.Input) == "" {
				t.Errorf("tool call %+v", c)
			}
			if got := s.text(); got != "I will *read* it." {
				t.Errorf("streamed %q", got)
			}
			for _, f := range s.wait() {
				switch f.kind {
				case "section":
					checkSection(t, f.data.Section)
					if f.data.DialogID != draft.DialogID {
						t.Errorf("a section's dialogId: %s", f.raw)
					}
				case "chunk":
					wantKeys(t, "chunk", f.raw, "type", "content")
				}
			}

			var list []struct{ DialogID, Status, Needs, Filename, MTime string }
			h.get("/project/p/dialogs").is(200).into(&list)
			if len(list) != 1 || list[0].DialogID != draft.DialogID || list[0].Needs != "approval" || list[0].Status != "waiting" || list[0].Filename != draft.Filename || list[0].MTime == "" {
				t.Errorf("list %+v", list)
			}
			whole := h.get(dialogPath + "/" + draft.DialogID).is(200)
			wantKeys(t, "a dialog", whole.text, "dialogId", "status", "needs", "filename", "markdown", "sections", "pending")
			st := h.look("p", draft.DialogID)
			if p := st.Pending; len(p) != 1 || p[0].ID != "r1" || p[0].Tool != "run_command" || p[0].SHA256 != c.SHA256 || p[0].InputText != c.InputText {
				t.Errorf("pending %+v", p)
			}
			if st.Markdown != h.read("p", draft.Filename) {
				t.Error("markdown is not the file's text")
			}
			for _, sec := range st.Sections {
				checkSection(t, sec)
			}
			var window state
			h.get(dialogPath + "/" + draft.DialogID + "?markdown=0&from=1&limit=2").is(200).into(&window)
			if window.Markdown != "" || len(window.Sections) != 2 || fmt.Sprint(window.Sections) != fmt.Sprint(st.Sections[1:3]) {
				t.Errorf("a window of sections: %+v", window)
			}
			if raw := h.get(dialogPath + "/" + draft.DialogID + "?markdown=0").is(200).text; slices.Contains(keys(raw), "markdown") {
				t.Error("markdown=0 brings the markdown")
			}

			done := h.put(dialogPath, body{"dialogId": draft.DialogID, "control": approve(st.Pending...)}).ends("done")
			wantKeys(t, "done", done.raw, "type", "dialogId", "filename", "status", "needs", "resources")
			if r := done.data.Resources; r.In != 400 || r.Out != 50 || r.Total != 450 || r.Tools < 1 || r.Cached != 90 {
				t.Errorf("resources at the end: %+v", r)
			}
			st = h.look("p", draft.DialogID)
			last := lastAssistant(st)
			var sum resources
			for _, sec := range st.Sections {
				sum.In += sec.Resources.In
				if sec.Role == "Tool Result" {
					sum.Tools += sec.Resources.Tools
				}
			}
			if want := fmt.Sprintf("in=400 out=50 total=450 tools=%d ", sum.Tools); !strings.HasPrefix(last.Meta["Resources cumulative"], want) || sum.In != 400 {
				t.Errorf("cumulative %q, want %q…; the sections' sum is %+v", last.Meta["Resources cumulative"], want, sum)
			}
			if st.Needs != "reply" || last.Resources.In != 300 || last.Resources.Cached != 90 {
				t.Errorf("needs %s; %+v", st.Needs, last)
			}
			if html := htmlOf(st, "I will"); !strings.Contains(html, "<em>read</em>") {
				t.Errorf("HTML of the markdown: %q", html)
			}
			h.bodies("")
		})
	}
}

// htmlOf is the HTML of the first section whose text holds that.
func htmlOf(st state, text string) string {
	for _, s := range st.Sections {
		if strings.Contains(s.text(), text) {
			return s.HTML
		}
	}
	return ""
}

func checkSection(t *testing.T, s section) {
	t.Helper()
	if s.Role == "" || s.ID == "" || !validSpan.MatchString(s.Time) || s.Meta == nil || len(s.Payloads) == 0 || s.Payloads[0].Type == "" {
		t.Errorf("section %+v", s)
	}
	if a, b, _ := strings.Cut(s.Time, " - "); s.Role == "User" && a != b {
		t.Errorf("a User section's time is %s", s.Time)
	}
}

// TestFirstFrame: a POST tells first what it wrote of the human.
func TestFirstFrame(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{{Text: "hello"}}}))
	h.make("p")
	s := h.post(dialogPath, body{"provider": "claude", "model": "m-7", "prompt": "hi there", "slug": "greeting"})
	s.ends("done")
	f := s.wait()[0]
	if f.kind != "section" || f.data.Section.Role != "User" || f.data.Section.text() != "hi there" || !strings.HasSuffix(f.data.DialogID, "-greeting") {
		t.Errorf("first frame %s", f.raw)
	}
	if st := h.look("p", f.data.DialogID); st.Model != "m-7" || st.Status != "waiting" || st.Needs != "reply" {
		t.Errorf("%+v", st)
	}
	// An object stays JSON, and its text is what the model reads.
	s = h.put(dialogPath, body{"dialogId": f.data.DialogID, "prompt": body{"text": "from a form", "colour": "red"}})
	s.ends("done")
	u, _ := s.until(0, func(f frame) bool { return f.data.Section.Role == "User" })
	if p := u.data.Section.Payloads[0]; p.Type != "input/json" || p.Text != `{"colour":"red","text":"from a form"}` {
		t.Errorf("an object as prompt: %+v", p)
	}
	if b := h.mock.Bodies(); !strings.Contains(b[len(b)-1].Text, `"from a form"`) || strings.Contains(b[len(b)-1].Text, `"red`) {
		t.Errorf("the model was told %s", b[len(b)-1].Text)
	}
}

// TestRefusals is the table of what a dialog's POST and PUT refuse; none of it
// changes a byte.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "May I?", Calls: []providertest.Call{{ID: "c1", Name: "write_file", Args: `{"path":"deed/a","content":"a"}`}}},
	}}))
	h.make("p")
	id := h.post(dialogPath, body{"provider": "claude", "prompt": "go"}).ends("tool_request").data.DialogID
	before := h.files()
	for _, c := range []struct {
		method string
		path   string
		send   any
		status int
		word   string
	}{
		{"POST", "", body{"provider": "claude"}, 400, "prompt"},
		{"POST", "", body{"prompt": "x"}, 400, "provider"},
		{"POST", "", body{"provider": "nobody", "prompt": "x"}, 400, "nobody"},
		{"POST", "", body{"provider": "claude", "prompt": " \n"}, 400, "prompt"},
		{"POST", "", body{"provider": "claude", "prompt": 7}, 400, "prompt"},
		{"POST", "", body{"provider": "claude", "prompt": "x", "intent": "lazy"}, 400, "intent"},
		{"POST", "", body{"provider": "claude", "prompt": "x", "colour": "red"}, 400, "colour"},
		{"POST", "/new", body{"provider": "nobody"}, 400, "nobody"},
		{"POST", "/new", body{}, 400, "provider"},
		{"PUT", "", body{"prompt": "x"}, 400, "dialogId"},
		{"PUT", "", body{"dialogId": id}, 400, "prompt"},
		{"PUT", "", body{"dialogId": id, "status": "active"}, 400, "status"},
		{"PUT", "", body{"dialogId": id, "decisions": []any{}}, 400, "control"},
		{"PUT", "", body{"dialogId": id, "authorizations": body{"run_command": true}}, 400, "control"},
		{"PUT", "", body{"dialogId": id, "control": "c1 approve sha256:" + strings.Repeat("0", 64)}, 409, "c1"},
		{"PUT", "", body{"dialogId": id, "control": "c1 approve", "seen": 7}, 400, "seen"},
		{"PUT", "", body{"dialogId": id, "model": "other"}, 400, "prompt"},
		{"PUT", "", body{"dialogId": "20200101-000000-none", "prompt": "x"}, 404, ""},
		{"PUT", "", body{"dialogId": "../x", "prompt": "x"}, 404, ""},
		{"PUT", "", `{"dialogId":"` + id + `","dialogId":"x","prompt":"x"}`, 400, "dialogId"},
		{"PUT", "", `[]`, 400, ""},
		{"PUT", "", `{} {}`, 400, ""},
		{"PUT", "", ``, 400, ""},
	} {
		a := h.ask(c.method, dialogPath+c.path, c.send)
		if d := a.problem(c.status); !strings.Contains(d, c.word) {
			t.Errorf("%s %v: %q does not name %q", c.method, c.send, d, c.word)
		}
	}
	h.get(dialogPath + "/20200101-000000-none").problem(404)
	h.get(dialogPath + "/20200101-000000-none/stream").problem(404)
	if after := h.files(); after != before {
		t.Errorf("a refused request changed the files:\n%s\nbefore:\n%s", after, before)
	}
	if n := len(h.mock.Bodies()); n != 1 {
		t.Errorf("%d requests to the provider", n)
	}
}

// TestControl decides in every way, and counts who is called.
func TestControl(t *testing.T) {
	t.Parallel()
	w := func(id, path string) providertest.Call {
		return providertest.Call{ID: id, Name: "write_file", Args: providertest.Args(`{"path":"` + path + `","content":"` + id + `"}`)}
	}
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "Five.", Calls: []providertest.Call{w("w1", "deed/1"), w("w2", "deed/2"), w("w3", "deed/3"), w("main", "doc-main.md"), {ID: "cmd", Name: "run_command", Args: `{"command":"touch deed/cmd"}`}}},
		{Text: "More.", Calls: []providertest.Call{w("w4", "deed/4")}},
		{Text: "Still more.", Calls: []providertest.Call{w("w5", "deed/5"), w("w6", "deed/6")}},
		{Text: "End."},
	}}))
	h.make("p")
	f := h.post(dialogPath, body{"provider": "claude", "prompt": "go"}).ends("tool_request")
	id := f.data.DialogID
	put := func(send body) state {
		t.Helper()
		send["dialogId"] = id
		var st state
		a := h.ask("PUT", dialogPath, send).is(200)
		a.into(&st)
		wantKeys(t, "PUT's answer", a.text, "dialogId", "status", "needs", "filename", "pending", "ignored")
		return st
	}
	// Part of them: what was approved runs now, the dialog goes on waiting.
	st := put(body{"control": "# a comment\n\nw1 approve\nw2 deny\nwhat\nnobody approve\napprove w3"})
	if !slices.Equal(st.Ignored, []string{"what", "approve w3", "nobody approve"}) || len(st.Pending) != 3 || st.Needs != "approval" || st.Status != "waiting" {
		t.Errorf("after a part: %+v", st)
	}
	if !h.there("p", "deed", "1") || h.there("p", "deed", "2") || len(h.mock.Bodies()) != 1 {
		t.Error("not exactly the approved call ran, or the model was asked")
	}
	// Replayed: nothing changes, nobody is called.
	before := h.files()
	st = put(body{"control": "w1 approve\nw1 deny\nw2 approve"})
	if after := h.files(); after != before || len(st.Pending) != 3 {
		t.Errorf("replayed control changed something: %+v", st)
	}
	// A blanket covers neither doc-main.md nor an uncontained command.
	shown := h.look("p", id)
	blanket := "allow write_file"
	if h.get("/health").is(200).object()["sandbox"] == "none" {
		blanket += "\nallow run_command"
	}
	st = put(body{"control": blanket, "seen": shown.Sections[len(shown.Sections)-1].ID})
	if len(st.Pending) != 2 || st.Pending[0].ID != "main" || st.Pending[1].ID != "cmd" || !h.there("p", "deed", "3") {
		t.Errorf("after allow: %+v", st)
	}
	// The next one runs unasked.
	end := h.put(dialogPath, body{"dialogId": id, "control": "main deny\ncmd deny"})
	if end.ends("done"); !h.there("p", "deed", "4") || !h.there("p", "deed", "6") {
		t.Error("an allowed call did not run")
	}
	st = h.look("p", id)
	if r, _ := st.find("Tool Result", "cmd"); r.text() != `{"success":false,"error":"Denied by user"}` || r.Meta["Status"] != "denied" {
		t.Errorf("denied: %+v", r)
	}
	for _, s := range st.Sections {
		if s.Role == "Authorization" && (s.Meta["Mac"] == "" || s.Meta["Scope"] != "dialog" || s.Payloads[0].Type != "control/v1") {
			t.Errorf("authorization %+v", s)
		}
	}
	h.bodies("")
}

// TestSeen: a blanket does not release what came after the human looked.
func TestSeen(t *testing.T) {
	t.Parallel()
	w := func(id string) providertest.Call {
		return providertest.Call{ID: id, Name: "write_file", Args: providertest.Args(`{"path":"deed/` + id + `","content":"x"}`)}
	}
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "One.", Calls: []providertest.Call{w("one")}}, {Text: "Two.", Calls: []providertest.Call{w("two")}}, {Text: "End."},
	}}))
	h.make("p")
	id := h.post(dialogPath, body{"provider": "openai", "prompt": "go"}).ends("tool_request").data.DialogID
	seen := h.look("p", id).Sections
	shown := seen[len(seen)-1].ID
	h.put(dialogPath, body{"dialogId": id, "control": "one approve", "seen": shown}).ends("tool_request")
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "allow write_file", "seen": shown}).problem(409)
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "allow write_file", "seen": "no_such_section"}).problem(409)
	if h.there("p", "deed", "two") {
		t.Error("it ran")
	}
	h.put(dialogPath, body{"dialogId": id, "control": "allow write_file", "seen": h.look("p", id).Pending[0].ID}).ends("done")
	// ask X returns to asking, deny X answers unasked.
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "ask write_file"}).is(200)
}
