package codebase

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the summaries in testdata")

// lay writes files below a new folder and opens it.
func lay(t testing.TB, files ...txtar.File) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// Summary is the summary of a deed of which nothing is known before.
func Summary(root *os.Root) string { return new(Cache).Summary(root) }

// example matches the path that a summary calls correct.
var example = regexp.MustCompile("`(.*)` is correct")

// Each case in testdata is a deed, files named deed/…, and its summary.
func TestSummary(t *testing.T) {
	cases, _ := filepath.Glob("testdata/*.txtar")
	if len(cases) < 12 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var deed, rest []txtar.File
			want := ""
			for _, f := range ar.Files {
				if below, ok := strings.CutPrefix(f.Name, "deed/"); ok {
					deed = append(deed, txtar.File{Name: below, Data: f.Data})
					rest = append(rest, f)
				} else {
					want += string(f.Data)
				}
			}
			got := Summary(lay(t, deed...)) + "\n"
			sound(t, got)
			if m := example.FindStringSubmatch(got); m != nil && !slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return f.Name == m[1] }) {
				t.Errorf("%s is an example, and there is no such file", m[1])
			}
			if *update {
				ar.Files = append(rest, txtar.File{Name: "summary", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// sound checks what holds of every summary.
func sound(t *testing.T, text string) {
	t.Helper()
	if text = strings.TrimSuffix(text, "\n"); len(text) > Most {
		t.Errorf("%d bytes", len(text))
	}
	lines := strings.Split(text, "\n")
	if lines[0] != "[CODEBASE — deed/]" {
		t.Errorf("begins with %q", lines[0])
	}
	for _, l := range lines[1:] {
		if strings.HasPrefix(l, "[") || strings.HasPrefix(l, "#") || strings.HasPrefix(l, ">") || strings.HasPrefix(l, "ə") || strings.TrimSpace(l) == "" {
			t.Errorf("a line %q", l)
		}
	}
}
