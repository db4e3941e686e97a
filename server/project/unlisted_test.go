package project

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// utf16LE is "Größe\n" in UTF-16, as some editors on Windows write it.
const utf16LE = "\xff\xfeG\x00r\x00\xf6\x00\xdf\x00e\x00\n\x00"

// What a human or another program put into the folder and can't be a page is told: why,
// and the name under which it can be taken in. What is a page, hidden or no text is not.
func TestUnlisted(t *testing.T) {
	p := testProject(t)
	for _, c := range []struct{ name, text, why, as string }{
		{"Kapitel-ä.md", "# Ä\n", "a doc's name can't have 'ä', only letters a to z, digits, _, - and dots", "doc-kapitel-ae.md"},
		{"My notes.md", "x", "a doc's name can't have a blank", "doc-my-notes.md"},
		{"my-notes.TXT", "x", "plain text", "doc-my-notes-2.md"},
		{"a..md", "x", "two dots in a row", "doc-a.md"},
		{"READ.MD", "x", "ends in .md", "doc-read.md"},
		{"todo.txt", "", "plain text", "doc-todo.md"},
		{"灯台.md", "x", "can't have '灯'", "doc-xf2df7bb7.md"},
		{"doc-" + strings.Repeat("n", 200) + ".md", "x", "200 characters at most", "doc-" + strings.Repeat("n", 53) + ".md"},
		{strings.Repeat("m", 252) + ".md", "x", "200 characters at most", "doc-" + strings.Repeat("m", 53) + ".md"},
		{"two\nlines\x1b[2J.md", "x", `can't have '\n'`, "doc-two-lines-2j.md"},
		{"turned\u202e.md", "x", `can't have '\u202e'`, ""},
		{"bytes\xe9.md", "x", "its name is not UTF-8", ""},
		{"../x.md", "", "", ""},
		{"doc-wide.md", utf16LE, "its bytes are UTF-16", "doc-wide-2.md"},
		{"wide.txt", "\xfe\xff\x00a\x00b", "UTF-16; taken in, it becomes UTF-8", "doc-wide-3.md"},
		{"doc-latin.md", "caf\xe9\n", "nothing in them says what they are", ""},
		{"latin.txt", "caf\xe9\n", "nothing in them says what they are", ""},
		{"doc-half.md", "\xff\xfea", "begins as UTF-16 does", ""},
		{"doc-lone.md", "\xff\xfe\x00\xd8", "begins as UTF-16 does", ""},
		{"doc-utf32.md", "\xff\xfe\x00\x00a\x00\x00\x00", "begins as UTF-16 does", ""},
		{"dialog-20260216-201100-x-waiting (conflicted copy).md", "x", "a copy that another program made of dialog-20260216-201100-x-waiting.md; it is not read", ""},
		{"dialog-20260216-201100-x-waiting.sync-conflict-20260301-120000-ABCDEFG.md", "x", "a copy that another program made of dialog-20260216-201100-x-waiting.md; it is not read", ""},
		{"doc-a.sync-conflict-20260301-120000-ABCDEFG.md", "x", "a copy that another program made of doc-a.md", ""},
		{"doc-a.md", "x", "", ""}, {"doc-mark.md", "\ufeffx", "", ""}, {"doc-nul.md", "a\x00b", "", ""}, {"dialog-20260216-201100-x-waiting.md", "\xff", "", ""},
		{".hidden.md", "x", "", ""}, {".txt", "x", "", ""}, {"Makefile", "x", "", ""}, {"page.html", "x", "", ""},
	} {
		if !strings.Contains(c.name, "/") {
			write(t, p.path(c.name), c.text)
		}
		all, err := p.Unlisted()
		must(t, err)
		i := slices.IndexFunc(all, func(u Unlisted) bool { return u.Name == strings.ToValidUTF8(c.name, "\uFFFD") })
		switch {
		case c.why == "" && i >= 0:
			t.Errorf("%q: %+v", c.name, all[i])
		case c.why == "":
		case i < 0 || !strings.Contains(all[i].Why, c.why) || c.as != "" && all[i].As != c.as:
			t.Errorf("%q: %d of %+v, want %s", c.name, i, all, c.as)
		case strings.Contains(c.why, "nothing in them") || strings.Contains(c.why, "begins as"):
			if all[i].As != "" {
				t.Errorf("%q can be taken in as %s", c.name, all[i].As)
			}
		default:
			if _, err := p.dir.Lstat(all[i].As); all[i].As == "" || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q as %q: %v", c.name, all[i].As, err)
			}
		}
	}
	names, err := p.Files()
	must(t, err)
	all, err := p.Unlisted()
	must(t, err)
	n := len(names)
	for _, u := range all {
		if u.As == "" {
			continue
		}
		n++
		if _, err := p.TakeIn(u.Name, u.As); err != nil {
			t.Errorf("%q as %s: %v", u.Name, u.As, err)
		}
	}
	if more, err := p.Files(); err != nil || len(more) != n || n < len(names)+15 {
		t.Errorf("%d of %d were taken in, %v", len(more)-len(names), len(all), err)
	}
	slices.Sort(names)
	if want := "dialog-20260216-201100-x-waiting.md doc-a.md doc-half.md doc-latin.md doc-lone.md doc-main.md doc-mark.md doc-nul.md doc-utf32.md doc-wide.md"; strings.Join(names, " ") != want {
		t.Errorf("files: %s", names)
	}
}

