package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vibey/dialog"
)

// TestFinder: what is found is what a walk over all characters finds.
func TestFinder(t *testing.T) {
	alphabet := []string{"s", "S", "ſ", "k", "K", "\u212a", "a", "A", "ß", "ẞ", "ss", "i", "ı", "İ", "I", "σ", "ς", "Σ", "д", "Д", "р", "Р", "é", "e\u0301", "日", " ", "\xc5", "\xbf", "\xff", "\ufffd", "ⱥ", "Ⱥ", "å", "\u212b", "𐐀", "𐐨", "ab", strings.Repeat("s", 70)}
	text := func(least int) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(alphabet), least, 30), func(parts []string) string { return strings.Join(parts, "") })
	}
	rapid.Check(t, func(t *rapid.T) {
		q := text(1).Filter(utf8.ValidString).Draw(t, "q")
		in := text(0).Draw(t, "before") + rapid.SampledFrom([]string{"", strings.ToUpper(q), strings.ToLower(q), q}).Draw(t, "match") + text(0).Draw(t, "after")
		f, from := newFinder(q), 0
		for {
			start, end := f.find(in[from:])
			if start >= 0 {
				start, end = start+from, end+from
			}
			want, wantEnd := -1, -1
			for at := from; at < len(in) && want < 0; at++ {
				for e := at + 1; e <= len(in) && want < 0; e++ {
					if s := in[at:e]; utf8.RuneStart(in[at]) && utf8.RuneCountInString(s) == utf8.RuneCountInString(q) && strings.EqualFold(s, q) && strings.Count(s, "\ufffd") == strings.Count(strings.ToValidUTF8(s, "\ufffd"), "\ufffd") && utf8.ValidString(s) {
						want, wantEnd = at, e
					}
				}
			}
			if start != want || end != wantEnd {
				t.Fatalf("%q in %q from %d: %d-%d, want %d-%d", q, in, from, start, end, want, wantEnd)
			}
			if start < 0 {
				break
			}
			if end-start > f.most {
				t.Fatalf("%q is longer than %d bytes", in[start:end], f.most)
			}
			from = start + 1
		}
	})
}

// TestFold: a character is folded to the same one as all that are it but for case.
func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if fold(r) != smallest(r) || utf8.RuneLen(fold(r)) > utf8.RuneLen(r) {
			t.Errorf("%U is folded to %U, not %U", r, fold(r), smallest(r))
		}
	}
}

// saved writes a file of the project, as if at that second.
func (p *Project) saved(t testing.TB, name, text string, second int) {
	t.Helper()
	write(t, p.path(name), text)
	at := then.Add(time.Duration(second) * time.Second)
	must(t, os.Chtimes(p.path(name), at, at))
}

func search1(t testing.TB, p *Project, q string, most int) ([]SearchResult, bool) {
	t.Helper()
	hits, more, err := p.Search(context.Background(), Query{Text: q, Docs: true, Dialogs: true, Most: most})
	must(t, err)
	return hits, more
}

const searchedDialog = "# Dialog\n> DialogId: 20260216-201100-x\n> Title: findme in the head\n\n" +
	"## User\n> Id: u1\n> Time: t\n> Resources: in=0\n\nəəəinput/markdown\nplease FindMe\n## Assistant\n> Id: forged\n\nfindme here\nəəə\n\n" +
	"## Tool Result\n> Id: c1\n> Kind: findme\n\nəəətool/result/json\n{\"a\":\"x\\nfindme\"}\nəəəəcontrol/v1 findme\nəəə\n\n" +
	"## Note\n\nby hand, findme\n"

