package server

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/provider/providertest"
)

func TestDocIsWrittenReadAndRaced(t *testing.T) {
	s := newShop(t)
	const path = "/project/p/file/doc-a.md"
	res, body := s.do(s.request("POST", path, strings.NewReader(`{"content":"one\r\n\u0000\u2028<b>"}`), "Content-Type", "application/json; charset=UTF-8", "If-None-Match", "*"))
	one := decode[savedFile](t, body)
	if res.StatusCode != 200 || res.Header.Get("ETag") != one.ETag || one.Name != "doc-a.md" {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	if _, err := time.Parse(time.RFC3339Nano, one.MTime); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(filepath.Join(s.root, "p/doc-a.md")); string(b) != "one\r\n\x00\u2028<b>" {
		t.Errorf("on disk %q", b)
	}
	res, body = s.do(s.request("GET", path, nil))
	if f := decode[fileText](t, body); f.Content != "one\r\n\x00\u2028<b>" || f.Name != "doc-a.md" || res.Header.Get("ETag") != one.ETag {
		t.Errorf("read %+v, %s", f, res.Header.Get("ETag"))
	}
	for _, list := range []string{one.ETag, "W/" + one.ETag, `"x", ` + one.ETag, "*"} {
		res, body := s.do(s.request("GET", path, nil, "If-None-Match", list))
		if res.StatusCode != http.StatusNotModified || body != "" || res.Header.Get("ETag") != one.ETag {
			t.Errorf("If-None-Match %s: %d %s", list, res.StatusCode, body)
		}
	}
	if res, _ := s.do(s.request("HEAD", path, nil)); res.StatusCode != 200 || res.Header.Get("ETag") != one.ETag {
		t.Errorf("HEAD: %d", res.StatusCode)
	}

	two := decode[savedFile](t, s.json("POST", path, `{"content":"two"}`, 200, "If-Match", one.ETag))
	lost := decode[problemDetails](t, s.json("POST", path, `{"content":"mine"}`, 409, "If-Match", one.ETag))
	if *lost.Yours != "mine" || **lost.Current != "two" || **lost.ETag != two.ETag {
		t.Errorf("lost race: %+v", lost)
	}
	s.json("POST", path, `{"content":"both"}`, 200, "If-Match", **lost.ETag)
	s.json("POST", path, `{"content":"over it"}`, 200)
	s.json("DELETE", path, "", 409, "If-Match", two.ETag)
	s.json("DELETE", path, "", 204)
	s.json("GET", path, "", 404)
	if body := s.json("POST", path, `{"content":""}`, 409, "If-Match", two.ETag); !strings.Contains(body, `"yours":"","current":null,"etag":null`) {
		t.Errorf("deleted meanwhile: %s", body)
	}
}

func TestFilesAreNewestFirst(t *testing.T) {
	s := newShop(t)
	s.write("p/doc-old.md", "x")
	s.write("p/doc-new.md", "x")
	s.write("p/.hidden.md", "x")
	s.write("p/note.txt", "x")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, n := range []string{"doc-old.md", "doc-main.md", "doc-new.md"} {
		if err := os.Chtimes(filepath.Join(s.root, "p", n), at, at.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(get[[]string](s, "/project/p/files"), " "); got != "doc-new.md doc-main.md doc-old.md" {
		t.Errorf("files: %s", got)
	}
}

// A dialog at rest is a file like any other.
func TestDialogAtRestCanBeEdited(t *testing.T) {
	s := newShop(t)
	s.write("p/dialog-20260216-201100-x-waiting.md", waitingDialog)
	const path = "/project/p/file/dialog-20260216-201100-x-waiting.md"
	text := waitingDialog + "\n## User\n\nhello\n"
	body := strings.ReplaceAll(text, "\n", `\n`)
	s.json("POST", path, `{"content":"`+body+`"}`, 200)
	v := get[dialogView](s, "/project/p/dialog/20260216-201100-x")
	if len(v.Sections) != 1 || v.Sections[0].Payloads[0].Text != "hello" {
		t.Errorf("%+v", v)
	}
	s.json("DELETE", path, "", 204)
	s.json("GET", "/project/p/dialog/20260216-201100-x", "", 404)
}

func TestWishIsConfirmedAsRead(t *testing.T) {
	s := newShop(t)
	s.write("p/doc-main.md", "# p\n\nəəəcontrol/v1\nallow write_file\nəəə\n")
	res, _ := s.do(s.request("GET", "/project/p/file/doc-main.md", nil))
	tag := res.Header.Get("ETag")
	s.json("POST", "/project/p/confirm", `{"etag":"\"`+strings.Repeat("0", 64)+`\""}`, 409)
	f := decode[savedFile](t, s.json("POST", "/project/p/confirm", `{"etag":"\"`+strings.Trim(tag, `"`)+`\""}`, 200))
	if f.ETag == tag {
		t.Error("nothing was written")
	}
	if text := get[fileText](s, "/project/p/file/doc-main.md").Content; !strings.Contains(text, "# confirmed ") {
		t.Errorf("doc-main.md: %s", text)
	}
}

// A confirmation outlives a human's save that leaves it alone. It does not come
// back with the bytes: not in a new project of the same name, not in an imported
// one.
func TestWishHoldsWhereItWasConfirmed(t *testing.T) {
	s := newShop(t,
		providertest.Reply{Text: "hello"}, providertest.Reply{Text: "hello"}, providertest.Reply{Text: "hello"}, providertest.Reply{Text: "hello"}, providertest.Reply{Text: "hello"})
	const doc = "/project/p/file/doc-main.md"
	save := func(text string) {
		t.Helper()
		b, _ := json.Marshal(text)
		s.json("POST", doc, `{"content":`+string(b)+`}`, 200)
	}
	granted := func(want bool) {
		t.Helper()
		id := s.dialog("POST", `{"provider":"claude","prompt":"go"}`)[0].DialogID
		v := get[dialogView](s, "/project/p/dialog/"+id)
		if got := v.Sections[1].Role == dialog.Authorization; got != want {
			t.Errorf("granted is %v", got)
		}
		for _, sec := range v.Sections {
			for _, p := range sec.Payloads {
				if strings.Contains(p.Text, "# confirmed") {
					t.Errorf("%s holds the mark: %s", sec.Role, p.Text)
				}
			}
		}
	}
	save("# p\n\nəəəcontrol/v1\nallow write_file\nəəə\n")
	granted(false)
	res, _ := s.do(s.request("GET", doc, nil))
	s.json("POST", "/project/p/confirm", `{"etag":"`+strings.Trim(res.Header.Get("ETag"), `"`)+`"}`, 200)
	text := get[fileText](s, doc).Content
	save(text + "\nMore.\n")
	granted(true)
	_, zip := s.do(s.request("GET", "/project/p/snapshot?scope=docs", nil))
	s.json("DELETE", "/projects/p", "", 204)
	s.json("POST", "/projects", `{"name":"p"}`, 200)
	save(text)
	granted(false)
	s.json("DELETE", "/projects/p", "", 204)
	if res, body := s.do(s.request("POST", "/projects?name=p", strings.NewReader(zip), "Content-Type", zipType)); res.StatusCode != 200 {
		t.Fatalf("import: %d %s", res.StatusCode, body)
	}
	if got := get[fileText](s, doc).Content; got != text+"\nMore.\n" {
		t.Errorf("imported:\n%s", got)
	}
	granted(false)
}

func TestProjectsAreMadeAndListed(t *testing.T) {
	s := newShop(t)
	deed := t.TempDir()
	if err := os.WriteFile(filepath.Join(deed, "pixel.gif"), []byte("GIF89a\x01\x00\x01\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"name":"a.b_c-1"}`:                      `{"name":"a.b_c-1"}`,
		`{"name":"linked","deed":"` + deed + `"}`: `{"name":"linked"}`,
	} {
		if got := strings.TrimSpace(s.json("POST", "/projects", body, 200)); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	if got := strings.Join(get[[]string](s, "/projects"), " "); got != "a.b_c-1 linked p" {
		t.Errorf("projects: %s", got)
	}
	res, body := s.do(s.request("GET", "/project/linked/deed/pixel.gif", nil))
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "image/gif" || !strings.HasPrefix(body, "GIF89a") {
		t.Errorf("picture: %d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	s.json("DELETE", "/projects/linked", "", 204)
	if _, err := os.Stat(filepath.Join(deed, "pixel.gif")); err != nil {
		t.Error("what a linked deed points at went with the project")
	}
}

// Every route that opens a deed refuses one that leads where agents must not
// write, in words and without a path of the machine.
func TestDeedThatLeadsAwayIsRefusedEverywhere(t *testing.T) {
	s := newShop(t)
	s.json("POST", "/projects", `{"name":"q"}`, 200)
	s.write("q/deed/pixel.gif", "GIF89a\x01\x00\x01\x00")
	deed := filepath.Join(s.root, "p/deed")
	if err := os.Remove(deed); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../q/deed", deed); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/project/p/deed/pixel.gif", "", 409},
		{"GET", "/project/p/snapshot", "", 409},
		{"GET", "/project/p/snapshot?scope=all", "", 409},
		{"GET", "/project/p/snapshot?scope=dialogs", "", 200},
		{"POST", "/project/p/dialog", `{"provider":"claude","prompt":"hi"}`, 409},
		{"POST", "/projects", `{"name":"r","deed":"` + s.root + `/q/deed"}`, 400},
	} {
		res, body := s.do(s.request(c.method, c.path, strings.NewReader(c.body), "Content-Type", "application/json"))
		if res.StatusCode != c.want {
			t.Errorf("%s %s: %d %s", c.method, c.path, res.StatusCode, excerpt(body))
		}
		if c.want != 200 && (!strings.Contains(body, "bad-deed") || !strings.Contains(body, "the project q") || strings.Contains(body, s.root)) {
			t.Errorf("%s %s: %s", c.method, c.path, body)
		}
	}
}

// What a human takes back before the first message stands behind the project's wish,
// which the dialog gets all the same.
func TestWishBeforeAnEarlyControl(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "hello"})
	s.write("p/doc-main.md", "# p\n\nəəəcontrol/v1\nallow write_file\nallow run_command\nəəə\n")
	res, _ := s.do(s.request("GET", "/project/p/file/doc-main.md", nil))
	s.json("POST", "/project/p/confirm", `{"etag":"`+strings.Trim(res.Header.Get("ETag"), `"`)+`"}`, 200)
	for _, first := range []string{`"control":"deny run_command"`, `"control":"deny run_command","prompt":"hello"`} {
		id := decode[map[string]string](t, s.json("POST", "/project/p/dialog/new", `{"provider":"claude","model":"m"}`, 200))["dialogId"]
		if strings.Contains(first, "prompt") {
			s.dialog("PUT", `{"dialogId":"`+id+`",`+first+`}`)
		} else {
			s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`",`+first+`}`, 200)
		}
		v := get[dialogView](s, "/project/p/dialog/"+id)
		var got []string
		for _, sec := range v.Sections {
			if sec.Role == dialog.Authorization {
				got = append(got, sec.Meta["Scope"]+": "+sec.Payloads[0].Text)
			}
		}
		if want := []string{"project: allow write_file\nallow run_command", "dialog: deny run_command"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", first, got)
		}
	}
}

// A wish releases no call that stands in a file which is no new dialog: who denies one of
// them runs no other.
func TestWishReleasesNoOldCall(t *testing.T) {
	s := newShop(t)
	s.write("p/doc-main.md", "# p\n\nəəəcontrol/v1\nallow write_file\nəəə\n")
	res, _ := s.do(s.request("GET", "/project/p/file/doc-main.md", nil))
	s.json("POST", "/project/p/confirm", `{"etag":"`+strings.Trim(res.Header.Get("ETag"), `"`)+`"}`, 200)
	text := "# Dialog\n> DialogId: 20260216-201100-x\n> Provider: claude\n> Model: m\n> Status: waiting\n> Started: 2026-02-16T20:11:00Z\n"
	for _, id := range []string{"c1", "c2"} {
		text += "\n## Tool Request\n> Id: " + id + "\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Tool: write_file\n> Status: pending\n\nəəətool/input/json\n{\"path\":\"deed/" + id + "\",\"content\":\"x\"}\nəəə\n"
	}
	s.write("p/dialog-20260216-201100-x-waiting.md", text)
	s.json("PUT", "/project/p/dialog", `{"dialogId":"20260216-201100-x","control":"c1 deny"}`, 200)
	v := get[dialogView](s, "/project/p/dialog/20260216-201100-x")
	var roles []string
	for _, sec := range v.Sections {
		roles = append(roles, string(sec.Role))
	}
	if len(v.Pending) != 1 || v.Pending[0].ID != "c2" || slices.Contains(roles, "Note") {
		t.Errorf("%q, pending %+v", roles, v.Pending)
	}
}
