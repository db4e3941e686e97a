package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/picture"
	"vibey/server/project"
)

// The least pictures that can be decoded.
var (
	onePNG  = drawn(func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	oneJPEG = drawn(func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) })
	oneGIF  = drawn(func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) })
	oneWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
	oneSVG  = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>`
	onePDF  = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj\n%%EOF"
)

func drawn(encode func(*bytes.Buffer, image.Image) error) string {
	m := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		panic(err)
	}
	return b.String()
}

// attach posts a file and returns the status and, where it was taken, what was answered.
func (s *shop) attach(name, content string, header ...string) (int, project.Attached) {
	s.t.Helper()
	r := s.request("POST", "/project/p/files?"+url.Values{"name": {name}}.Encode(), strings.NewReader(content), header...)
	res, body := s.do(r)
	var a project.Attached
	if res.StatusCode < 300 {
		if err := json.Unmarshal([]byte(body), &a); err != nil {
			s.t.Fatal(err)
		}
	}
	return res.StatusCode, a
}

// A file is taken by its bytes, and comes back as what they are, under a policy by which
// nothing in it runs.
func TestAttachedFilesComeBack(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct{ name, content, typ, disposition string }{
		{"dot.png", onePNG, "image/png", ""},
		{"photo.jpg", oneJPEG, "image/jpeg", ""},
		{"pet.gif", oneGIF, "image/gif", ""},
		{"pet.webp", oneWebP, "image/webp", ""},
		{"drawing.svg", oneSVG, "image/svg+xml", "attachment"},
		{"letter.pdf", onePDF, "application/pdf", "attachment"},
		{"page.html", "<html><script>alert(1)</script>", "text/plain", ""},
		{"lies.txt", onePNG + "<script>", "image/png", ""},
	} {
		status, a := s.attach(c.name, c.content, "Content-Type", "application/x-www-form-urlencoded")
		sha := dialog.SHA256(c.content)
		want := project.Attached{Path: "files/" + sha[:16] + "-" + c.name, SHA256: sha, Bytes: len(c.content), Type: c.typ}
		if status != 201 || a != want {
			t.Errorf("%s: %d %+v, want %+v", c.name, status, a, want)
		}
		if status, again := s.attach("other-"+c.name, c.content); status != 200 || again != want {
			t.Errorf("%s again: %d %+v", c.name, status, again)
		}
		res, body := s.do(s.request("GET", "/project/p/"+a.Path, nil))
		h := res.Header
		if res.StatusCode != 200 || body != c.content || strings.Split(h.Get("Content-Type"), ";")[0] != c.typ || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", c.name, res.StatusCode, h)
		}
		if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: policy %q", c.name, h.Get("Content-Security-Policy"))
		}
		if got, _, _ := strings.Cut(h.Get("Content-Disposition"), ";"); got != c.disposition {
			t.Errorf("%s: disposition %q", c.name, got)
		}
		if res, _ := s.do(s.request("GET", "/project/p/"+a.Path, nil, "If-None-Match", h.Get("ETag"))); res.StatusCode != 304 || h.Get("ETag") != quote(sha) {
			t.Errorf("%s: %d for its own ETag %s", c.name, res.StatusCode, h.Get("ETag"))
		}
		if res, body := s.do(s.request("GET", "/project/p/"+a.Path, nil, "Range", "bytes=1-2")); res.StatusCode != 206 || body != c.content[1:3] {
			t.Errorf("%s: a range gives %d %q", c.name, res.StatusCode, body)
		}
		if res, body := s.do(s.request("HEAD", "/project/p/"+a.Path, nil)); res.StatusCode != 200 || body != "" || res.ContentLength != int64(len(c.content)) {
			t.Errorf("%s: HEAD gives %d, %d bytes", c.name, res.StatusCode, res.ContentLength)
		}
	}
	if got := get[[]string](s, "/project/p/files"); len(got) != 1 || got[0] != project.MainDoc {
		t.Errorf("the docs are %q", got)
	}
	if got := get[[]unlistedText](s, "/project/p/unlisted"); len(got) != 0 {
		t.Errorf("unlisted are %v", got)
	}
}

// What is no picture, pdf or text is refused, and so is what is too large or has no name.
func TestAttachRefuses(t *testing.T) {
	s := newShop(t)
	long := strings.Repeat("a", project.AttachedMost)
	for _, c := range []struct {
		name, content string
		status        int
	}{
		{"a.png", "", 400},
		{"", onePNG, 400},
		{"/", onePNG, 400},
		{"..", onePNG, 400},
		{"\u202e\u200f\x00\n", onePNG, 400},
		{"a.png", onePNG[:8], 415},
		{"a.png", onePNG[:20], 415},
		{"a.zip", "PK\x03\x04", 415},
		{"a.txt", "a\x00b", 415},
		{"a.txt", "\xff\xfea\x00b\x00", 415},
		{"a.html", "caf\xe9", 415},
		{"a.txt", long, 201},
		{"a.txt", long + "a", 413},
	} {
		if status, _ := s.attach(c.name, c.content); status != c.status {
			t.Errorf("%q, %d bytes: %d, want %d", c.name, len(c.content), status, c.status)
		}
	}
	// A length that is not told is counted, and one that is told is believed only to refuse.
	r := s.request("POST", "/project/p/files?name=a.txt", struct{ *strings.Reader }{strings.NewReader(long + "ab")})
	r.ContentLength = -1
	if res, _ := s.do(r); res.StatusCode != 413 {
		t.Errorf("%d for a stream that is too long", res.StatusCode)
	}
	if status, head := s.raw("POST", "/project/p/files?name=b.txt", "short"); status != 201 {
		t.Errorf("%d %s", status, head)
	}
	host := strings.TrimPrefix(s.url, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /project/p/files?name=cut.txt HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\nhalf", host, testToken)
	c.(*net.TCPConn).CloseWrite()
	if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || res.StatusCode != 400 {
		t.Errorf("a body that breaks off: %v %v", res, err)
	}
	s.json("POST", "/project/none/files?name=a", "x", 404)
	if status, _ := s.attach("a.txt", "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhello\r\n--x--\r\n", "Content-Type", "multipart/form-data; boundary=x"); status != 415 {
		t.Errorf("a form: %d", status)
	}
	if res, _ := s.do(s.request("POST", "/project/p/files?name=a.txt", strings.NewReader("x"), "Content-Encoding", "gzip")); res.StatusCode != 415 {
		t.Errorf("%d for a compressed body", res.StatusCode)
	}
	if n := len(s.attached()); n != 2 {
		t.Errorf("%d files are kept", n)
	}
}

// attached lists files/ of the project p.
func (s *shop) attached() (names []string) {
	all, _ := os.ReadDir(filepath.Join(s.root, "p/files"))
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// Names are made plain, and lead to their file.
func TestAttachedNames(t *testing.T) {
	s := newShop(t)
	for i, c := range []struct{ name, want string }{
		{"../../etc/passwd", "etc-passwd"},
		{`C:\Users\me\shot.png`, "C--Users-me-shot.png"},
		{".htaccess", "htaccess"},
		{"Küche \u202egnp.exe", "Küche gnp.exe"},
		{"写真 (1).png", "写真 (1).png"},
		{"نمی\u200cدانم.txt", "نمی\u200cدانم.txt"},
		{"क्षि.txt", "क्षि.txt"},
		{"a\r\nb\x00\x1b.txt", "ab.txt"},
		{"CON", "CON"},
		{"\xff\xfe.txt", "file.txt"},
		{"\u202e .md", "file.md"},
		{"what? *really*.txt", "what- -really-.txt"},
		{"🎉.txt", "🎉.txt"},
		{strings.Repeat("é", 80) + ".jpeg", strings.Repeat("é", 47) + ".jpeg"},
		{"a." + strings.Repeat("x", 200), "a." + strings.Repeat("x", 98)},
		{"100%.txt;x", "100%.txt;x"},
	} {
		status, a := s.attach(c.name, fmt.Sprint("text ", i))
		name := strings.TrimPrefix(a.Path, "files/")
		if status != 201 || name != a.SHA256[:16]+"-"+c.want || !utf8.ValidString(name) || !picture.ValidName(name) {
			t.Errorf("%q: %d %q, want …-%s", c.name, status, name, c.want)
			continue
		}
		if res, body := s.do(s.request("GET", "/project/p/files/"+url.PathEscape(name), nil)); res.StatusCode != 200 || body != fmt.Sprint("text ", i) {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	for _, name := range []string{"x.png", ".vibey-0123456789abcdef.tmp", "0123456789abcdef-x.png", "..%2fdoc-main.md", "0123456789abcdef-..%2f..%2fdoc-main.md", "doc-main.md", "%00"} {
		if res, _ := s.do(s.request("GET", "/project/p/files/"+name, nil)); res.StatusCode != 404 {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
}

// Of many who add the same file at once one makes it, and all have the same path.
func TestAttachAtOnce(t *testing.T) {
	s := newShop(t)
	var made, had int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			status, a := s.attach(fmt.Sprintf("shot-%d.png", i), onePNG)
			mu.Lock()
			defer mu.Unlock()
			switch status {
			case 201:
				made++
			case 200:
				had++
			}
			if got := s.attached(); len(got) != 1 || "files/"+got[0] != a.Path {
				t.Errorf("%q beside %q", got, a.Path)
			}
		})
	}
	if all.Wait(); made != 1 || had != 19 {
		t.Errorf("%d made, %d had", made, had)
	}
}

// A folder files/ that is a link or a file is neither followed nor replaced, nor is a file in
// it that is none of ours.
func TestAttachFollowsNoLink(t *testing.T) {
	for what, make := range map[string]func(at string) error{
		"file": func(at string) error { return os.WriteFile(at, []byte("mine"), 0o644) },
		"link": func(at string) error { return os.Symlink(t.TempDir(), at) },
	} {
		s := newShop(t)
		at := filepath.Join(s.root, "p/files")
		if err := make(at); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(at)
		if status, _ := s.attach("a.png", onePNG); status != 409 {
			t.Errorf("%s: %d", what, status)
		}
		if after, err := os.Lstat(at); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s was replaced", what)
		}
		name := dialog.SHA256(onePNG)[:16] + "-a.png"
		if res, _ := s.do(s.request("GET", "/project/p/files/"+name, nil)); res.StatusCode != 404 {
			t.Errorf("%s: GET gives %d", what, res.StatusCode)
		}
	}
	s := newShop(t)
	name := dialog.SHA256(onePNG)[:16] + "-a.png"
	s.write("p/files/"+name, "a human changed it")
	if status, a := s.attach("a.png", onePNG); status != 201 || a.Path != "files/"+strings.TrimSuffix(name, ".png")+"-2.png" {
		t.Errorf("%d %s", status, a.Path)
	}
	if res, body := s.do(s.request("GET", "/project/p/files/"+name, nil)); res.StatusCode != 200 || body != "a human changed it" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	link := dialog.SHA256(onePNG)[:16] + "-link.png"
	if err := os.Symlink("../doc-main.md", filepath.Join(s.root, "p/files", link)); err != nil {
		t.Fatal(err)
	}
	if res, _ := s.do(s.request("GET", "/project/p/files/"+link, nil)); res.StatusCode != 404 {
		t.Errorf("a link gives %d", res.StatusCode)
	}
}

// What a kill left of a write is removed by the next one, and never taken for a file.
func TestAttachAfterKill(t *testing.T) {
	s := newShop(t)
	s.write("p/files/.vibey-0123456789abcdef.tmp", onePNG[:10])
	if status, _ := s.attach("a.png", onePNG); status != 201 {
		t.Fatal(status)
	}
	names, _ := s.snapshot("p", "docs")
	want := "doc-main.md files/" + dialog.SHA256(onePNG)[:16] + "-a.png"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Snapshots of every scope hold what was added, and what comes back is checked by its name.
func TestAttachedInSnapshots(t *testing.T) {
	s := newShop(t)
	_, a := s.attach("Küche.png", onePNG)
	s.write("p/files/cat.png", onePNG)
	s.write("p/files/"+strings.Repeat("0", 16)+"-x.png", onePNG)
	program := "\x7fELF\x02\x01\x01\x00"
	untaken := map[string]string{ // what POST refuses
		"files/" + dialog.SHA256(program)[:16] + "-program.png": program,
		"files/" + dialog.SHA256("")[:16] + "-empty.txt":        "",
	}
	for path, content := range untaken {
		s.write("p/"+path, content)
	}
	for i, scope := range []string{"docs", "dialogs", "all"} {
		names, whole := s.snapshot("p", scope)
		if got := strings.Join(names, " "); !strings.Contains(got, a.Path) || strings.Contains(got, "program.png") || strings.Contains(got, "empty.txt") || strings.Contains(got, "cat.png") || strings.Contains(got, "0000-x.png") || !strings.Contains(got, "LEFT-OUT.txt") {
			t.Errorf("%s: %s", scope, got)
		}
		name := fmt.Sprint("q", i)
		res, body := s.do(s.request("POST", "/projects?name="+name, bytes.NewReader(whole), "Content-Type", zipType))
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.StatusCode, body)
		}
		if b, err := os.ReadFile(filepath.Join(s.root, name, a.Path)); err != nil || string(b) != onePNG {
			t.Errorf("%s: %v", scope, err)
		}
	}
	for _, bad := range []string{"files/x.png", "files/" + strings.Repeat("0", 16) + "-x.png", "files/a/b.png", "files/" + a.SHA256[:16] + "-\u202ex.png"} {
		res, body := s.do(s.request("POST", "/projects?name=bad", bytes.NewReader(makeZip(t, entry{name: bad, text: onePNG})), "Content-Type", zipType))
		if res.StatusCode != 400 {
			t.Errorf("%s: %d %s", bad, res.StatusCode, body)
		}
	}
	for path, content := range untaken {
		res, body := s.do(s.request("POST", "/projects?name=bad", bytes.NewReader(makeZip(t, entry{name: path, text: content})), "Content-Type", zipType))
		if res.StatusCode != 400 || !strings.Contains(body, path) || !strings.Contains(body, "which alone are taken") {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
}

// Neither a save nor a tool of a model names a place in files/.
func TestAttachedAreWrittenByOneRoute(t *testing.T) {
	s := newShop(t)
	for _, path := range []string{"/project/p/file/files%2Fa.md", "/project/p/file/files"} {
		if res, _ := s.do(s.request("POST", path, strings.NewReader(`{"content":"x"}`), "Content-Type", "application/json")); res.StatusCode < 400 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if got := s.attached(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
