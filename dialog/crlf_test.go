package dialog_test

import (
	"strings"
	"testing"

	"vibey/dialog"
)

// TestEnd: the bytes before the end of a section are the file as it was when
// that section was the last, whatever its line ends.
func TestEnd(t *testing.T) {
	for _, c := range corpus(t) {
		plain := strings.TrimPrefix(c.text, dialog.BOM)
		for name, text := range map[string]string{
			"as it is": c.text, "with a mark": dialog.BOM + plain,
			"with CR LF": strings.ReplaceAll(strings.ReplaceAll(plain, "\r\n", "\n"), "\n", "\r\n"),
			"some CR LF": strings.Replace(plain, "\n", "\r\n", 1+len(plain)/60),
		} {
			d := dialog.Parse(text)
			last := 0
			for i := range d.Sections {
				end := d.End(i)
				if end <= last || end > len(text) {
					t.Fatalf("%s, %s: section %d ends at %d, behind %d of %d", c.name, name, i, end, last, len(text))
				}
				if s := &d.Sections[i]; len(d.Problems) == 0 && s.Written() && s.Loose == "" && !strings.HasSuffix(strings.ReplaceAll(text[:end], "\r\n", "\n"), "\n"+dialog.Fence+"\n") && end < len(text) {
					t.Fatalf("%s, %s: section %d ends with %q", c.name, name, i, text[max(0, end-20):end])
				}
				hole := i+1 < len(d.Sections) && d.Sections[i+1].Role == dialog.Hole
				if rest := strings.TrimLeft(text[end:], "\r\n"); rest != "" && !hole && !strings.HasPrefix(rest, "## ") {
					t.Fatalf("%s, %s: behind section %d stands %q", c.name, name, i, rest[:min(40, len(rest))])
				}
				if n := len(dialog.Parse(text[:end]).Sections); n != i+1 {
					t.Fatalf("%s, %s: %d sections up to the end of section %d", c.name, name, n, i)
				}
				last = end
			}
			if n := len(d.Sections); n > 0 && last != len(text) {
				t.Errorf("%s, %s: the last of %d sections ends at %d of %d", c.name, name, n, last, len(text))
			}
		}
	}
}
