package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A doc is read for its title once, and again where it has changed: a list of a thousand
// costs no more than a look at each.
func TestTitlesAreReadOnce(t *testing.T) {
	read := 0
	p := testProject(t)
	p.store.o.Plain = func(markdown string) string { read++; return markdown[2:] }
	past := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(p.path(name), []byte(text), 0o644))
		past = past.Add(time.Second)
		must(t, os.Chtimes(p.path(name), past, past))
	}
	list := func(want string, reads int) {
		t.Helper()
		read = 0
		all, err := p.TitledFiles()
		must(t, err)
		if got := fmt.Sprint(all); got != want || read != reads {
			t.Errorf("%s with %d readings, want %s with %d", got, read, want, reads)
		}
	}
	write("doc-main.md", "# Main\n")
	write("doc-a.md", "# A\n")
	write("dialog-20260216-201100-x-done.md", "# Dialog\n")
	write("doc-far.md", strings.Repeat("x\n", titleWithin)+"# Far\n")
	const dialog, far = "{dialog-20260216-201100-x-done.md dialog-20260216-201100-x-done.md}", "{doc-far.md doc-far.md}"
	list("["+far+" "+dialog+" {doc-a.md A} {doc-main.md Main}]", 2)
	list("["+far+" "+dialog+" {doc-a.md A} {doc-main.md Main}]", 0)
	write("doc-a.md", "# B\n")
	list("[{doc-a.md B} "+far+" "+dialog+" {doc-main.md Main}]", 1)
	must(t, os.Remove(p.path("doc-a.md")))
	list("["+far+" "+dialog+" {doc-main.md Main}]", 0)
	if len(p.titles.known) != 2 {
		t.Errorf("%d titles are kept of 2 docs", len(p.titles.known))
	}
	if p.Title() != "Main" {
		t.Errorf("the project is called %q", p.Title())
	}
	// What was written just now may be written again within the same tick of the disk.
	for _, title := range []string{"C", "D"} {
		must(t, os.WriteFile(p.path(MainDoc), []byte("# "+title+"\n"), 0o644))
		if p.Title() != title {
			t.Errorf("the project is called %q, not %q", p.Title(), title)
		}
	}
}

// The signs of a mark that ends below a heading are known by the whole text alone.
func TestTitleOfSpannedHeading(t *testing.T) {
	p := testProject(t)
	p.store.o.Uncommented = func(doc string) string {
		if before, inner, ok := strings.Cut(doc, "{=="); ok {
			passage, _, _ := strings.Cut(inner, "==}")
			return before + passage
		}
		return doc
	}
	if got := p.TitleOf("# The {==lamp\n\nburns==}"); got != "The lamp" {
		t.Errorf("%q", got)
	}
}

// A link, a folder and a project without a leading doc are called by their names.
func TestTitleOfWhatIsNoDoc(t *testing.T) {
	p := testProject(t)
	outside := filepath.Join(t.TempDir(), "doc-secret.md")
	must(t, os.WriteFile(outside, []byte("# Secret\n"), 0o644))
	for _, lay := range []func(main string) error{
		func(string) error { return nil },
		func(main string) error { return os.Symlink(outside, main) },
		func(main string) error { return os.Mkdir(main, 0o755) },
		func(main string) error { return os.WriteFile(main, []byte("words"), 0o644) },
	} {
		must(t, os.RemoveAll(p.path(MainDoc)))
		must(t, lay(p.path(MainDoc)))
		if p.Title() != p.Name() {
			t.Errorf("it is called %q", p.Title())
		}
	}
}

// A thousand docs and a thousand dialogs: a list of names, of titles as they are first
// read, and of those that are known.
func BenchmarkTitles(b *testing.B) {
	p := testProject(b)
	past := time.Now().Add(-time.Hour)
	for i := range 1000 {
		for _, name := range []string{fmt.Sprintf("doc-%d.md", i), fmt.Sprintf("dialog-20260216-201100-x%d-done.md", i)} {
			must(b, os.WriteFile(p.path(name), []byte(fmt.Sprintf("# Title %d\n\n", i)+strings.Repeat("Words of a page.\n", 1000)), 0o644))
			must(b, os.Chtimes(p.path(name), past, past))
		}
	}
	list := func() {
		if all, err := p.TitledFiles(); err != nil || len(all) < 2000 {
			b.Fatal(len(all), err)
		}
	}
	b.Run("names", func(b *testing.B) {
		for b.Loop() {
			if all, err := p.Files(); err != nil || len(all) < 2000 {
				b.Fatal(len(all), err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			p.titles.known = nil
			list()
		}
	})
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			list()
		}
	})
}
