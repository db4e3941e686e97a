package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/provider/providertest"
	"vibey/server/project"
)

// fill is n bytes that are made as they are read.
type fill struct {
	n int64
	c byte
}

func (f *fill) Read(p []byte) (int, error) {
	if f.n == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), f.n)
	for i := range p[:n] {
		p[i] = f.c
	}
	f.n -= n
	return int(n), nil
}

const waitingDialog = "# Dialog\n> DialogId: 20260216-201100-x\n> Provider: claude\n> Model: m\n> Status: waiting\n> Started: 2026-02-16T20:11:00Z\n"

// Whatever is wrong with a request: a clear answer, and nothing on disk has changed.
func TestBadInput(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "never asked"})
	s.write("p/dialog-20260216-201100-x-waiting.md", waitingDialog)
	s.write("p/dialog-20260216-201101-two-waiting.md", waitingDialog)
	s.write("p/dialog-20260216-201101-two-done.md", waitingDialog)
	s.write("p/doc-a.md", "a\n")
	s.write("p/doc-latin.md", "caf\xe9\n")
	s.write("p/deed/page.html", "<script>alert(1)</script>")
	s.write("p/deed/fake.png", "<script>alert(1)</script>")
	if err := os.Mkdir(filepath.Join(s.root, "p/doc-dir.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(s.root, "p/doc-link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(s.root, "p/deed/out")); err != nil {
		t.Fatal(err)
	}
	const (
		doc    = "/project/p/file/doc-a.md"
		dialog = "/project/p/dialog"
		fresh  = "/project/p/dialog/new"
		x      = `"dialogId":"20260216-201100-x"`
		json   = "application/json"
	)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	rows := []struct {
		what         string
		method, path string
		contentType  string
		body         string
		status       int
		kind         string
		says         string // a word of the detail
		header       []string
	}{
		// the body as such
		{"no type", "POST", "/projects", "", `{"name":"q"}`, 415, "wrong-type", "application/json", nil},
		{"a form", "POST", "/projects", "application/x-www-form-urlencoded", "name=q", 415, "wrong-type", "application/json", nil},
		{"a form as text", "POST", "/projects", "text/plain", `{"name":"q"}`, 415, "wrong-type", "", nil},
		{"a multipart form", "POST", doc, "multipart/form-data; boundary=x", "--x--", 415, "wrong-type", "", nil},
		{"another charset", "POST", doc, json + "; charset=latin1", `{"content":"x"}`, 415, "wrong-type", "", nil},
		{"compressed", "POST", doc, json, `{"content":"x"}`, 415, "wrong-type", "compressed", []string{"Content-Encoding", "gzip"}},
		{"a form from our own page", "POST", "/login", "application/x-www-form-urlencoded", "code=right", 415, "wrong-type", "", []string{"Sec-Fetch-Site", "same-origin"}},
		{"a form from another site", "POST", "/login", "application/x-www-form-urlencoded", "code=right", 403, "cross-site", "", []string{"Sec-Fetch-Site", "cross-site"}},
		{"foreign origin", "PUT", dialog, json, `{` + x + `,"status":"done"}`, 403, "cross-site", "", []string{"Origin", "http://evil.example"}},
		{"foreign host", "DELETE", "/projects/p", "", "", 421, "wrong-host", "", []string{"Host", "evil.example"}},
		{"no token", "DELETE", "/projects/p", "", "", 401, "no-token", "vibey login", []string{"Authorization", ""}},
		{"nothing", "POST", "/projects", json, "", 400, "bad-body", "ends too early", nil},
		{"half", "POST", "/projects", json, `{"name":"q"`, 400, "bad-body", "ends too early", nil},
		{"no JSON", "POST", "/projects", json, "name=q", 400, "bad-body", "not JSON", nil},
		{"an array", "POST", "/projects", json, `["q"]`, 400, "bad-body", "object", nil},
		{"null", "POST", "/projects", json, `null`, 400, "bad-body", "object", nil},
		{"a string", "POST", "/projects", json, `"q"`, 400, "bad-body", "object", nil},
		{"two objects", "POST", "/projects", json, `{"name":"q"}{}`, 400, "bad-body", "follows", nil},
		{"garbage behind", "POST", "/projects", json, `{"name":"q"} x`, 400, "bad-body", "follows", nil},
		{"a comma too many", "POST", "/projects", json, `{"name":"q",}`, 400, "bad-body", "not JSON", nil},
		{"not UTF-8", "POST", doc, json, "{\"content\":\"caf\xe9\"}", 400, "not-utf8", "UTF-8", nil},
		{"UTF-16", "POST", doc, json, "\xff\xfe{\x00}\x00", 400, "not-utf8", "UTF-8", nil},
		{"half a character", "POST", doc, json, `{"content":"\ud83d"}`, 400, "not-utf8", "surrogate", nil},
		{"its second half", "POST", doc, json, `{"content":"x\udE00"}`, 400, "not-utf8", "surrogate", nil},
		{"halves swapped", "POST", doc, json, `{"content":"\ude00\ud83d"}`, 400, "not-utf8", "surrogate", nil},
		{"deep JSON", "POST", doc, json, `{"content":` + deep(100_000) + `}`, 400, "bad-body", "not JSON", nil},
		{"deep JSON unknown", "POST", doc, json, `{"x":` + deep(9_000) + `}`, 400, "bad-field", `"x"`, nil},
		{"deep prompt", "POST", dialog, json, `{"provider":"claude","prompt":` + strings.Repeat(`{"a":`, 50_000), 400, "bad-body", "", nil},
		{"a snapshot of more than 16 MiB", "POST", "/projects?name=q", zipType, strings.Repeat("x", 16<<20+1), 413, "too-large", "vibey import FILE NAME", nil},
		{"16 MiB and a byte", "POST", doc, json, `{"content":"` + strings.Repeat("x", 16<<20) + `"}`, 413, "too-large", "16 MiB", nil},
		// its fields
		{"unknown field", "POST", "/projects", json, `{"name":"q","color":"red"}`, 400, "bad-field", `"color"`, nil},
		{"other capitals", "POST", "/projects", json, `{"Name":"q"}`, 400, "bad-field", `"Name"`, nil},
		{"field twice", "POST", "/projects", json, `{"name":"q","name":"r"}`, 400, "bad-field", "twice", nil},
		{"field twice by escape", "POST", "/projects", json, `{"name":"q","\u006eame":"r"}`, 400, "bad-field", "twice", nil},
		{"wrong type", "POST", "/projects", json, `{"name":7}`, 400, "bad-field", `"name"`, nil},
		{"wrong type of deed", "POST", "/projects", json, `{"name":"q","deed":{}}`, 400, "bad-field", `"deed"`, nil},
		{"no name", "POST", "/projects", json, `{}`, 400, "bad-field", `"name"`, nil},
		{"null name", "POST", "/projects", json, `{"name":null}`, 400, "bad-field", `"name"`, nil},
		{"no content", "POST", doc, json, `{}`, 400, "bad-field", `"content"`, nil},
		{"content is a list", "POST", doc, json, `{"content":["a"]}`, 400, "bad-field", `"content"`, nil},
		{"decisions", "PUT", dialog, json, `{` + x + `,"decisions":[]}`, 400, "bad-field", `"control"`, nil},
		{"authorizations", "PUT", dialog, json, `{` + x + `,"authorizations":["run_command"]}`, 400, "bad-field", `"control"`, nil},
		{"control is a list", "PUT", dialog, json, `{` + x + `,"control":["allow write_file"]}`, 400, "bad-field", `"control"`, nil},
		{"continue is a word", "PUT", dialog, json, `{` + x + `,"continue":"yes"}`, 400, "bad-field", `"continue"`, nil},
		{"prompt is a number", "POST", dialog, json, `{"provider":"claude","prompt":7}`, 400, "bad-field", "a string or an object", nil},
		{"prompt is a list", "PUT", dialog, json, `{` + x + `,"prompt":["a"]}`, 400, "bad-field", "a string or an object", nil},
		// names
		{"project named ..", "POST", "/projects", json, `{"name":".."}`, 400, "bad-name", "", nil},
		{"project with a slash", "POST", "/projects", json, `{"name":"a/b"}`, 400, "bad-name", "", nil},
		{"project with a blank", "POST", "/projects", json, `{"name":"a b"}`, 400, "bad-name", "", nil},
		{"project of 101", "POST", "/projects", json, `{"name":"` + strings.Repeat("a", 101) + `"}`, 400, "bad-name", "", nil},
		{"project taken", "POST", "/projects", json, `{"name":"p"}`, 409, "name-taken", "", nil},
		{"project taken in capitals", "POST", "/projects", json, `{"name":"P"}`, 409, "name-taken", "capitals", nil},
		{"relative deed", "POST", "/projects", json, `{"name":"q","deed":"../x"}`, 400, "bad-deed", "", nil},
		{"deed that is not there", "POST", "/projects", json, `{"name":"q","deed":"/no/such/folder"}`, 400, "bad-deed", "", nil},
		{"deed within the root", "POST", "/projects", json, `{"name":"q","deed":"` + s.root + `/p"}`, 400, "bad-deed", "", nil},
		{"no such project", "DELETE", "/projects/q", "", "", 404, "not-found", "", nil},
		{"delete ..", "DELETE", "/projects/%2e%2e", "", "", 400, "bad-name", "", nil},
		{"files of no project", "GET", "/project/q/files", "", "", 404, "not-found", "", nil},
		{"write into no project", "POST", "/project/q/file/doc-a.md", json, `{"content":"x"}`, 404, "not-found", "", nil},
		{"no .md", "POST", "/project/p/file/doc-a.txt", json, `{"content":"x"}`, 400, "bad-name", ".md", nil},
		{"a hidden file", "POST", "/project/p/file/.doc.md", json, `{"content":"x"}`, 400, "bad-name", "", nil},
		{"two dots", "POST", "/project/p/file/a..md", json, `{"content":"x"}`, 400, "bad-name", "", nil},
		{"no file", "GET", "/project/p/file/doc-b.md", "", "", 404, "not-found", "", nil},
		{"delete no file", "DELETE", "/project/p/file/doc-b.md", "", "", 404, "not-found", "", nil},
		{"read a folder", "GET", "/project/p/file/doc-dir.md", "", "", 404, "not-found", "", nil},
		{"write a folder", "POST", "/project/p/file/doc-dir.md", json, `{"content":"x"}`, 409, "not-plain", "", nil},
		{"read a link", "GET", "/project/p/file/doc-link.md", "", "", 404, "not-found", "", nil},
		{"write a link", "POST", "/project/p/file/doc-link.md", json, `{"content":"x"}`, 409, "not-plain", "", nil},
		{"read what is not UTF-8", "GET", "/project/p/file/doc-latin.md", "", "", 409, "not-utf8", "", nil},
		// races
		{"a lost race", "POST", doc, json, `{"content":"x"}`, 409, "conflict", "both versions", []string{"If-Match", `"` + strings.Repeat("0", 64) + `"`}},
		{"a lost race of deleting", "DELETE", doc, "", "", 409, "conflict", "", []string{"If-Match", strings.Repeat("0", 64)}},
		{"made before", "POST", doc, json, `{"content":"x"}`, 409, "conflict", "", []string{"If-None-Match", "*"}},
		{"deleted before", "POST", "/project/p/file/doc-b.md", json, `{"content":"x"}`, 409, "conflict", "deleted", []string{"If-Match", "*"}},
		{"no ETag", "POST", doc, json, `{"content":"x"}`, 400, "bad-header", "ETag", []string{"If-Match", "abc"}},
		{"weak ETag", "POST", doc, json, `{"content":"x"}`, 400, "bad-header", "ETag", []string{"If-Match", `W/"` + strings.Repeat("0", 64) + `"`}},
		{"If-None-Match of a write", "POST", doc, json, `{"content":"x"}`, 400, "bad-header", "", []string{"If-None-Match", `"x"`}},
		// dialogs
		{"no provider", "POST", fresh, json, `{"slug":"x"}`, 400, "bad-request", "provider", nil},
		{"unknown provider", "POST", fresh, json, `{"provider":"nobody"}`, 400, "bad-request", "nobody", nil},
		{"provider that is down", "POST", fresh, json, `{"provider":"down"}`, 400, "bad-request", "model", nil},
		{"no prompt", "POST", dialog, json, `{"provider":"claude"}`, 400, "bad-request", "prompt", nil},
		{"empty prompt", "POST", dialog, json, `{"provider":"claude","prompt":" \n"}`, 400, "bad-request", "empty", nil},
		{"object with an empty text", "POST", dialog, json, `{"provider":"claude","prompt":{"text":""}}`, 400, "bad-request", "empty", nil},
		{"object with a blank text", "PUT", dialog, json, `{` + x + `,"prompt":{"text":" \u00a0\n","more":1}}`, 400, "bad-request", "empty", nil},
		{"prompt with a NUL", "POST", dialog, json, `{"provider":"claude","prompt":"a\u0000b"}`, 400, "bad-request", "NUL", nil},
		{"prompt of JSON with a NUL", "PUT", dialog, json, `{` + x + `,"prompt":{"text":"a","more":[{"b\u0000":1}]}}`, 400, "bad-request", "NUL", nil},
		{"control with a NUL", "PUT", dialog, json, `{` + x + `,"control":"allow run_command\u0000"}`, 400, "bad-request", "NUL", nil},
		{"no intent", "POST", dialog, json, `{"provider":"claude","prompt":"x","intent":"unclassified"}`, 400, "bad-request", "intent", nil},
		{"unknown intent", "POST", dialog, json, `{"provider":"claude","prompt":"x","intent":"win"}`, 400, "bad-request", "intent", nil},
		{"model of two lines", "POST", dialog, json, `{"provider":"claude","prompt":"x","model":"a\nb"}`, 400, "bad-request", "model", nil},
		{"dialog in no project", "POST", "/project/q/dialog", json, `{"provider":"claude","prompt":"x"}`, 404, "not-found", "", nil},
		{"PUT without id", "PUT", dialog, json, `{"prompt":"x"}`, 400, "bad-field", `"dialogId"`, nil},
		{"PUT of nothing", "PUT", dialog, json, `{` + x + `}`, 400, "bad-request", "nothing to do", nil},
		{"PUT of no dialog", "PUT", dialog, json, `{"dialogId":"20260216-201100-y","prompt":"x"}`, 404, "not-found", "", nil},
		{"PUT of a path", "PUT", dialog, json, `{"dialogId":"../../etc/passwd","prompt":"x"}`, 404, "not-found", "", nil},
		{"status of one's own", "PUT", dialog, json, `{` + x + `,"status":"active"}`, 400, "bad-request", "status", nil},
		{"two files of one dialog", "PUT", dialog, json, `{"dialogId":"20260216-201101-two","prompt":"x"}`, 409, "two-files", "delete one", nil},
		{"continue with nothing", "PUT", dialog, json, `{` + x + `,"continue":true}`, 409, "nothing-to-do", "prompt", nil},
		{"no dialog", "GET", "/project/p/dialog/20260216-201100-y", "", "", 404, "not-found", "", nil},
		{"no id", "GET", "/project/p/dialog/x", "", "", 404, "not-found", "", nil},
		{"from is a word", "GET", "/project/p/dialog/20260216-201100-x?from=end", "", "", 400, "bad-query", "from", nil},
		{"limit is negative", "GET", "/project/p/dialog/20260216-201100-x?limit=-1", "", "", 400, "bad-query", "limit", nil},
		{"stream of no dialog", "GET", "/project/p/dialog/20260216-201100-y/stream", "", "", 404, "not-found", "", nil},
		{"events of no project", "GET", "/project/q/events", "", "", 404, "not-found", "", nil},
		{"confirm without an etag", "POST", "/project/p/confirm", json, `{}`, 400, "bad-field", "etag", nil},
		{"confirm without a block", "POST", "/project/p/confirm", json, `{"etag":"x"}`, 409, "stale", "", nil},
		{"rules of no project", "GET", "/project/q/rules", "", "", 404, "not-found", "", nil},
		{"undo without a dialog", "POST", "/project/p/undo", json, `{"id":"x"}`, 400, "bad-field", `"dialogId"`, nil},
		{"undo without an id", "POST", "/project/p/undo", json, `{` + x + `}`, 400, "bad-field", `"id"`, nil},
		{"undo of nothing", "POST", "/project/p/undo", json, `{` + x + `,"id":"x"}`, 404, "not-found", "nothing of that id", nil},
		{"undo of a turn that is not there", "POST", "/project/p/undo", json, `{` + x + `,"turn":"x"}`, 404, "not-found", "no message", nil},
		{"undo of a turn and a call", "POST", "/project/p/undo", json, `{` + x + `,"turn":"x","id":"x"}`, 400, "bad-field", `"turn"`, nil},
		{"undo in no dialog", "POST", "/project/p/undo", json, `{"dialogId":"20260216-201100-y","id":"x"}`, 404, "not-found", "", nil},
		{"undo of a dialog with two files", "POST", "/project/p/undo", json, `{"dialogId":"20260216-201101-two","id":"x"}`, 409, "two-files", "", nil},
		// the rest
		{"a page of the deed", "GET", "/project/p/deed/page.html", "", "", 403, "not-a-picture", "", nil},
		{"a page that poses as a picture", "GET", "/project/p/deed/fake.png", "", "", 403, "not-a-picture", "", nil},
		{"out of the deed", "GET", "/project/p/deed/out/logo.png", "", "", 404, "not-found", "", nil},
		{"out of the deed by dots", "GET", "/project/p/deed/%2e%2e/doc.png", "", "", 400, "bad-name", "", nil},
		{"unknown scope", "GET", "/project/p/snapshot?scope=keys", "", "", 400, "bad-query", "scope", nil},
		{"restore without a name", "POST", "/projects", zipType, "PK", 400, "bad-name", "", nil},
		{"restore no zip", "POST", "/projects?name=q", zipType, "PK", 400, "bad-zip", "", nil},
		{"wrong code", "POST", "/login", json, `{"code":"wrong"}`, 401, "wrong-code", "vibey login", []string{"Authorization", ""}},
		{"key without a provider", "POST", "/keys", json, `{"key":"k"}`, 400, "bad-field", `"provider"`, nil},
		{"key of two lines", "POST", "/keys", json, `{"provider":"claude","key":"a\r\nX: y"}`, 400, "bad-field", `"key"`, nil},
		{"key of an unknown provider", "POST", "/keys", json, `{"provider":"who","key":"k"}`, 404, "not-found", `no provider "who"`, nil},
		{"wrong method", "PUT", "/projects", json, `{"name":"q"}`, 405, "wrong-method", "GET", nil},
		{"no route", "POST", "/project/p", json, `{}`, 404, "no-route", "openapi", nil},
	}
	if len(rows) < 60 {
		t.Fatalf("%d rows", len(rows))
	}
	before := treeHash(t, s.root)
	for _, row := range rows {
		header := row.header
		if row.contentType != "" {
			header = append([]string{"Content-Type", row.contentType}, header...)
		}
		var body io.Reader
		if row.contentType != "" || row.body != "" {
			body = strings.NewReader(row.body)
		}
		res, got := s.do(s.request(row.method, row.path, body, header...))
		if res.StatusCode != row.status || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s, want %d: %s", row.what, res.StatusCode, res.Header.Get("Content-Type"), row.status, excerpt(got))
			continue
		}
		p := decode[struct {
			Type, Title, Detail  string
			Status               int
			Yours, Current, ETag any
		}](t, got)
		if p.Type != "urn:vibey:problem:"+row.kind || p.Status != row.status || p.Title != http.StatusText(row.status) || !strings.Contains(p.Detail, row.says) || len(p.Detail) < 20 {
			t.Errorf("%s: %s, want kind %s and a word of %q", row.what, got, row.kind, row.says)
		}
		if now := treeHash(t, s.root); now != before {
			t.Fatalf("%s: something on disk has changed", row.what)
		}
	}
	if n := len(s.mock.Bodies()); n != 0 {
		t.Errorf("a model was asked %d times", n)
	}
}

