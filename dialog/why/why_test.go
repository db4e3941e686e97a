package why

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// told is what a history says of each line, in words.
func told(h History) string {
	var all []string
	for j := range h.Lines {
		all = append(all, said(h, j))
	}
	return strings.Join(all, ",")
}

// scene is a project with a human's save of doc-a.md, "one\ntwo\n", and a dialog.
func scene() (*world, *talk) {
	w := newWorld(rand.New(rand.NewPCG(3, 3)))
	w.files["doc-a.md"] = []truth{{"one", Human}, {"two", Human}}
	w.saves["doc-a.md"] = []Save{{"2026-02-16T20:00:00Z", "2026-02-16T20:00:00Z", "", w.hash("doc-a.md")}}
	return w, w.talk()
}

// A result counts only with its request, its approval and its start, and with the hash of
// what the request says.
func TestForged(t *testing.T) {
	const was, now = "one\ntwo\n", "one\ntwo\nthree\n"
	in := `{"path":"doc-a.md","content":"one\ntwo\nthree\n"}`
	request := func(id string) dialog.Section {
		return dialog.Section{Role: dialog.ToolRequest, ID: id, Meta: dialog.Fields{{Key: "Tool", Value: "write_file"}, {Key: "Status", Value: "pending"}}, Payloads: []dialog.Payload{{Type: "tool/input/json", Text: in}}}
	}
	auth := func(control string) dialog.Section {
		return dialog.Section{Role: dialog.Authorization, ID: "auth_1", Meta: dialog.Fields{{Key: "Scope", Value: "dialog"}, {Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: control}}}
	}
	started := dialog.Section{Role: dialog.Note, ID: "note_1", Meta: dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: "c1"}}, Payloads: []dialog.Payload{{Type: "note/markdown", Text: "started"}}}
	result := func(status, sha string) dialog.Section {
		b, _ := json.Marshal(map[string]any{"success": true, "path": "doc-a.md", "sha256": sha, "replaced": dialog.SHA256(was)})
		return dialog.Section{Role: dialog.ToolResult, ID: "c1", Meta: dialog.Fields{{Key: "Tool", Value: "write_file"}, {Key: "Status", Value: status}}, Payloads: []dialog.Payload{{Type: "tool/result/json", Text: string(b)}}}
	}
	approve := "c1 approve sha256:" + grant.InputHash(in) + " write_file"
	good := result("approved", dialog.SHA256(now))
	for name, c := range map[string]struct {
		present  string
		sections []dialog.Section
		seal     bool
		want     string // of the third line
	}{
		"as it was":             {now, []dialog.Section{request("c1"), auth(approve), started, good}, true, "20260216-200000-x c1"},
		"no request":            {now, []dialog.Section{auth(approve), started, good}, true, Nothing},
		"another request":       {now, []dialog.Section{request("c2"), auth(approve), started, good}, true, Nothing},
		"no approval":           {now, []dialog.Section{request("c1"), started, good}, true, Nothing},
		"no Mac":                {now, []dialog.Section{request("c1"), auth(approve), started, good}, false, Nothing},
		"approved afterwards":   {now, []dialog.Section{request("c1"), started, good, auth(approve)}, true, Nothing},
		"denied":                {now, []dialog.Section{request("c1"), auth("c1 deny"), started, good}, true, Nothing},
		"of another input":      {now, []dialog.Section{request("c1"), auth("c1 approve sha256:" + grant.InputHash("{}") + " write_file"), started, good}, true, Nothing},
		"it never started":      {now, []dialog.Section{request("c1"), auth(approve), good}, true, Nothing},
		"its result is denied":  {now, []dialog.Section{request("c1"), auth(approve), started, result("denied", dialog.SHA256(now))}, true, Nothing},
		"bytes of somebody":     {was + "other\n", []dialog.Section{request("c1"), auth(approve), started, result("approved", dialog.SHA256(was+"other\n"))}, true, Nothing},
		"allowed by a rule":     {now, []dialog.Section{auth("allow write_file"), request("c1"), started, good}, true, "20260216-200000-x c1"},
		"an allow without Mac":  {now, []dialog.Section{auth("allow write_file"), request("c1"), started, good}, false, Nothing},
		"changed since by hand": {was + "Three\n", []dialog.Section{request("c1"), auth(approve), started, good}, true, Nothing},
	} {
		w, talk := scene()
		for _, s := range c.sections {
			if s.Time = dialog.Span(w.now, w.now); s.Role == dialog.Authorization && c.seal {
				talk.auth.Seal(&s, "")
			}
			talk.d.Append(s)
		}
		src := w.source("doc-a.md")
		src.Present = []byte(c.present)
		w.kept[dialog.SHA256(was)] = []byte(was)
		if got, want := told(Of(src)), Human+","+Human+","+c.want; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// What let a call run is told: its own approval, a line of the dialog, or one of the project.
// Allowed together with a message it is of the turn which that began, as for its undo.
func TestAllowed(t *testing.T) {
	in := `{"path":"deed/game/a","content":"x\n"}`
	approve := "\nc1 approve sha256:" + grant.InputHash(in) + " write_file"
	for _, c := range []struct {
		scope, before, behind string
		want                  Allowed
		prompt                bool // a message came with the approval
	}{
		{"dialog", "", approve, Allowed{ByHuman, "", "auth_2"}, false},
		{"dialog", "", approve + "\nallow write_file", Allowed{ByHuman, "", "auth_2"}, false},
		{"dialog", "", "allow write_file" + approve, Allowed{ByAllow, "write_file", "auth_2"}, false},
		{"dialog", "", "allow edit_file" + approve, Allowed{ByHuman, "", "auth_2"}, false},
		{"dialog", "", "allow write_file deed/game/" + approve, Allowed{ByAllow, "write_file deed/game/", "auth_2"}, false},
		{"dialog", "", "allow write_file deed/other/" + approve, Allowed{ByHuman, "", "auth_2"}, false},
		{"dialog", "allow write_file", "", Allowed{ByAllow, "write_file", "auth_1"}, false},
		{"dialog", "allow write_file deed/game/\nask write_file deed/", "", Allowed{ByAllow, "write_file deed/game/", "auth_1"}, false},
		{"project", "allow write_file", "", Allowed{ByRule, "write_file", "auth_1"}, false},
		{"project", "ask write_file", approve, Allowed{ByHuman, "", "auth_2"}, false},
		{"dialog", "", approve, Allowed{ByHuman, "", "auth_2"}, true},
	} {
		w, talk := scene()
		add := func(id, scope, control string) {
			if control != "" {
				w.append(talk, dialog.Authorization, id, dialog.Fields{{Key: "Scope", Value: scope}, {Key: "By", Value: "human"}}, dialog.Payload{Type: dialog.ControlV1, Text: control})
			}
		}
		add("auth_1", c.scope, c.before)
		w.append(talk, dialog.ToolRequest, "c1", dialog.Fields{{Key: "Tool", Value: "write_file"}, {Key: "Status", Value: "pending"}}, dialog.Payload{Type: "tool/input/json", Text: in})
		add("auth_2", "dialog", c.behind)
		message := "msg_1"
		if c.prompt {
			message = "msg_2"
			w.append(talk, dialog.User, message, nil, dialog.Payload{Type: "input/markdown", Text: "Yes, and be quick."})
		}
		w.append(talk, dialog.Note, "note_1", dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: "c1"}}, dialog.Payload{Type: "note/markdown", Text: "started"})
		w.append(talk, dialog.ToolResult, "c1", dialog.Fields{{Key: "Tool", Value: "write_file"}, {Key: "Status", Value: "approved"}},
			dialog.Payload{Type: "tool/result/json", Text: `{"success":true,"path":"deed/game/a","sha256":"` + dialog.SHA256("x\n") + `"}`})
		src := w.source("deed/game/a")
		src.Present = []byte("x\n")
		src.Policy.Path = func(_, input string) string { return "deed/game/a" }
		src.Policy.Real = src.Policy.Path
		h := Of(src)
		if len(h.Lines) != 1 || h.Lines[0] == Unknown {
			t.Errorf("%+v: %+v", c, h)
			continue
		}
		v := h.Versions[h.Lines[0]]
		if v.Allowed != c.want || v.Message != message || v.Call != "c1" || v.Dialog != talk.id {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

func TestCarry(t *testing.T) {
	for _, c := range []struct{ was, now, want string }{
		{"abc", "abc", "012"},
		{"abc", "aXc", "0n2"},
		{"abc", "abcX", "012n"},
		{"abc", "Xabc", "n012"},
		{"", "ab", "nn"},
		{"ab", "", ""},
		{"abcd", "bcda", "123?"},    // a was moved, or written anew
		{"abcd", "cdab", "????"},    // either half may have been
		{"a--b", "a---b", "0???3"},  // one is new, and nobody knows which
		{"a-b", "a-X-b", "0?n?2"},   // so with the blank lines around a new paragraph
		{"a-b-c", "a-X-c", "01n34"}, // but not around one that was rewritten
		{"-", "-X", "0n"},
		{"-", "--", "??"},
		{"aa", "a", "?"},
	} {
		var by []int
		for i := range c.was {
			by = append(by, i)
		}
		got := ""
		for _, v := range carry(strings.Split(c.was, ""), by, strings.Split(c.now, ""), 100) {
			switch v {
			case Unknown:
				got += "?"
			case 100:
				got += "n"
			default:
				got += string(rune('0' + v))
			}
		}
		if c.was == "" { // Split gives none
			by = nil
		}
		if got != c.want {
			t.Errorf("%q -> %q: %s, want %s", c.was, c.now, got, c.want)
		}
	}
}

// What nobody knows is said at once of texts of any size, and never wrongly.
func TestCarryLarge(t *testing.T) {
	var was, now []string
	var by []int
	for i := range 20_000 {
		was, by = append(was, "x"), append(by, i)
		now = append(now, "x", "x")
	}
	for _, v := range carry(was, by, now, 1_000_000) {
		if v != Unknown {
			t.Fatalf("%d", v)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n": 1, "a\r\nb\r\n": 2} {
		if got := lines([]byte(text)); len(got) != want || strings.Contains(strings.Join(got, ""), "\r") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Years of saves, and of what other programs did between them, are read at once, and each
// line is still that of its save.
func TestManySteps(t *testing.T) {
	var saves []Save
	kept := map[string][]byte{}
	text, sha := "", ""
	var want []string
	for i := range 1500 {
		at := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)
		if i%10 == 3 { // another program
			text += fmt.Sprintf("outside %d\n", i)
			want = append(want, Nothing)
			sha = dialog.SHA256(text)
			kept[sha] = []byte(text)
			continue
		}
		text += fmt.Sprintf("line %d\n", i)
		want = append(want, Human)
		now := dialog.SHA256(text)
		kept[now] = []byte(text)
		saves = append(saves, Save{dialog.FormatTime(at), dialog.FormatTime(at), sha, now})
		sha = now
	}
	h := Of(Source{Path: "doc-a.md", Present: []byte(text), Saves: func(string) []Save { return saves }, Kept: func(sha string) ([]byte, bool) { b, ok := kept[sha]; return b, ok }})
	for j := range want {
		if got := said(h, j); got != want[j] {
			t.Fatalf("line %d: %s, want %s", j+1, got, want[j])
		}
	}
}

// So many things in one second that none can be told from another are not guessed at.
func TestTooMany(t *testing.T) {
	at := "2026-02-16T20:00:00Z"
	a, b := dialog.SHA256("a\n"), dialog.SHA256("b\n")
	var steps []*step
	for i := range 12 {
		source := fmt.Sprint("dialog ", i)
		steps = append(steps, &step{v: Version{Kind: CallKind}, source: source, start: at, end: at, before: a, after: b},
			&step{v: Version{Kind: CallKind}, source: source, start: at, end: at, before: b, after: a})
	}
	all := orders(steps, a)
	if len(all) != 1 || len(all[0]) != 24 {
		t.Fatalf("%d orders", len(all))
	}
	for _, s := range all[0] {
		if s.v.Kind != OutsideKind {
			t.Errorf("%+v is believed", s.v)
		}
	}
}

// An undo of a part of a call brings back the lines that it took out, as those of who wrote
// them, and leaves all others.
func TestUndoOfAPart(t *testing.T) {
	texts := []string{"one\ntwo\nthree\n", "ONE\ntwo\nTHREE\n", "ONE\ntwo\nTHREE\nfour\n", "one\ntwo\nTHREE\nfour\n"}
	r := newReader(Source{Kept: func(string) ([]byte, bool) { return nil, false }})
	var sha []string
	for _, text := range texts {
		r.know([]byte(text))
		sha = append(sha, dialog.SHA256(text))
	}
	at := func(n int) string { return fmt.Sprintf("2026-02-16T20:00:%02dZ", n) }
	made := func(n int, kind Kind, before, after string) *step {
		return &step{v: Version{Kind: kind, SHA256: after, Dialog: "d", Call: fmt.Sprint("c", n)}, start: at(n), end: at(n), before: before, after: after}
	}
	undo := made(3, UndoKind, sha[2], sha[3])
	undo.undone = []string{sha[0]}
	h := r.history("doc-a.md", []*step{
		made(0, SaveKind, "", sha[0]), made(1, CallKind, sha[0], sha[1]), made(2, SaveKind, sha[1], sha[2]), undo,
	}, sha[3], "", movesMost)
	if got, want := told(h), "human,human,d c1,human"; got != want || h.Lines[0] != h.Lines[1] || h.Lines[0] == h.Lines[3] {
		t.Errorf("%s, want %s: %v", got, want, h.Lines)
	}
}
