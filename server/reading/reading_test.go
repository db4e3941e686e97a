package reading

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"html"
	"io"
	"os"
	"path/filepath"
	"testing"

	"vibey/dialog"
)

var update = flag.Bool("update", false, "rewrite the pages in testdata")

// maker renders a text as one paragraph.
var maker = &Maker{
	HTML:    func(text string) string { return "<p>" + html.EscapeString(text) + "</p>" },
	Picture: func(string) (string, []byte, bool) { return "", nil, false },
}

// odd is what would leave its place in a page, if it were not escaped.
const odd = `</title></style></pre></summary>"'><script>1</script> & + ` + "\x00 ə {{.Title}}"

// A page is that of testdata to the byte: of a doc, and of a dialog with a section of
// each role.
func TestPages(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "dialog.md"))
	if err != nil {
		t.Fatal(err)
	}
	d := dialog.Parse(string(source))
	for i := range d.Sections {
		if s := &d.Sections[i]; s.ID == "void" {
			s.Void = true
		}
	}
	var doc, talk bytes.Buffer
	if err := errors.Join(maker.Doc(&doc, odd, odd, "# Title\n\n"+odd), maker.Dialog(context.Background(), &talk, odd, odd, d)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"doc.html": doc.Bytes(), "dialog.html": talk.Bytes()} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, %v:\n%s", name, err, got)
		}
		if bytes.Contains(got, []byte("<script")) || bytes.Count(got, []byte("</style>")) != 1 || bytes.Count(got, []byte("</title>")) != 1 {
			t.Errorf("%s: a text is not escaped", name)
		}
	}
}

type failing struct{ io.Writer }

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// A page that can't be written is told.
func TestPageErrors(t *testing.T) {
	if err := maker.Doc(failing{}, "doc-a.md", "", "a"); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := maker.Dialog(ended, io.Discard, "f", "t", dialog.Parse("# Dialog\n\n## User\n\na\n")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
