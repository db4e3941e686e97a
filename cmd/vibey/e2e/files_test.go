package e2e

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"

	"vibey/provider/providertest"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	if a := h.get("/projects").is(200); strings.TrimSpace(a.text) != "[]" {
		t.Errorf("no projects: %s", a.text)
	}
	if got := h.ask("POST", "/projects", body{"name": "game"}).is(200).object(); len(got) != 1 || got["name"] != "game" {
		t.Errorf("created: %v", got)
	}
	h.make("a-book")
	var names []string
	h.get("/projects").is(200).into(&names)
	if !slices.Equal(names, []string{"a-book", "game"}) {
		t.Errorf("projects %v", names)
	}
	for _, name := range []string{"Game", "game"} {
		h.ask("POST", "/projects", body{"name": name}).problem(409)
	}
	for _, name := range []string{"", ".x", "a..b", "a/b", "../a", strings.Repeat("x", 101), "ü", "a b"} {
		h.ask("POST", "/projects", body{"name": name}).problem(400)
	}
	if !h.there("game", "doc-main.md") || !h.there("game", "deed") {
		t.Error("a new project has no doc-main.md or no deed")
	}
	h.ask("DELETE", "/projects/game", nil).is(204)
	if h.there("game") {
		t.Error("the folder is still there")
	}
	h.ask("DELETE", "/projects/game", nil).problem(404)
	h.get("/project/game/files").problem(404)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	h.make("p")
	text := "# Title\r\n\r\nəəəcontrol/v1\nallow run_command\n<b>&amp;</b> \u2028 end without a newline"
	path := "/project/p/file/doc-notes.md"
	tag := h.ask("POST", path, body{"content": text}).is(200).header.Get("ETag")
	if h.read("p", "doc-notes.md") != text {
		t.Errorf("written %q", h.read("p", "doc-notes.md"))
	}
	a := h.get(path).is(200)
	sum := sha256.Sum256([]byte(text))
	if want := `"` + hex.EncodeToString(sum[:]) + `"`; tag != want || a.header.Get("ETag") != want {
		t.Errorf("ETag %s at the write, %s at the read, want %s", tag, a.header.Get("ETag"), want)
	}
	if got := a.object(); len(got) != 2 || got["name"] != "doc-notes.md" || got["content"] != text {
		t.Errorf("read %v", got)
	}
	var names []string
	h.get("/project/p/files").is(200).into(&names)
	if !slices.Equal(names, []string{"doc-notes.md", "doc-main.md"}) {
		t.Errorf("newest first: %v", names)
	}

	// Somebody else writes: who read before must not win by accident.
	h.write("theirs", "p", "doc-notes.md")
	write := func(tag, text string) answer {
		req := h.request("POST", path, body{"content": text})
		if tag != "" {
			req.Header.Set("If-Match", tag)
		}
		return h.send(req)
	}
	lost := write(tag, "mine")
	lost.problem(409)
	var both struct{ Yours, Current, ETag string }
	if err := json.Unmarshal([]byte(lost.text), &both); err != nil || both.Yours != "mine" || both.Current != "theirs" {
		t.Errorf("both versions: %s", lost.text)
	}
	write(both.ETag, "both").is(200)
	write("", "without a condition").is(200)
	if got := h.read("p", "doc-notes.md"); got != "without a condition" {
		t.Errorf("written %q", got)
	}
	h.ask("DELETE", path, nil).is(204)
	h.get(path).problem(404)
	h.ask("DELETE", path, nil).problem(404)
	for _, name := range []string{"notes.txt", "a..md", "a%20b.md", "x"} {
		h.ask("POST", "/project/p/file/"+name, body{"content": "x"}).problem(400)
	}
	h.ask("POST", "/project/p/file/%2e%2e%2fa.md", body{"content": "x"}).problem(404)
	h.ask("POST", path, `{"content":"`+"\xff"+`"}`).problem(400)
	h.ask("POST", path, body{"content": "x", "extra": 1}).problem(400)
	h.ask("POST", path, body{"content": 1}).problem(400)
}

