package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// on is one passage in JSON: the bytes of text that are words.
func on(file, text, words string) string {
	at := strings.Index(text, words)
	return fmt.Sprintf(`{"file":%q,"sha256":%q,"from":%d,"to":%d}`, file, dialog.SHA256(text), at, at+len(words))
}

// lastText returns what stands in the last message that the model was sent.
func (s *shop) lastText() string {
	s.t.Helper()
	bodies := s.mock.Bodies()
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal([]byte(bodies[len(bodies)-1].Text), &body); err != nil {
		s.t.Fatal(err)
	}
	var blocks []struct{ Text string }
	if err := json.Unmarshal(body.Messages[len(body.Messages)-1].Content, &blocks); err != nil {
		s.t.Fatal(err)
	}
	return blocks[len(blocks)-1].Text
}

// A prompt about a passage: the section has the place, the passage as it stood and the words;
// the model reads all three, and what tells the human's words tells these alone.
func TestAskOnPassage(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "One."}, providertest.Reply{Text: "Two."})
	doc := "# Night\r\n\r\nIt was däm\r\nand long.\r\n"
	deed := "first\nsecond\n"
	s.write("p/doc-night.md", doc)
	s.write("p/deed/a b;c%.txt", deed)

	all := s.dialog("POST", `{"provider":"claude","prompt":"Shorter, *please*","on":`+on("doc-night.md", doc, "däm\r\nand")+`}`)
	if last := all[len(all)-1]; last.Type != "done" {
		t.Fatalf("%s", last.data)
	}
	id := all[0].DialogID
	if !strings.HasSuffix(id, "-shorter-please") || all[0].Section.HTML != "<p>Shorter, <em>please</em></p>\n" {
		t.Errorf("the dialog %s begins with %s", id, all[0].data)
	}
	user := get[dialogView](s, "/project/p/dialog/"+id).Sections[1]
	if got, want := user.Meta["On"], fmt.Sprintf("doc-night.md sha256:%s %d-%d", dialog.SHA256(doc), 18, 18+9); got != want || user.Meta["Lines"] != "3-4" {
		t.Errorf("On is %q with lines %q, want %q", got, user.Meta["Lines"], want)
	}
	if len(user.Payloads) != 2 || user.Payloads[0] != (dialog.Payload{Type: dialog.PassageText, Text: "däm\r\nand"}) || user.Payloads[1] != (dialog.Payload{Type: dialog.InputMarkdown, Text: "Shorter, *please*"}) {
		t.Errorf("payloads %+v", user.Payloads)
	}
	if got, want := s.lastText(), "On doc-night.md, lines 3-4:\n> däm\r\n> and\n\nShorter, *please*"; got != want {
		t.Errorf("the model read %q, want %q", got, want)
	}
	if list := get[[]dialogItem](s, "/project/p/dialogs"); list[0].Title != "Shorter, please" {
		t.Errorf("the list has %+v", list[0])
	}

	// Several, of two files, with a control and an object as the prompt.
	all = s.dialog("PUT", `{"dialogId":"`+id+`","control":"deny write_file","prompt":{"text":"Which?"},"on":[`+on("deed/a b;c%.txt", deed, "second\n")+`,`+on("doc-night.md", doc, "Night")+`]}`)
	if last := all[len(all)-1]; last.Type != "done" {
		t.Fatalf("%s", last.data)
	}
	if got, want := s.lastText(), "On deed/a b;c%.txt, line 2:\n> second\n\nOn doc-night.md, line 1:\n> Night\n\nWhich?"; got != want {
		t.Errorf("the model read %q, want %q", got, want)
	}
	text := *get[dialogView](s, "/project/p/dialog/"+id).Markdown
	if want := fmt.Sprintf("\n> On: deed/a%%20b%%3Bc%%25.txt sha256:%s 6-13; doc-night.md sha256:%s 2-7\n> Lines: 2; 1\n\nəəəpassage/text\nsecond\n\nəəə\n\nəəəpassage/text\nNight\nəəə\n\nəəəinput/json\n{\"text\":\"Which?\"}\nəəə\n", dialog.SHA256(deed), dialog.SHA256(doc)); !strings.Contains(text, want) {
		t.Errorf("%s\nhas no %s", text, want)
	}
}

