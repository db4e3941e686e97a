package turn

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

// outline is a dialog's sections, one a line, without hashes and the path of dir: what
// stands in which order.
func outline(d *dialog.Dialog, dir string) string {
	var b strings.Builder
	for i := range d.Sections {
		s := &d.Sections[i]
		words := []string{string(s.Role)}
		for _, key := range []string{"Kind", "Tool", "Status", "Stop", "Asked", "Within"} {
			if v := s.Meta.Get(key); v != "" {
				words = append(words, strings.ToLower(key)+"="+v)
			}
		}
		if s.Role == dialog.ToolRequest || s.Role == dialog.ToolResult {
			words = append(words, s.ID)
		}
		text := s.Text()
		if s.Role == dialog.System || s.Role == dialog.ToolRequest {
			text = ""
		}
		text, _, _ = strings.Cut(text, "\n")
		if text != "" {
			words = append(words, "|", dialog.Cut(hashWord.ReplaceAllString(strings.ReplaceAll(text, dir, "…"), "sha256:…"), 60))
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

var hashWord = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// Each file of testdata/agent is a conversation with an agent, and the sections that come
// of it. -update writes them anew.
func TestAgentCorpus(t *testing.T) {
	testenv.Slow(t)
	files, err := filepath.Glob("testdata/agent/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := func(name string) *txtar.File {
				for i := range c.Files {
					if c.Files[i].Name == name {
						return &c.Files[i]
					}
				}
				t.Fatalf("there is no %s", name)
				return nil
			}
			a := newAgentWorld(t, string(part("script").Data))
			id := ""
			for line := range strings.Lines(string(part("requests").Data)) {
				word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch {
				case word == "restart":
					a.again()
					a.plays(string(part(rest).Data))
				case id == "":
					id, _ = a.ask(rest)
				default:
					in := Input{Project: a.p(), DialogID: id}
					if word == "prompt" {
						in.Prompt = &Prompt{Text: rest}
					} else {
						in.Control = &rest
					}
					_, sub, err := a.run.Put(context.Background(), in)
					if err != nil {
						t.Fatal(err)
					}
					if sub != nil {
						a.drain(sub)
					}
				}
			}
			got, want := outline(a.view(id).Dialog, a.dir), part("sections")
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(c), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("sections\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}
