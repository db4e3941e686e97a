package dialog

import (
	"os"
	"strings"
	"testing"
)

// TestDocExample: the example of the package's comment is a canonical dialog.
func TestDocExample(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(src), "//\t# Dialog\n")
	example, _, _ = strings.Cut("//\t# Dialog\n"+example, "// # Writing")
	var text strings.Builder
	for line := range strings.Lines(example) {
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), "\t"))
	}
	want := strings.TrimRight(text.String(), "\n") + "\n"
	d := Parse(want)
	if Format(d) != want || len(d.Sections) != 6 || len(d.Problems) != 0 {
		t.Errorf("%d sections, problems %v:\n%s", len(d.Sections), d.Problems, Format(d))
	}
	if got := d.Sections[1].Text(); !strings.Contains(got, "\nəəə\n") {
		t.Errorf("the escape is not read back: %q", got)
	}
}