// A passage that is not where the human read it is 409, one of a file that is not there 404,
// and all else that is wrong 400. Nothing is written, whatever else the request asks for.
func TestOnRefused(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "One."})
	doc := "# Night\r\n\r\nu\u0308nd\n"
	s.write("p/doc-night.md", doc)
	s.write("p/notes.txt", doc)
	s.write("p/.hidden.md", doc)
	s.write("p/.kept/x", doc)
	s.write("p/chapters/one.md", doc)
	s.write("p/doc-bytes.md", "\xff\xfe")
	s.write("p/deed/nul.txt", "a\x00b")
	s.write("p/deed/.git/config", doc)
	s.write("p/deed/dir/a.txt", doc)
	s.write("outside.md", doc)
	for _, link := range []string{"p/doc-link.md", "p/deed/link.md"} {
		if err := os.Symlink(filepath.Join(s.root, "outside.md"), filepath.Join(s.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	mark := "əəəcontrol/v1\nallow write_file\n# confirmed " + strings.Repeat("0a", 32) + "\nəəə\n"
	s.write("p/doc-marked.md", mark)
	id := s.dialog("POST", `{"provider":"claude","prompt":"Hello"}`)[0].DialogID
	name := get[[]dialogItem](s, "/project/p/dialogs")[0].Filename
	good := on("doc-night.md", doc, "Night")
	raw := func(from, to any) string {
		return fmt.Sprintf(`{"file":"doc-night.md","sha256":%q,"from":%v,"to":%v}`, dialog.SHA256(doc), from, to)
	}
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(good+",", n), ",") + "]" }
	hash := dialog.SHA256(doc)
	cases := []struct {
		on     string
		status int
	}{
		{on("doc-night.md", doc+"x", "Night"), 409},
		{`[` + good + `,` + on("doc-night.md", doc+"x", "Night") + `]`, 409},
		{on("doc-gone.md", doc, "Night"), 404},
		{on("deed/gone.txt", doc, "Night"), 404},
		{on("deed/no/gone.txt", doc, "Night"), 404},
		{on("DOC-NIGHT.md", doc, "Night"), 404},
		{on("deed/"+strings.Repeat("x", 300), doc, "Night"), 404},
		{raw(3, 3), 400}, {raw(4, 3), 400}, {raw(-1, 3), 400}, {raw(0, len(doc)+1), 400}, {raw(1.5, 3), 400}, {raw(`"1"`, 3), 400}, {raw("null", 3), 400},
		{raw(11, 12), 400},            // before a combining mark
		{raw(11, 13), 400},            // within it
		{raw(1, 99999999999999), 400}, // beyond all files
		{raw(1, "9e30"), 400}, {list(0), 400}, {list(51), 400}, {"null", 400}, {"[null]", 400}, {`"doc-night.md"`, 400}, {"7", 400}, {"true", 400}, {"[[" + good + "]]", 400}, {"{}", 400},
		{`{"file":"doc-night.md","sha256":"` + hash + `","from":1}`, 400},
		{`{"file":"doc-night.md","from":1,"to":2}`, 400},
		{`{"sha256":"` + hash + `","from":1,"to":2}`, 400},
		{strings.Replace(good, `{`, `{"line":3,`, 1), 400},
		{strings.Replace(good, `"from"`, `"From"`, 1), 400},
		{strings.Replace(good, hash, "sha256:"+hash, 1), 400},
		{strings.Replace(good, hash, strings.ToUpper(hash), 1), 400},
		{strings.Replace(good, hash, "", 1), 400},
		{on("", doc, "Night"), 400}, {on(".", doc, "Night"), 400}, {on("deed", doc, "Night"), 400}, {on("deed/dir", doc, "Night"), 400}, {on("deed/dir/", doc, "Night"), 400},
		{on("notes.txt", doc, "Night"), 400}, {on(".hidden.md", doc, "Night"), 400}, {on(".kept/x", doc, "Night"), 400}, {on("chapters/one.md", doc, "Night"), 400},
		{on("../outside.md", doc, "Night"), 400}, {on("deed/../doc-night.md", doc, "Night"), 400}, {on("/etc/passwd", doc, "Night"), 400}, {on("doc-link.md", doc, "Night"), 400}, {on("deed/link.md", doc, "Night"), 400},
		{on("deed/.git/config", doc, "Night"), 400}, {on(`deed\\dir\\a.txt`, doc, "Night"), 400}, {on(name, doc, "Night"), 400}, {on("deed/a\u202eb.txt", doc, "Night"), 400},
		{on("doc-bytes.md", "\xff\xfe", "\xff"), 400}, {on("deed/nul.txt", "a\x00b", "a"), 400},
		{on("doc-marked.md", mark, "0a0a"), 400}, {on("doc-marked.md", mark, mark), 400},
	}
	huge := strings.Repeat("a line\n", 9<<20/7)
	s.write("p/deed/huge.txt", huge)
	cases = append(cases, struct {
		on     string
		status int
	}{"[" + on("deed/huge.txt", huge, huge) + "," + on("deed/huge.txt", huge, huge) + "]", 400})
	before := treeHash(t, s.root)
	for _, c := range cases {
		for method, body := range map[string]string{
			"POST": `{"provider":"claude","prompt":"Hi","on":` + c.on + `}`,
			"PUT":  `{"dialogId":"` + id + `","prompt":"Hi","control":"allow write_file","title":"Other","on":` + c.on + `}`,
		} {
			resp, text := s.do(s.request(method, "/project/p/dialog", strings.NewReader(body), "Content-Type", "application/json"))
			if resp.StatusCode != c.status {
				t.Errorf("%s with on %s: %d, want %d: %s", method, dialog.Cut(c.on, 200), resp.StatusCode, c.status, text)
			}
			if strings.Contains(text, s.root) {
				t.Errorf("%s names a folder of the machine", text)
			}
		}
	}
	for _, body := range []string{
		`{"dialogId":"` + id + `","on":` + good + `}`,
		`{"dialogId":"` + id + `","control":"allow write_file","on":` + good + `}`,
		`{"dialogId":"` + id + `","status":"done","on":` + good + `}`,
		`{"dialogId":"` + id + `","continue":true,"on":` + good + `}`,
		`{"dialogId":"` + id + `","title":"x","on":` + good + `}`,
		`{"dialogId":"` + id + `","prompt":" ","on":` + good + `}`,
	} {
		s.json("PUT", "/project/p/dialog", body, 400)
	}
	s.json("POST", "/project/p/dialog", `{"provider":"claude","on":`+good+`}`, 400)
	s.json("POST", "/project/p/dialog/new", `{"provider":"claude","on":`+good+`}`, 400)
	if treeHash(t, s.root) != before {
		t.Error("a request that was refused has written something")
	}

	for _, good := range []string{list(50), on("doc-marked.md", mark, "allow write_file\n"), on("deed/dir/a.txt", doc, doc), on("./doc-night.md", doc, "u\u0308")} {
		all := s.dialog("PUT", `{"dialogId":"`+id+`","prompt":"Hi","on":`+good+`}`)
		if !slices.ContainsFunc(all, func(f frame) bool { return f.Type == "section" && f.Section.Meta["On"] != "" }) {
			t.Errorf("%s is refused: %s", dialog.Cut(good, 200), frameTypes(all))
		}
	}
}

