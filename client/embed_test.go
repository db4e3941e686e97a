package client

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Built or not, the folder's README is there: without it the embed would not compile.
func TestFSHoldsReadme(t *testing.T) {
	b, err := fs.ReadFile(FS(), "README")
	if err != nil || !strings.Contains(string(b), "npm run build") {
		t.Fatalf("README: %q, %v", b, err)
	}
}

// built reports whether the client was built before these tests were.
func built() bool {
	_, err := fs.Stat(FS(), "index.html")
	return err == nil
}

// What the shell names must be there, under the names that the server serves, and
// nothing in it may need more than a strict CSP gives.
func TestShellMatchesWhatIsBuilt(t *testing.T) {
	names := map[string]bool{}
	if err := fs.WalkDir(FS(), ".", func(p string, d fs.DirEntry, err error) error {
		names[p] = !d.IsDir()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !built() {
		if names["vibey-client.js.gz"] {
			t.Fatal("there is an entry without a shell: dist/ is half built")
		}
		return
	}
	b, err := fs.ReadFile(FS(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	html := string(b)
	links := regexp.MustCompile(`(?:src|href)="/([^"]+)"`).FindAllStringSubmatch(html, -1)
	if len(links) < 3 {
		t.Fatalf("the shell names %d files, want the entry, a sheet and an icon", len(links))
	}
	for _, l := range links {
		if !names[l[1]] && !names[l[1]+".gz"] {
			t.Errorf("the shell names /%s, which is not built", l[1])
		}
	}
	if !strings.Contains(html, `content="__NONCE__"`) {
		t.Error("the shell has no place for the nonce")
	}
	if regexp.MustCompile(`<style|<script>|style="|\son\w+="|https?://`).MatchString(html) {
		t.Error("the shell has inline script or style, or names another host")
	}
}

// A script or sheet of some size is there in gzip, which is smaller than it, and not once
// more in another form: the program would carry it twice.
func TestPackedForms(t *testing.T) {
	if !built() {
		return
	}
	packed := 0
	if err := fs.WalkDir(FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(FS(), p)
		if err != nil {
			return err
		}
		switch path.Ext(p) {
		case ".br":
			t.Errorf("%s is there in a second packed form", p)
		case ".js", ".css", ".svg":
			if len(b) >= 1024 {
				t.Errorf("%s is there as it is, with %d bytes", p, len(b))
			}
		case ".gz":
			packed++
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				return err
			}
			whole, err := io.ReadAll(z)
			if err != nil || len(b) >= len(whole) {
				t.Errorf("%s: %d bytes of %d, %v", p, len(b), len(whole), err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if packed < 3 {
		t.Errorf("%d files are packed", packed)
	}
}
