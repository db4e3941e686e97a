package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider/providertest"
)

var writesAndReports = []providertest.Reply{
	{Text: "I write the page.", Calls: []providertest.Call{{ID: "call_a", Name: "write_file", Args: `{"path":"deed/a.txt","content":"<b>","description":"a file"}`}}},
	{Text: "Done: **a.txt**."},
}

// The whole way of a prompt through the server: stream, approval, result, and
// what each reader sees of it.
func TestPromptBecomesDialog(t *testing.T) {
	s := newShop(t, writesAndReports...)
	all := s.dialog("POST", `{"provider":"claude","model":"m","prompt":"Please *write*","slug":"The page"}`)
	if got, want := frameTypes(all), "section:User chunk section:Assistant section:Tool Request tool_request"; got != want {
		t.Fatalf("frames %s, want %s", got, want)
	}
	id := all[0].DialogID
	if !dialog.ValidID(id) || !strings.HasSuffix(id, "-the-page") || all[0].Section.HTML != "<p>Please <em>write</em></p>\n" {
		t.Errorf("first frame %s", all[0].data)
	}
	last := all[len(all)-1]
	if last.Filename != "dialog-"+id+"-waiting.md" || len(last.ToolCalls) != 1 {
		t.Fatalf("last frame %s", last.data)
	}
	call := last.ToolCalls[0]
	if call.ID != "call_a" || call.Name != "write_file" || call.Description != "a file" || call.SHA256 != grant.InputHash(call.InputText) || string(call.Input) != call.InputText {
		t.Errorf("call %+v", call)
	}

	view := get[dialogView](s, "/project/p/dialog/"+id)
	if view.Needs != dialog.NeedsApproval || len(view.Pending) != 1 || view.Pending[0].SHA256 != call.SHA256 || view.Markdown == nil || view.Total != len(view.Sections) {
		t.Errorf("view %+v", view)
	}
	list := get[[]dialogItem](s, "/project/p/dialogs")
	if len(list) != 1 || list[0].DialogID != id || list[0].Needs != dialog.NeedsApproval || list[0].Filename != last.Filename || list[0].MTime == "" {
		t.Errorf("list %+v", list)
	}

	seen := view.Sections[len(view.Sections)-1].ID
	body, _ := json.Marshal(map[string]any{"dialogId": id, "seen": seen, "control": "əəəcontrol/v1\ncall_a approve sha256:" + call.SHA256 + "\nwhat?\nəəə"})
	all = s.dialog("PUT", string(body))
	got := frameTypes(all)
	if !strings.HasSuffix(got, "section:Tool Result budget chunk section:Assistant done") || !strings.Contains(got, "note") {
		t.Errorf("frames %s", got)
	}
	if last := all[len(all)-1]; last.Status != "waiting" || last.Needs != "reply" || last.Resources.Total == 0 {
		t.Errorf("last frame %s", last.data)
	}
	for _, f := range all {
		if f.Type == "section" && f.Section.Role == dialog.Assistant && f.Section.HTML != "<p>Done: <strong>a.txt</strong>.</p>\n" {
			t.Errorf("assistant %s", f.data)
		}
		if f.Type == "note" && (f.Kind != "control" || !strings.Contains(f.Text, "what?")) {
			t.Errorf("note %s", f.data)
		}
	}

	// A status alone is JSON; so are a replayed decision and unknown lines.
	st := decode[dialogState](t, s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","control":"call_a deny\nnonsense"}`, 200))
	if st.Needs != dialog.NeedsReply || len(st.Pending) != 0 {
		t.Errorf("replayed decision %+v", st)
	}
	st = decode[dialogState](t, s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","status":"done"}`, 200))
	if st.Status != dialog.Done || st.Filename != "dialog-"+id+"-done.md" || st.Needs != dialog.NeedsNone || st.Pending == nil || st.Ignored == nil {
		t.Errorf("done: %+v", st)
	}
}

// A prompt's object without a text is one: the model reads its JSON.
func TestObjectWithoutATextIsAPrompt(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "one"}, providertest.Reply{Text: "two"})
	for _, prompt := range []string{`{"n": 1}`, `{"text":null}`} {
		all := s.dialog("POST", `{"provider":"claude","prompt":`+prompt+`}`)
		if last := all[len(all)-1]; last.Type != "done" {
			t.Fatalf("%s: %s", prompt, last.data)
		}
		bodies := s.mock.Bodies()
		quoted, err := json.Marshal(prompt)
		if err != nil {
			t.Fatal(err)
		}
		if got := bodies[len(bodies)-1].Text; !strings.Contains(got, string(quoted)) {
			t.Errorf("%s: the model read %s", prompt, got)
		}
	}
}

