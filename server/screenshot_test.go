package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// keep puts a file where a picture of a page is kept, and returns its name.
func (s *shop) keep(project string, network bool, content []byte) string {
	s.t.Helper()
	dir := filepath.Join(s.home(project, network), "screenshots")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:8]) + ".png"
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return name
}

func screenshot(t *testing.T, size int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, size, size))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture is served to whoever has the token, from the HOME that the call had.
func TestScreenshot(t *testing.T) {
	s := newShop(t)
	for size, network := range map[int]bool{1: false, 2: true} {
		want := screenshot(t, size)
		path := "/project/p/screenshot/" + s.keep("p", network, want)
		res, body := s.do(s.request("GET", path, nil))
		if res.StatusCode != 200 || body != string(want) {
			t.Fatalf("network %v: %d %s", network, res.StatusCode, excerpt(body))
		}
		for k, v := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=31536000, immutable"} {
			if got := res.Header.Get(k); got != v {
				t.Errorf("%s is %q", k, got)
			}
		}
		if res, _ := s.do(s.request("GET", path, nil, "Authorization", "")); res.StatusCode != 401 {
			t.Errorf("without the token: %d", res.StatusCode)
		}
	}
}

// Nothing but a picture as the browser took it is served: no other name, no other
// project's, and nothing that a command has put in its place.
func TestNoScreenshot(t *testing.T) {
	s := newShop(t)
	if err := s.store.Create("q", ""); err != nil {
		t.Fatal(err)
	}
	name := s.keep("p", false, screenshot(t, 1))
	home := s.home("p", false)
	shots := filepath.Join(home, "screenshots")
	try := func(what, project, name string, status int) {
		t.Helper()
		code, body := s.raw("GET", "/project/"+project+"/screenshot/"+name, "")
		if code != status || !strings.Contains(body, "urn:vibey:problem:") || strings.Contains(body, s.homes) {
			t.Errorf("%s: %d %s", what, code, excerpt(body))
		}
	}
	for _, bad := range []string{
		"x.png", strings.ToUpper(name[:16]) + ".png", name[:16], name + ".png", name[1:], "0" + name, name + "%0a", name + "%00", name[:16] + ".jpg",
		"%2e%2e%2fscreenshots%2f" + name, "..%5c" + name, "%2e%2e", ".%2f" + name,
	} {
		if code, body := s.raw("GET", "/project/p/screenshot/"+bad, ""); code != 400 && code != 404 || strings.Contains(body, "PNG") {
			t.Errorf("%q: %d %s", bad, code, excerpt(body))
		}
	}
	try("upper case", "p", strings.Repeat("A", 16)+".png", 400)
	try("another project", "q", name, 404)
	try("no such project", "r", name, 404)
	try("never kept", "p", strings.Repeat("0", 16)+".png", 404)
	if _, body := s.raw("GET", "/project/q/screenshot/"+name, ""); !strings.Contains(body, "no longer kept") {
		t.Errorf("what is gone: %s", body)
	}

	if code, _ := s.raw("GET", "/project/p/screenshot/"+s.keep("p", false, make([]byte, 8<<20)), ""); code != 200 {
		t.Errorf("8 MiB: %d", code)
	}
	try("more than 8 MiB", "p", s.keep("p", false, make([]byte, 8<<20+1)), 404)

	// What a command can do in its HOME.
	at := filepath.Join(shots, name)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at, screenshot(t, 3), 0o600))
	try("other bytes under the name", "p", name, 404)
	must(os.Remove(at))
	try("removed", "p", name, 404)
	outside := filepath.Join(t.TempDir(), name)
	must(os.WriteFile(outside, screenshot(t, 1), 0o600))
	must(os.Symlink(outside, at))
	try("a link out of the HOME", "p", name, 404)
	must(os.Remove(at))
	must(os.WriteFile(filepath.Join(home, "real.png"), screenshot(t, 1), 0o600))
	must(os.Symlink("../real.png", at))
	try("a link within the HOME", "p", name, 404)
	must(os.Remove(at))
	must(syscall.Mkfifo(at, 0o600))
	try("a pipe", "p", name, 404)
	must(os.Remove(at))
	must(os.Mkdir(at, 0o700))
	try("a folder", "p", name, 404)
	must(os.RemoveAll(shots))
	must(os.Symlink(filepath.Dir(outside), shots))
	try("a link in the folder's place", "p", name, 404)
	must(os.Remove(shots))
	must(os.WriteFile(shots, nil, 0o600))
	try("a file in the folder's place", "p", name, 404)
}