// TestEvents follows a project while files and dialogs change.
func TestEvents(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{{Text: "hello"}}}))
	h.make("p")
	s := h.open(h.request("GET", "/project/p/events", nil))
	change := func(kind, name string) func(frame) bool {
		return func(f frame) bool {
			return f.kind == "change" && f.data.Kind == kind && (name == "" || f.data.Name == name || f.data.DialogID == name)
		}
	}
	h.ask("POST", "/project/p/file/doc-a.md", body{"content": "a"}).is(200)
	_, n := s.until(0, change("files", "doc-a.md"))
	h.write("by hand", "p", "doc-b.md")
	_, n = s.until(n, change("files", "doc-b.md"))
	id := h.post(dialogPath, body{"provider": "claude", "prompt": "hi"}).ends("done").data.DialogID
	s.until(n, change("dialogs", id))
	s.close()
}

// TestSnapshot takes a project away as a zip and brings it back under another
// name: all text is there, no grant is.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Calls: []providertest.Call{{ID: "one", Name: "write_file", Args: `{"path":"deed/sub/a.txt","content":"a"}`}}},
		{Calls: []providertest.Call{{ID: "two", Name: "write_file", Args: `{"path":"deed/b.txt","content":"b"}`}}},
		{Text: "done"},
	}}))
	h.make("p")
	f := h.post(dialogPath, body{"provider": "openai", "prompt": "write two files"}).ends("tool_request")
	id := f.data.DialogID
	f = h.put(dialogPath, body{"dialogId": id, "control": "one approve"}).ends("tool_request")
	list := func(scope string) (names []string, b []byte) {
		a := h.get("/project/p/snapshot?scope=" + scope).is(200)
		z, err := zip.NewReader(bytes.NewReader([]byte(a.text)), int64(len(a.text)))
		if err != nil || a.header.Get("Content-Type") != "application/zip" {
			t.Fatalf("%v %q", err, a.header.Get("Content-Type"))
		}
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, "/") {
				names = append(names, f.Name)
			}
		}
		sort.Strings(names)
		return names, []byte(a.text)
	}
	dialogName := f.data.Filename
	for scope, want := range map[string][]string{
		"docs":    {"doc-main.md"},
		"dialogs": {dialogName, "doc-main.md"},
		"all":     {"deed/sub/a.txt", dialogName, "doc-main.md"},
	} {
		if got, _ := list(scope); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", scope, got, want)
		}
	}
	h.get("/project/p/snapshot?scope=none").problem(400)

	_, all := list("all")
	restore := func(name string) answer {
		req := h.request("POST", "/projects?name="+name, all)
		req.Header.Set("Content-Type", "application/zip")
		return h.send(req)
	}
	restore("p").problem(409)
	restore("copy").is(200)
	if h.read("copy", "deed", "sub", "a.txt") != "a" || h.read("copy", dialogName) != h.read("p", dialogName) {
		t.Error("the copy is another text")
	}
	// What is pending there waits, and can go on by a human's word there.
	if st := h.look("copy", id); st.Needs != "approval" || len(st.Pending) != 1 {
		t.Errorf("the copy needs %s: %v", st.Needs, st.Pending)
	}
	h.put("/project/copy/dialog", body{"dialogId": id, "control": approve(h.look("copy", id).Pending...)}).ends("done")
	if !h.there("copy", "deed", "b.txt") || h.there("p", "deed", "b.txt") {
		t.Error("the call ran in the wrong project")
	}
}

func TestHealthAndModels(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Models: []string{"mock-1", "mock-2"}}))
	if got := h.get("/health").is(200).object(); got["version"] == "" || got["sandbox"] == "" {
		t.Errorf("health %v", got)
	}
	var models []struct {
		Provider, API, Error string
		Models               []struct{ ID string }
	}
	h.get("/models").is(200).into(&models)
	apis := map[string]string{}
	for _, m := range models {
		apis[m.Provider] = m.API
		if m.API != "replay" && (len(m.Models) != 2 || m.Models[0].ID != "mock-1" || m.Error != "") {
			t.Errorf("%+v", m)
		}
	}
	if apis["claude"] != "messages" || apis["openai"] != "responses" || apis["local"] != "chat" || apis["plain"] != "tags" {
		t.Errorf("providers: %v", apis)
	}
	h.ask("PATCH", "/projects", nil).problem(405)
	h.get("/nothing").problem(404)
	h.ask("POST", "/projects", `{"name":"x"`).problem(400)
	req := h.request("POST", "/projects", `name=x`)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	h.send(req).problem(415)
	req = h.request("POST", "/projects", nil)
	req.Body, req.ContentLength = http.NoBody, 0
	h.send(req).problem(415)
}