func TestViewTakesWindows(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "one"})
	id := s.dialog("POST", `{"provider":"claude","prompt":{"text":"hi","n":1}}`)[0].DialogID
	whole := get[dialogView](s, "/project/p/dialog/"+id)
	if whole.Total != 3 || whole.Sections[1].Payloads[0] != (dialog.Payload{Type: dialog.InputJSON, Text: `{"text":"hi","n":1}`}) || whole.Sections[1].HTML != "" || whole.Model != "m-first" {
		t.Fatalf("%+v", whole)
	}
	for query, want := range map[string]string{
		"?markdown=0":                 "System User Assistant",
		"?markdown=0&from=1":          "User Assistant",
		"?markdown=0&from=1&limit=1":  "User",
		"?markdown=0&limit=0":         "",
		"?markdown=0&from=9&limit=99": "",
	} {
		v := get[dialogView](s, "/project/p/dialog/"+id+query)
		var roles []string
		for _, sec := range v.Sections {
			roles = append(roles, string(sec.Role))
		}
		if got := strings.Join(roles, " "); got != want || v.Markdown != nil || v.Total != 3 {
			t.Errorf("%s: %q of %d", query, got, v.Total)
		}
	}
}

// What a hand or a crash left in a file is there to be read.
func TestViewTellsOfLooseAndTornText(t *testing.T) {
	s := newShop(t)
	s.write("p/dialog-20260216-201100-x-waiting.md", waitingDialog+
		"\n## User\n> Id: u1\n\nəəəinput/markdown\nhello\nəəə\n\nby hand\n\n## Authorization\n> Id: a1\n\nəəəcontrol/v1\nallow wri")
	v := get[dialogView](s, "/project/p/dialog/20260216-201100-x")
	if len(v.Sections) < 2 || v.Sections[0].Loose != "by hand" || v.Sections[0].Torn || !v.Sections[1].Torn || v.Sections[1].Payloads[0].Text != "allow wri" {
		t.Errorf("%+v", v.Sections)
	}
}

func TestDraftIsRenamedByItsFirstPrompt(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "hello"})
	d := decode[draft](t, s.json("POST", "/project/p/dialog/new", `{"provider":"claude","slug":"Erste Überlegung"}`, 200))
	if d.Status != dialog.Waiting || d.Model != "m-first" || !strings.HasSuffix(d.Filename, "-erste-ueberlegung-waiting.md") {
		t.Fatalf("%+v", d)
	}
	all := s.dialog("PUT", `{"dialogId":"`+d.DialogID+`","prompt":"go","model":"m-second"}`)
	if got := frameTypes(all); got != "section:User chunk section:Assistant done" && got != "section:System section:User chunk section:Assistant done" {
		t.Errorf("frames %s", got)
	}
	if v := get[dialogView](s, "/project/p/dialog/"+d.DialogID); v.Model != "m-second" {
		t.Errorf("the model is %s", v.Model)
	}
}

// A window that is closed and comes back gets what it lacks, once.
func TestJoinResumes(t *testing.T) {
	s := newShop(t, writesAndReports...)
	posted := s.dialog("POST", `{"provider":"claude","prompt":"write"}`)
	stream := "/project/p/dialog/" + posted[0].DialogID + "/stream"
	whole := s.follow(s.request("GET", stream, nil)).all()
	want := "section:System section:User section:Assistant section:Tool Request tool_request"
	if got := frameTypes(whole); got != want {
		t.Fatalf("joined: %s", got)
	}
	for i, f := range whole {
		rest := s.follow(s.request("GET", stream, nil, "Last-Event-ID", f.id)).all()
		wantRest := frameTypes(whole[i+1:])
		if i == len(whole)-1 {
			wantRest = "tool_request" // how it ended is told again
		}
		if got := frameTypes(rest); got != wantRest {
			t.Errorf("after frame %d (%s): %s, want %s", i, f.id, got, wantRest)
		}
		again := s.follow(s.request("GET", stream+"?last="+strings.ReplaceAll(f.id, "+", "%2B"), nil)).all()
		if frameTypes(again) != frameTypes(rest) {
			t.Errorf("?last=%s: %s", f.id, frameTypes(again))
		}
	}
	for _, id := range []string{"nonsense", "1+0", "99999999+0", "-1+0", "5"} {
		if got := frameTypes(s.follow(s.request("GET", stream, nil, "Last-Event-ID", id)).all()); got != "reset "+want {
			t.Errorf("after %q: %s", id, got)
		}
	}
}

