package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

// One name of a doc, a dialog and a project under folding, as the listing has it, whatever
// the disk thinks: another spelling is 409 name-taken where something would be made, and
// 404 where something would be read, changed or deleted.
func TestOneName(t *testing.T) {
	oneName(t)
	testenv.OnFolding(t, oneName)
}

func oneName(t *testing.T) {
	s := newShop(t)
	s.oneDoc()
	s.oneProject()
	s.oneDialog()
}

// taken wants 409 name-taken.
func (s *shop) taken(path, body string, header ...string) {
	s.t.Helper()
	if got := s.json("POST", path, body, 409, header...); !strings.Contains(got, `"urn:vibey:problem:name-taken"`) {
		s.t.Errorf("POST %s %s: %s", path, body, got)
	}
}

func (s *shop) oneDoc() {
	s.t.Helper()
	const again = `{"content":"second"}`
	made := decode[savedFile](s.t, s.json("POST", "/project/p/file/doc-Rules.md", `{"content":"first"}`, 200))
	for _, other := range []string{"doc-RULES.md", "DOC-rules.md", "Doc-Rules.md", "DOC-MAIN.md"} {
		at := "/project/p/file/" + other
		for _, header := range [][]string{nil, {"If-Match", made.ETag}, {"If-Match", "*"}, {"If-None-Match", "*"}} {
			s.taken(at, again, header...)
		}
		s.json("GET", at, "", 404)
		s.json("GET", at+"/page", "", 404)
		s.json("DELETE", at, "", 404)
		s.json("DELETE", at, "", 404, "If-Match", made.ETag)
	}
	if got := get[fileText](s, "/project/p/file/"+made.Name); got.Content != "first" {
		s.t.Errorf("%s says %q", made.Name, got.Content)
	}
	if files := get[[]string](s, "/project/p/files"); len(files) != 2 || !slices.Contains(files, made.Name) {
		s.t.Errorf("%q was answered, listed is %q", made.Name, files)
	}
	s.json("POST", "/project/p/file/"+made.Name, again, 200, "If-Match", made.ETag)
	s.json("DELETE", "/project/p/file/"+made.Name, "", 204)
	s.json("POST", "/project/p/file/doc-rULES.md", again, 200) // the name is free
}

func (s *shop) oneProject() {
	s.t.Helper()
	made := decode[projectName](s.t, s.json("POST", "/projects", `{"name":"Game"}`, 200)).Name
	if all := get[[]string](s, "/projects"); !slices.Contains(all, made) {
		s.t.Errorf("%q was answered, listed is %q", made, all)
	}
	_, zip := s.do(s.request("GET", "/project/"+made+"/snapshot", nil))
	for _, other := range []string{"GAME", "gAME"} {
		s.taken("/projects", `{"name":"`+other+`"}`)
		if res, got := s.restores(other, zip); res.StatusCode != 409 {
			s.t.Errorf("restored as %s: %d %s", other, res.StatusCode, got)
		}
		for _, path := range []string{"files", "file/doc-main.md", "dialogs", "snapshot", "search?q=x", "preview", "deed/x.png", "events"} {
			s.json("GET", "/project/"+other+"/"+path, "", 404)
		}
		s.json("POST", "/project/"+other+"/file/doc-main.md", `{"content":"theirs"}`, 404)
		s.json("POST", "/project/"+other+"/dialog/new", `{"provider":"claude"}`, 404)
		s.json("DELETE", "/projects/"+other, "", 404)
	}
	if all := get[[]string](s, "/projects"); len(all) != 2 {
		s.t.Errorf("projects: %q", all)
	}
	res, body := s.restores("Copy", zip)
	if all := get[[]string](s, "/projects"); res.StatusCode != 200 || !slices.Contains(all, decode[projectName](s.t, body).Name) {
		s.t.Errorf("%s was answered, listed is %q", body, all)
	}
	s.json("DELETE", "/projects/"+made, "", 204)
}

// restores sends a snapshot.
func (s *shop) restores(name, zip string) (*http.Response, string) {
	s.t.Helper()
	return s.do(s.request("POST", "/projects?name="+name, strings.NewReader(zip), "Content-Type", zipType))
}

func (s *shop) oneDialog() {
	s.t.Helper()
	d := decode[draft](s.t, s.json("POST", "/project/p/dialog/new", `{"provider":"claude","slug":"read"}`, 200))
	text := get[fileText](s, "/project/p/file/"+d.Filename).Content
	other := strings.ToUpper(d.DialogID)
	for _, path := range []string{"", "/stream", "/page", "/target/c1"} {
		s.json("GET", "/project/p/dialog/"+other+path, "", 404)
	}
	for _, change := range []string{`"prompt":"go"`, `"title":"x"`, `"status":"done"`, `"continue":true`, `"control":"allow run_command"`} {
		s.json("PUT", "/project/p/dialog", `{"dialogId":"`+other+`",`+change+`}`, 404)
	}
	s.json("POST", "/project/p/undo", `{"dialogId":"`+other+`","id":"c1"}`, 404)
	for _, name := range []string{
		"dialog-" + other + "-waiting.md", "dialog-" + other + "-done.md", "DIALOG-" + d.DialogID + "-waiting.md", "DIALOG-" + d.DialogID + "-active.md", "dialog-" + d.DialogID + "-WAITING.md",
	} {
		s.taken("/project/p/file/"+name, `{"content":"# Dialog\n"}`)
		s.json("GET", "/project/p/file/"+name, "", 404)
		s.json("DELETE", "/project/p/file/"+name, "", 404)
	}
	files := slices.DeleteFunc(get[[]string](s, "/project/p/files"), func(n string) bool { return !strings.EqualFold(n[:7], "dialog-") })
	if !slices.Equal(files, []string{d.Filename}) || get[fileText](s, "/project/p/file/"+d.Filename).Content != text {
		s.t.Errorf("dialogs: %q", files)
	}
}
