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
	if !Built() {
		if names["vibey-client.js"] {
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
		if !names[l[1]] {
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

// Beside each script and sheet of some size are its copies for browsers that take
// them, smaller than the file; that in gzip is the file.
func TestCopiesAreTheFiles(t *testing.T) {
	if !Built() {
		return
	}
	packed := 0
	if err := fs.WalkDir(FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".js" && path.Ext(p) != ".css" {
			return err
		}
		b, err := fs.ReadFile(FS(), p)
		if err != nil || len(b) < 1024 {
			return err
		}
		packed++
		br, err := fs.ReadFile(FS(), p+".br")
		if err != nil || len(br) == 0 || len(br) >= len(b) {
			t.Errorf("%s: %d bytes in brotli of %d, %v", p, len(br), len(b), err)
		}
		gz, err := fs.ReadFile(FS(), p+".gz")
		if err != nil {
			return err
		}
		z, err := gzip.NewReader(bytes.NewReader(gz))
		if err != nil {
			return err
		}
		if whole, err := io.ReadAll(z); err != nil || !bytes.Equal(whole, b) || len(gz) >= len(b) {
			t.Errorf("%s in gzip is another file: %v", p, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if packed < 3 {
		t.Errorf("%d files have copies", packed)
	}
}
