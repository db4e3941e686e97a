package dialog_test

import (
	"strings"
	"testing"
	"testing/quick"
	"time"

	"vibey/dialog"
)

func TestSlug(t *testing.T) {
	for _, c := range [][2]string{
		{"Read vibey", "read-vibey"}, {"  Héllo, Wörld!  ", "hello-woerld"}, {"a/b\\c:d", "a-b-c-d"}, {"..", "x" + "5ec1f7e7"}, {"Привет мир", "privet-mir"},
		{"waiting", "waiting-dialog"}, {"is it done", "is-it-done-dialog"}, {"Active", "active-dialog"}, {"undone", "undone"}, {"straße", "strasse"},
		{"a — b", "a-b"}, {"“a”", "a"}, {"a ʰ b", "a-b"}, {"\u2000a\u206f", "a"}, {"a \u1fff", "a-x49e3d65c"}, {"a \u2070", "a-x0dcab758"}, {"a \u0300", "a-xd2a78bae"}, {"a \u02ff", "a"},
		{"Ka\u0308se o\u0308l U\u0308ber", "kaese-oel-ueber"}, {"cre\u0300me", "creme"}, {"e\u0301\u0302", "e"}, {"\u0301a", "a-xcb52dae9"}, {"и\u0306", "i"},
		{strings.Repeat("a", 60), strings.Repeat("a", 53)}, {strings.Repeat("a", 53), strings.Repeat("a", 53)}, {strings.Repeat("a", 60) + "長", strings.Repeat("a", 44) + "-xe3bd73ed"},
	} {
		if got := dialog.Slug(c[0]); got != c[1] {
			t.Errorf("Slug(%q) = %q, want %q", c[0], got, c[1])
		}
	}
	if a, b := dialog.Slug("猫を描く"), dialog.Slug("犬を描く"); a == b || !strings.HasPrefix(a, "x") {
		t.Errorf("two dialogs in one script are both %q and %q", a, b)
	}
}

// TestNameComesBack: whatever the words, the file's name tells id and status.
func TestNameComesBack(t *testing.T) {
	now := time.Date(2026, 2, 16, 21, 11, 0, 0, time.FixedZone("", 3600))
	check := func(words string, n uint8) bool {
		slug := dialog.Slug(words)
		if slug == "" || len(slug) > dialog.SlugMax || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("Slug(%q) = %q", words, slug)
		}
		id := dialog.NewID(now, slug, int(n))
		for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
			gotID, gotSt, ok := dialog.ParseName(dialog.Filename(id, st))
			if !ok || gotID != id || gotSt != st {
				t.Errorf("%q: %q %q %v", dialog.Filename(id, st), gotID, gotSt, ok)
			}
		}
		return strings.HasPrefix(id, "20260216-201100-") && !t.Failed()
	}
	for _, words := range []string{"", "done", "x-waiting", strings.Repeat("long ", 40), strings.Repeat("長", 100), "\xff\x00", "-.-"} {
		check(words, 2)
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

func TestValidID(t *testing.T) {
	const stem = "20260216-201100-"
	for _, id := range []string{stem + "a", stem + strings.Repeat("a", 84), "09999999-999999-A_.-9", dialog.NewID(corpusNow, "a", 1), dialog.NewID(corpusNow, "a-2", 0)} {
		if !dialog.ValidID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{"", stem, stem + strings.Repeat("a", 85), "2026021:-201100-a", "2026021/-201100-a", "20260216_201100-a", "20260216-201100_a"} {
		if dialog.ValidID(id) {
			t.Errorf("%q is taken", id)
		}
	}
	for n, want := range []string{"20260216-210000-a", "20260216-210000-a", "20260216-210000-a-2"} {
		if got := dialog.NewID(corpusNow, "a", n); got != want {
			t.Errorf("NewID %d is %s", n, got)
		}
	}
}

func TestParseNameRefuses(t *testing.T) {
	for _, name := range []string{
		"", "dialog-.md", "dialog-20260216-201100-x.md", "dialog-20260216-201100-x-paused.md", "dialog-20260216-201100-x-done.txt", "doc-20260216-201100-x-done.md",
		"dialog-20260216-201100--done.md", "dialog-2026021-6201100-x-done.md", "dialog-20260216-201100-a..b-done.md", "dialog-20260216-201100-a/b-done.md",
		"dialog-20260216-201100-ä-done.md", "dialog-20260216-201100-" + strings.Repeat("x", 90) + "-done.md", "dialog-20260216-201100-x-done.md~", " dialog-20260216-201100-x-done.md",
	} {
		if id, st, ok := dialog.ParseName(name); ok {
			t.Errorf("%q is dialog %q, %s", name, id, st)
		}
	}
}

// TestStatusOffset: the word is found where another can be written over it
// without moving a byte, and nowhere else.
func TestStatusOffset(t *testing.T) {
	h := dialog.Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m", Status: dialog.Active, Started: "2026-02-16T20:11:00Z"}
	head := string(dialog.AppendHeader(nil, &h))
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
		h.Status = st
		for _, text := range []string{head, dialog.BOM + head, strings.ReplaceAll(head, "\n", "\r\n"), head + "\n## User\n> Status: denied\n"} {
			off, ok := dialog.StatusOffset(text)
			if !ok {
				t.Fatalf("no status in %q", text)
			}
			changed := text[:off] + dialog.StatusWord(st) + text[off+dialog.StatusWidth:]
			if got := dialog.Parse(changed).Header.Status; len(changed) != len(text) || got != st {
				t.Errorf("%s written over: %q in %q", st, got, changed)
			}
		}
		if got := dialog.Format(dialog.Parse(string(dialog.AppendHeader(nil, &h)))); got != string(dialog.AppendHeader(nil, &h)) {
			t.Errorf("%q comes back as %q", dialog.AppendHeader(nil, &h), got)
		}
	}
	for _, text := range []string{"", "# Dialog\n", "# Dialog\n> Status: done\n", "# Dialog\n> Status: waiting", "# Dialog\n> Status: stopped\n", "# Dialog\n\n## User\n> Status: waiting\n", "# Dialog\n> Status: waiting \n"} {
		if off, ok := dialog.StatusOffset(text); ok {
			t.Errorf("%q: found at %d", text, off)
		}
	}
}

func TestNextID(t *testing.T) {
	d := dialog.Parse(benchHead)
	if got := d.NextID(dialog.User, corpusNow, 0); got != "msg_20260216_210000_u1" {
		t.Error(got)
	}
	d.Append(dialog.Section{Role: dialog.User, ID: "msg_20260216_210000_u2"})
	if got := d.NextID(dialog.User, corpusNow, 0); got != "msg_20260216_210000_u3" {
		t.Errorf("taken or wrong: %s", got)
	}
	if got := d.NextID(dialog.Authorization, corpusNow, 1); got != "auth_20260216_210000_2" {
		t.Error(got)
	}
}

func TestSpanNeverRunsBackwards(t *testing.T) {
	start := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	if got, want := dialog.Span(start, start.Add(-time.Hour)), "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