// Names out of a folder, in every way that a path can be spelled.
func TestTraversal(t *testing.T) {
	s := newShop(t)
	s.write("secret.md", "outside")
	before := treeHash(t, filepath.Dir(s.root))
	for _, name := range []string{
		"../secret.md", "..%2fsecret.md", "%2e%2e/secret.md", "%2e%2e%2fsecret.md", "..%5csecret.md", "....//secret.md", "%252e%252e%252fsecret.md",
		"/etc/passwd.md", "%2fetc%2fpasswd.md", "doc%00.md", "doc%0a.md", "doc-%e2%80%ae.md", "..", "%2e%2e", ".", "%2e", "deed/x.md", "deed%2fx.md", "CON.md/..", "a/../../secret.md",
		"~root.md", "doc-a.md%20", "doc-a.md.", "dOC-a.MD", "%c0%ae%c0%ae%2fsecret.md", "file:secret.md", ".20260216-201100-x.open", "..md", "...md", strings.Repeat("a", 300) + ".md",
	} {
		for _, try := range []struct{ method, path, body string }{
			{"GET", "/project/p/file/" + name, ""},
			{"POST", "/project/p/file/" + name, `{"content":"mine"}`},
			{"DELETE", "/project/p/file/" + name, ""},
			{"GET", "/project/" + name + "/files", ""},
			{"DELETE", "/projects/" + name, ""},
			{"GET", "/project/p/dialog/" + name, ""},
			{"GET", "/project/p/deed/" + name, ""},
			{"GET", "/project/p/screenshot/" + name, ""},
			{"GET", "/assets/" + name, ""},
		} {
			status, body := s.raw(try.method, try.path, try.body)
			if status < 400 || status > 499 || strings.Contains(body, "outside") || !strings.Contains(body, "urn:vibey:problem:") {
				t.Errorf("%s %s: %d %s", try.method, try.path, status, excerpt(body))
			}
		}
		if project.ValidProject(name) {
			continue // as a project's name it leads nowhere else
		}
		if status, body := s.raw("POST", "/projects", fmt.Sprintf(`{"name":%q}`, name)); status != 400 {
			t.Errorf("project %q: %d %s", name, status, body)
		}
	}
	if now := treeHash(t, filepath.Dir(s.root)); now != before {
		t.Error("something on disk has changed")
	}
}