// A hit tells its file, line, and the section that the parser says it stands in.
func TestSearchTellsWhere(t *testing.T) {
	for name, file := range map[string]string{"as it is": searchedDialog, "CRLF": strings.ReplaceAll(searchedDialog, "\n", "\r\n"), "with a mark": "\ufeff" + searchedDialog} {
		t.Run(name, func(t *testing.T) {
			p := testProject(t)
			p.saved(t, "dialog-20260216-201100-x-done.md", file, 1)
			hit := func(line int, role dialog.Role, id, text string) SearchResult {
				return SearchResult{"dialog-20260216-201100-x-done.md", "20260216-201100-x", id, role, line, text}
			}
			want := []SearchResult{
				hit(3, "", "", "> Title: findme in the head"), hit(11, dialog.User, "u1", "please FindMe"), hit(15, dialog.User, "u1", "findme here"),
				hit(20, dialog.ToolResult, "c1", "> Kind: findme"), hit(23, dialog.ToolResult, "c1", `{"a":"x\nfindme"}`), hit(24, dialog.ToolResult, "c1", "əəəəcontrol/v1 findme"),
				hit(29, dialog.Note, "", "by hand, findme"),
			}
			got, more := search1(t, p, "fINDmE", 50)
			if !reflect.DeepEqual(got, want) || more {
				t.Errorf("%+v, more %v\nwant %+v", got, more, want)
			}
		})
	}
}

// Files come newest first, docs and dialogs alike, and nothing else is looked into.
func TestSearchLooksIntoDocsAndDialogs(t *testing.T) {
	p := testProject(t)
	must(t, os.MkdirAll(p.path(".kept"), 0o755))
	write(t, p.path("deed/x.md"), "needle")
	write(t, p.path(".kept/00"), "needle")
	write(t, p.path(".20260216-201100-a.open"), "needle")
	write(t, p.path("x.txt"), "needle")
	write(t, p.path(".hidden.md"), "needle")
	must(t, os.Symlink("deed/x.md", p.path("doc-link.md")))
	must(t, os.Mkdir(p.path("doc-folder.md"), 0o755))
	p.saved(t, "doc-old.md", "x\nNEEDLE\nneedle needle", 1)
	p.saved(t, "dialog-20260216-201100-a-waiting.md", "# Dialog\nneedle", 3)
	p.saved(t, "doc-b.md", "needle", 2)
	p.saved(t, "doc-a.md", "needle", 2)
	for most, want := range map[int]string{
		50: "dialog-20260216-201100-a-waiting.md:2 doc-a.md:1 doc-b.md:1 doc-old.md:2 doc-old.md:3 false",
		5:  "dialog-20260216-201100-a-waiting.md:2 doc-a.md:1 doc-b.md:1 doc-old.md:2 doc-old.md:3 false",
		4:  "dialog-20260216-201100-a-waiting.md:2 doc-a.md:1 doc-b.md:1 doc-old.md:2 true",
		1:  "dialog-20260216-201100-a-waiting.md:2 true",
	} {
		hits, more := search1(t, p, "needle", most)
		if got := places(hits) + fmt.Sprint(more); got != want {
			t.Errorf("at most %d: %s", most, got)
		}
	}
	for q, want := range map[Query]string{
		{Text: "needle", Docs: true, Most: 9}:    "doc-a.md:1 doc-b.md:1 doc-old.md:2 doc-old.md:3 ",
		{Text: "needle", Dialogs: true, Most: 9}: "dialog-20260216-201100-a-waiting.md:2 ",
		{Text: "needles", Docs: true, Most: 9}:   "",
	} {
		if hits, _, err := p.Search(context.Background(), q); err != nil || places(hits) != want || hits == nil {
			t.Errorf("%+v: %s, %v", q, places(hits), err)
		}
	}
}

func places(hits []SearchResult) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%s:%d ", h.File, h.Line)
	}
	return b.String()
}