// Closing the window leaves the turn working; stopping stops it.
func TestTurnOutlivesItsWindow(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: strings.Repeat("word ", 2000), Chunk: 5, DelayMS: 5})
	r := s.request("POST", "/project/p/dialog", strings.NewReader(`{"provider":"claude","prompt":"long"}`), "Content-Type", "application/json")
	window := s.follow(r)
	first, _ := window.next()
	for f := first; f.Type != "chunk"; f, _ = window.next() {
	}
	window.res.Body.Close()
	id := first.DialogID

	// Somebody else joins in the middle: sections first, the open text as one piece.
	other := s.follow(s.request("GET", "/project/p/dialog/"+id+"/stream", nil))
	var got []frame
	for len(got) < 4 {
		f, ok := other.next()
		if !ok {
			t.Fatalf("the turn ended with its window: %s", frameTypes(got))
		}
		got = append(got, f)
	}
	if frameTypes(got) != "section:System section:User chunk" {
		t.Errorf("joined: %s", frameTypes(got))
	}
	if body := s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","prompt":"more"}`, 409); !strings.Contains(body, "problem:active") {
		t.Errorf("second prompt: %s", body)
	}
	if body := s.json("DELETE", "/project/p/file/dialog-"+id+"-active.md", "", 409); !strings.Contains(body, "problem:active") {
		t.Errorf("delete while it runs: %s", body)
	}
	if body := s.json("POST", "/project/p/file/dialog-"+id+"-active.md", `{"content":"mine"}`, 409); !strings.Contains(body, "problem:active") {
		t.Errorf("write while it runs: %s", body)
	}
	st := decode[dialogState](t, s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","status":"waiting"}`, 200))
	if st.Status != dialog.Waiting || st.Needs != dialog.NeedsContinue {
		t.Errorf("stopped: %+v", st)
	}
	rest := other.all()
	if end := rest[len(rest)-1].Type; end != "done" && end != "error" {
		t.Errorf("the other's stream ends with %s", end)
	}
}

func TestDeletingAProjectStopsItsAgents(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: strings.Repeat("word ", 2000), Chunk: 5, DelayMS: 5})
	window := s.follow(s.request("POST", "/project/p/dialog", strings.NewReader(`{"provider":"claude","prompt":"long"}`), "Content-Type", "application/json"))
	first, _ := window.next()
	res, body := s.do(s.request("DELETE", "/projects/p", nil))
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	window.all()
	if s.runner.Running("p", first.DialogID) {
		t.Error("its agent still runs")
	}
	if names := get[[]string](s, "/projects"); len(names) != 0 {
		t.Errorf("still there: %v", names)
	}
	s.json("GET", "/project/p/files", "", 404)
}

func TestProviderErrorIsAFrame(t *testing.T) {
	s := newShop(t, providertest.Reply{Fault: &providertest.Fault{Kind: "status", Status: 401, Message: "no such key"}})
	all := s.dialog("POST", `{"provider":"claude","prompt":"hi"}`)
	last := all[len(all)-1]
	if last.Type != "error" && last.Type != "done" {
		t.Fatalf("frames %s", frameTypes(all))
	}
	var failed *frame
	for i := range all {
		if all[i].Type == "error" {
			failed = &all[i]
		}
	}
	if failed == nil || failed.Kind != "auth" || failed.Message == "" || failed.Status != 401.0 {
		t.Errorf("frames %s, error %+v", frameTypes(all), failed)
	}
}