// raw sends a path as it is: http.NewRequest would clean it.
func (s *shop) raw(method, path, body string) (int, string) {
	s.t.Helper()
	host := strings.TrimPrefix(s.url, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, path, host, testToken, len(body), body)
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// 200 MB are refused unread where their length is told, and after 16 MiB where
// it is not; the server goes on as if nothing had been.
func TestHugeBodies(t *testing.T) {
	s := newShop(t)
	before := treeHash(t, s.root)
	host := strings.TrimPrefix(s.url, "http://")
	for _, path := range []string{"POST /projects", "POST /login", "POST /keys", "POST /project/p/file/doc-a.md", "PUT /project/p/dialog", "POST /projects?name=q"} {
		method, path, _ := strings.Cut(path, " ")
		typ := "application/json"
		if strings.Contains(path, "?") {
			typ = zipType
		}
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 209715200\r\n\r\n", method, path, host, testToken, typ)
		res, err := http.ReadResponse(bufio.NewReader(c), nil) // not one byte of the body was sent
		if err != nil || res.StatusCode != 413 {
			t.Errorf("%s %s: %v %v", method, path, res, err)
		}
		c.Close()
	}
	r := s.request("POST", "/project/p/file/doc-a.md", io.MultiReader(strings.NewReader(`{"content":"`), &fill{200 << 20, 'x'}), "Content-Type", "application/json")
	if r.ContentLength > 0 {
		t.Fatal("not chunked")
	}
	res, err := plainClient.Do(r)
	// The server answers and closes while the client still writes; a client may
	// find the answer, or only that the line was cut.
	if err == nil {
		if res.StatusCode != 413 {
			t.Errorf("chunked: %d", res.StatusCode)
		}
		res.Body.Close()
	}
	if now := treeHash(t, s.root); now != before {
		t.Error("something on disk has changed")
	}
	s.json("GET", "/health", "", 200)
}