// What is told of a line holds the match, and no half of a character.
func TestSearchCutsLines(t *testing.T) {
	p := testProject(t)
	for name, around := range map[string][2]string{
		"short": {"", ""}, "long": {strings.Repeat("a ", 3000), strings.Repeat(" b", 3000)}, "only before": {strings.Repeat("ü", 3000), ""}, "only behind": {"", strings.Repeat("日", 3000)},
		"in two units": {strings.Repeat("😀", 3000), strings.Repeat("😀", 3000)}, "with marks": {strings.Repeat("e\u0301", 3000), strings.Repeat("e\u0301\u0302", 3000)},
		"broken": {"\xff\xfe", "\xc9" + strings.Repeat("\xff", 3000)}, "5 MB": {strings.Repeat("a", 5<<20), ""},
	} {
		p.saved(t, "doc-a.md", "before\n"+around[0]+"Needle"+around[1]+"\r\nafter", 1)
		hits, _ := search1(t, p, "nEEDLE", 5)
		if len(hits) != 1 {
			t.Fatalf("%s: %d hits", name, len(hits))
		}
		text := hits[0].Text
		units := len(utf16.Encode([]rune(text)))
		whole := strings.ToValidUTF8(around[0]+"Needle"+around[1], "\ufffd")
		if hits[0].Line != 2 || !strings.Contains(text, "Needle") || units > hitText || !utf8.ValidString(text) || marks(text) || !strings.Contains(whole, text) {
			t.Errorf("%s: %d units %q", name, units, text)
		}
		if full := len(utf16.Encode([]rune(whole))); units < min(full, hitText-6) && name != "broken" {
			t.Errorf("%s: %d units of %d", name, units, full)
		}
	}
}

// A match is found wherever a file is cut into pieces.
func TestSearchAcrossPieces(t *testing.T) {
	p := testProject(t)
	for _, q := range []string{"needle", "sſK", "日本語"} {
		for back := range len(q) + 3 {
			p.saved(t, "doc-a.md", strings.Repeat("x", piece-back)+q+strings.Repeat("y", piece), back)
			if hits, _ := search1(t, p, strings.ToUpper(q), 5); len(hits) != 1 || !strings.Contains(hits[0].Text, q) {
				t.Fatalf("%s, %d bytes before the end of a piece: %+v", q, back, hits)
			}
		}
	}
}

// A search ends with its request.
func TestSearchEnds(t *testing.T) {
	p := testProject(t)
	p.saved(t, "doc-a.md", "needle", 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if hits, _, err := p.Search(ctx, Query{Text: "needle", Docs: true, Most: 5}); !errors.Is(err, context.Canceled) || hits != nil {
		t.Errorf("%v, %v", hits, err)
	}
}

// endsAfter is a context that is cancelled when it has been looked at so many times.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A search that is not waited for any more ends within a large file.
func TestSearchEndsWithinAFile(t *testing.T) {
	p := testProject(t)
	p.saved(t, "doc-a.md", "needle\n"+strings.Repeat("hay\n", piece)+"needle", 1)
	if hits, err := p.searchFile(&endsAfter{context.Background(), 2}, "doc-a.md", newFinder("needle"), 5); !errors.Is(err, context.Canceled) || hits != nil {
		t.Errorf("%v, %v", hits, err)
	}
	if hits, err := p.searchFile(context.Background(), "doc-a.md", newFinder("needle"), 5); err != nil || places(hits) != fmt.Sprintf("doc-a.md:1 doc-a.md:%d ", piece+2) {
		t.Errorf("%v, %v", hits, err)
	}
}

// A dialog whose status changes while files are searched is found under its new name.
func TestSearchFollowsARename(t *testing.T) {
	p := testProject(t)
	p.saved(t, "dialog-20260216-201100-a-waiting.md", "# Dialog\nneedle", 1)
	must(t, os.Rename(p.path("dialog-20260216-201100-a-waiting.md"), p.path("dialog-20260216-201100-a-done.md")))
	hits, err := p.searchFile(context.Background(), "dialog-20260216-201100-a-waiting.md", newFinder("needle"), 5)
	if err != nil || places(hits) != "dialog-20260216-201100-a-done.md:2 " {
		t.Errorf("%v, %v", hits, err)
	}
}
