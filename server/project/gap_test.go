package project

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"vibey/dialog"
)

// byteCounter counts the bytes that are read.
type byteCounter struct {
	io.ReaderAt
	n int64
}

func (c *byteCounter) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.n += int64(n)
	return n, err
}

// grown makes a dialog whose second section was written by hand, with a text of so many MiB.
func grown(t testing.TB, p *Project, mib int) (id string) {
	f := started(t, p)
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	out, err := os.OpenFile(p.path(f.Filename()), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer out.Close()
	s := section(dialog.Assistant, 2, strings.Repeat("What nobody ends: ə.\n", 1<<20/23))
	text := string(dialog.AppendSection(nil, &s))
	tail := "\nəəə\n"
	_, err = out.WriteString(strings.TrimSuffix(text, tail))
	must(t, err)
	for range mib - 1 {
		_, err = out.WriteString(s.Text())
		must(t, err)
	}
	last := section(dialog.User, 3, "Thanks.")
	_, err = out.WriteString(tail + string(dialog.AppendSection(nil, &last)))
	must(t, err)
	return f.ID()
}

// Of a section of 64 MiB only the head is kept in memory, and once the file is known only
// that is read. The places of all sections are those of the file.
func TestReadDialogBeyondTheBound(t *testing.T) {
	p := quickProject(t)
	id := grown(t, p, 64)
	text, err := p.ReadDialog(id)
	must(t, err)
	st, err := os.Stat(p.path(text.Filename))
	must(t, err)
	d := text.Parse()
	if text.Size != st.Size() || len(text.Text) > 17<<20 || len(d.Sections) != 3 || len(d.Problems) > 0 {
		t.Fatalf("%d bytes, %d in memory, %d sections, %v", text.Size, len(text.Text), len(d.Sections), d.Problems)
	}
	if said := d.Sections[1].Text(); len(said) > dialog.SectionMost || !strings.Contains(said[dialog.TextMost-100:], "bytes more are not shown") {
		t.Errorf("the section has %d bytes", len(said))
	}
	if d.Sections[2].Text() != "Thanks." || int64(d.End(2)) != st.Size() {
		t.Errorf("what follows is %q, and ends at %d of %d", d.Sections[2].Text(), d.End(2), st.Size())
	}

	file, err := os.Open(p.path(text.Filename))
	must(t, err)
	defer file.Close()
	at := text.read[0]
	at.Mtime -= 2 * int64(tick) // long before
	c := &byteCounter{ReaderAt: file}
	x := new(Project)
	gaps, err := x.gapsOf("a", c, at)
	if err != nil || len(gaps) != 1 || c.n < st.Size() || c.n > st.Size()+1<<20 {
		t.Errorf("to find %d gaps %d bytes are read, %v", len(gaps), c.n, err)
	}
	c.n = 0
	if gaps, err = x.gapsOf("a", c, at); err != nil || len(gaps) != 1 || c.n != 0 {
		t.Errorf("to find %d gaps again %d bytes are read, %v", len(gaps), c.n, err)
	}
	shown, _, err := readAround(c, st.Size(), gaps)
	if err != nil || shown != text.Text || c.n > 17<<20 {
		t.Errorf("%d bytes are read, %v", c.n, err)
	}
	at.Mtime++
	if _, err = x.gapsOf("a", c, at); err != nil || c.n < st.Size() {
		t.Error("a file that was written since is not read anew")
	}
	infos, err := p.Dialogs()
	if err != nil || infos[0].Words != "Thanks." {
		t.Errorf("the list says %+v, %v", infos[0].Summary, err)
	}
}

// BenchmarkReadLong reads a dialog with a section of 300 MiB for a window: the first time,
// when it is looked at whole, and again.
func BenchmarkReadLong(b *testing.B) {
	p := quickProject(b)
	id := grown(b, p, 300)
	for _, again := range []bool{false, true} {
		b.Run(fmt.Sprintf("again=%v", again), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !again {
					p.gaps.known = nil
				}
				text, err := p.ReadDialog(id)
				must(b, err)
				text.Parse()
			}
		})
	}
}
