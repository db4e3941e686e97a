package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The marks in doc-main.md are those of the file as it is now, which is not read again
// while it stays as it was.
func TestMarks(t *testing.T) {
	p := testProject(t)
	file := filepath.Join(p.Root().Name(), MainDoc)
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	for _, mac := range []string{one, two} {
		write(t, file, "# p\n\n# confirmed "+mac+"\n")
		if got := p.Marks(); !slices.Equal(got, []string{mac}) {
			t.Fatalf("%q, want %s", got, mac)
		}
	}
	must(t, os.Chtimes(file, then, then)) // what is newer may change without another stamp
	read := p.Marks()
	if got := p.Marks(); !slices.Equal(got, []string{two}) || &got[0] != &read[0] {
		t.Errorf("%q, read again: %t", got, &got[0] != &read[0])
	}
	must(t, os.Remove(file))
	must(t, os.Symlink("/etc/passwd", file))
	if got := p.Marks(); got != nil {
		t.Errorf("of a link: %q", got)
	}
	must(t, os.Remove(file))
	if got := p.Marks(); got != nil {
		t.Errorf("without a file: %q", got)
	}
}