// What is no plain file, too large, or may not be read is told and never opened.
func TestUnlistedIsNotOpened(t *testing.T) {
	p := testProject(t)
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, outside, "secret")
	must(t, os.Symlink(outside, p.path("link.txt")))
	must(t, os.Symlink(outside, p.path("doc-link.md")))
	must(t, os.Mkdir(p.path("folder.md"), 0o755))
	must(t, unix.Mkfifo(p.path("pipe.md"), 0o600))
	write(t, p.path("huge.txt"), "")
	must(t, os.Truncate(p.path("huge.txt"), 1<<40))
	write(t, p.path("doc-huge.md"), "")
	must(t, os.Truncate(p.path("doc-huge.md"), foreignMost+1))
	all, err := p.Unlisted()
	must(t, err)
	got := map[string]string{}
	for _, u := range all {
		got[u.Name] = u.Why
		if u.As != "" {
			t.Errorf("%s as %s", u.Name, u.As)
		}
		if _, err := p.TakeIn(u.Name, "doc-new.md"); !errors.Is(err, ErrNoPage) {
			t.Errorf("%s taken in: %v", u.Name, err)
		}
	}
	for name, why := range map[string]string{
		"link.txt": "a link", "doc-link.md": "a link", "folder.md": "a folder", "pipe.md": "a pipe", "huge.txt": "larger than 16 MiB",
	} {
		if !strings.Contains(got[name], why) {
			t.Errorf("%s: %q", name, got[name])
		}
	}
	if len(got) != 5 {
		t.Errorf("told: %v", got)
	}
	if _, err := p.ReadFile("doc-new.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}

// A text is read again when it changed, and not while it is as it was.
func TestUnlistedLooksAgain(t *testing.T) {
	p := testProject(t)
	old := time.Now().Add(-time.Hour)
	judge := func(text string) verdict {
		write(t, p.path("doc-a.md"), text)
		must(t, os.Chtimes(p.path("doc-a.md"), old, old))
		is, err := p.judge("doc-a.md")
		must(t, err)
		return is
	}
	if is := judge("caf\xe9"); is.why == "" {
		t.Error("taken for UTF-8")
	}
	if is := judge("cafe"); is.why == "" {
		t.Error("a file of the same stamp was read again")
	}
	if is := judge("café"); is.why != "" {
		t.Errorf("not read again: %s", is.why)
	}
	must(t, os.Remove(p.path("doc-a.md")))
	must(t, os.Chtimes(p.path(MainDoc), old, old)) // else it is too new to be kept
	if _, err := p.Unlisted(); err != nil || len(p.foreigners.known) != 1 {
		t.Errorf("%v, %d known", err, len(p.foreigners.known))
	}
	if _, there := p.foreigners.known["doc-a.md"]; there {
		t.Error("what is gone is not forgotten")
	}
}

// What is taken in is a copy under the name that was asked for; nothing is replaced, and
// nothing but what is listed can be taken.
func TestTakeIn(t *testing.T) {
	p := testProject(t)
	write(t, p.path("My notes.md"), "# Notes\r\n")
	write(t, p.path("bytes\xe9.txt"), "of a name")
	write(t, p.path("doc-wide.md"), utf16LE)
	write(t, p.path("doc-a.md"), "a")
	write(t, p.path("Makefile"), "all:\n")
	write(t, p.path(".hidden.md"), "x")
	for name, want := range map[string]string{"My notes.md": "# Notes\r\n", "bytes\uFFFD.txt": "of a name", "doc-wide.md": "Größe\n"} {
		f, err := p.TakeIn(name, "doc-new.md")
		must(t, err)
		if got := read(t, p.path("doc-new.md")); got != want || f.Name != "doc-new.md" || f.Content != want {
			t.Errorf("%s became %q, %+v", name, got, f)
		}
		must(t, p.DeleteFile("doc-new.md", ""))
	}
	if read(t, p.path("My notes.md")) != "# Notes\r\n" || read(t, p.path("doc-wide.md")) != utf16LE {
		t.Error("the original changed")
	}
	for _, c := range []struct {
		name, as string
		kind     error
	}{
		{"My notes.md", "doc-a.md", fs.ErrExist},
		{"My notes.md", "DOC-A.md", fs.ErrExist},
		{"My notes.md", "doc-main.md", fs.ErrExist},
		{"My notes.md", "My notes.md", ErrName},
		{"My notes.md", "../doc-x.md", ErrName},
		{"My notes.md", "deed/doc-x.md", ErrName},
		{"My notes.md", ".doc-x.md", ErrName},
		{"My notes.md", "doc-x.txt", ErrName},
		{"My notes.md", "dialog-20260216-201100-x-waiting.md", ErrName},
		{"My notes.md", "doc-x.sync-conflict-20260301-120000-ABCDEFG.md", ErrName},
		{"doc-a.md", "doc-x.md", ErrNoPage},
		{"Makefile", "doc-x.md", fs.ErrNotExist},
		{".hidden.md", "doc-x.md", fs.ErrNotExist},
		{".id", "doc-x.md", fs.ErrNotExist},
		{"gone.md", "doc-x.md", fs.ErrNotExist},
		{"../game/My notes.md", "doc-x.md", fs.ErrNotExist},
		{"./My notes.md", "doc-x.md", fs.ErrNotExist},
		{"/etc/hostname", "doc-x.md", fs.ErrNotExist},
	} {
		before := filesBelow(t, p.path(""))
		if _, err := p.TakeIn(c.name, c.as); !errors.Is(err, c.kind) {
			t.Errorf("%s as %s: %v", c.name, c.as, err)
		}
		if after := filesBelow(t, p.path("")); len(after) != len(before) {
			t.Errorf("%s as %s: something was made", c.name, c.as)
		}
	}
}

// Two names that only bytes tell apart, as those that an archive from another system brings,
// are told apart, and each is taken in for itself.
func TestTakeInByBytes(t *testing.T) {
	p := testProject(t)
	for name, text := range map[string]string{"\x93\x94\x91\xe4.txt": "lighthouse", "\x90\x7d\x8f\x91\x8a\xd9.txt": "library", "\x8a\xc3.txt": "sea", "bytes\xe9.txt": "alone"} {
		write(t, p.path(name), text)
	}
	all, err := p.Unlisted()
	must(t, err)
	seen := map[string]bool{}
	for _, u := range all {
		f, err := p.TakeIn(u.Name, u.As)
		if err != nil || seen[f.Content] || !utf8.ValidString(u.Name) {
			t.Errorf("%q became %q, %v", u.Name, f.Content, err)
		}
		seen[f.Content] = true
	}
	if len(seen) != 4 || !slices.ContainsFunc(all, func(u Unlisted) bool { return u.Name == "bytes\uFFFD.txt" }) {
		t.Errorf("%v of %+v", seen, all)
	}
}

// What a snapshot leaves out is in its list, whatever its scope, in words that one line
// holds; nothing hidden is, and the list comes to no page of the project that is restored.
func TestSnapshotListsWhatItLeavesOut(t *testing.T) {
	p := testProject(t)
	must(t, os.MkdirAll(p.path("chapters"), 0o755))
	must(t, os.MkdirAll(p.path("deed/.git/hooks"), 0o755))
	for _, name := range []string{"chapters/one.md", "Makefile", "My notes.md", "notes.txt", leftOutName, ".hidden", ".hidden.md", "two\nlines.md", "doc-a.sync-conflict-20260301-120000-ABCDEFG.md"} {
		write(t, p.path(name), "x")
	}
	for _, name := range []string{"doc-link.md", "link", "deed/link", "deed/.link", "deed/.git/hooks/link", ".link"} {
		must(t, os.Symlink("/etc/hostname", p.path(name)))
	}
	for scope, more := range map[Scope][]string{ScopeDocs: nil, ScopeDialogs: nil, ScopeAll: {"deed/link"}} {
		want := append([]string{"LEFT-OUT.txt", "Makefile", "My notes.md", "chapters", "doc-a.sync-conflict-20260301-120000-ABCDEFG.md", "doc-link.md", "link", "notes.txt", "two\nlines.md"}, more...)
		var b bytes.Buffer
		left, err := p.Snapshot(&b, scope)
		must(t, err)
		before, err := p.LeftOut(scope)
		must(t, err)
		var got []string
		for _, l := range left {
			got = append(got, l.File)
		}
		if !slices.Equal(got, want) || !slices.Equal(left, before) {
			t.Errorf("%s: %q, before %q", scope, left, before)
		}
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		must(t, err)
		f, err := z.Open(leftOutName)
		must(t, err)
		list, err := io.ReadAll(f)
		must(t, err)
		if n := strings.Count(string(list), ": "); n < len(want) || !strings.Contains(string(list), "\nMy notes.md: a doc's name can't have a blank\n") || !strings.Contains(string(list), "\n\"two\\nlines.md\": ") {
			t.Errorf("%s: %s", scope, list)
		}
		name := "of-" + string(scope)
		restored(t)(p.store.Restore(name, bytes.NewReader(b.Bytes()), int64(b.Len()), UploadLimits, nil))
		q, err := p.store.Project(name)
		must(t, err)
		if _, err := os.Lstat(q.path(leftOutName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the list was restored: %v", err)
		}
	}
}