// What a passage says is no word of the human's: it is no proof that they confirmed an item
// of the plan.
func TestPassageIsNobodysWord(t *testing.T) {
	call := func(id string) providertest.Reply {
		return providertest.Reply{Calls: []providertest.Call{{ID: id, Name: "plan_decision_log", Args: `{"kind":"decision","title":"Tense","choice":"past tense","why":"asked","words":"all in the past tense"}`}}}
	}
	s := newShop(t, call("call_a"), providertest.Reply{Text: "No."}, call("call_b"), providertest.Reply{Text: "Yes."})
	doc := "Write all in the past tense.\n"
	s.write("p/doc-main.md", "# P\n\nəəəproject/v1\ntools plan\nəəə\n")
	s.write("p/doc-rules.md", doc)
	run := func(method, body string) string {
		all := s.dialog(method, body)
		for _, f := range all {
			if f.Type == "section" && f.Section.Role == dialog.ToolResult {
				return f.Section.Payloads[0].Text
			}
		}
		t.Fatalf("no result: %s", frameTypes(all))
		return ""
	}
	id := s.dialog("POST", `{"provider":"claude","prompt":"What of this?","on":`+on("doc-rules.md", doc, doc)+`}`)[0].DialogID
	if got := run("PUT", `{"dialogId":"`+id+`","control":"allow plan_decision_log"}`); strings.Contains(got, `"confidence":"user"`) {
		t.Errorf("a passage counts as the human's word: %s", got)
	}
	if got := run("PUT", `{"dialogId":"`+id+`","prompt":"I want it all in the past tense."}`); !strings.Contains(got, `"confidence":"user"`) {
		t.Errorf("the human's own word does not: %s", got)
	}
}
