package dialog_test

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vibey/dialog"
)

// digest is what a list tells of the case's dialog.
func (c *corpusCase) digest() string {
	var g dialog.Digest
	g.Extend(dialog.Parse(c.text))
	return fmt.Sprintf("title %q\nprompt %q\nwords %q said=%v\nstop %q failure %q from %q\ntokens %v\nown %v\nmodels %v\n",
		g.Title, g.Prompt, g.Words, g.Said, g.Stop, g.Failure, g.From+g.Origin.Dialog, g.Tokens, g.Own, g.Models)
}

func sameDigest(t *testing.T, name string, got, want dialog.Digest) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(dialog.Digest{})); diff != "" {
		t.Errorf("%s (-fresh +extended):\n%s", name, diff)
	}
}

// A digest that is extended section by section is that of the whole.
func TestDigestExtended(t *testing.T) {
	for _, c := range corpus(t) {
		d := dialog.Parse(c.text)
		if slices.ContainsFunc(d.Sections, func(s dialog.Section) bool { return s.Torn }) {
			continue // Append takes none
		}
		var fresh, step dialog.Digest
		fresh.Extend(d)
		grown := dialog.Parse("")
		grown.Header = d.Header
		step.Extend(grown)
		for i := range d.Sections {
			with := step.With(&d.Sections[i])
			grown.Append(d.Sections[i])
			step.Extend(grown)
			if grown.Inherited() <= i { // what is inherited is there from the start
				sameDigest(t, c.name, with, step)
			}
		}
		sameDigest(t, c.name, step, fresh)
		if fresh.Tokens != d.Cumulative() {
			t.Errorf("%s: %v, and in all %v", c.name, fresh.Tokens, d.Cumulative())
		}
	}
}

// What became torn behind the digest's back counts no more.
func TestDigestOfATornSection(t *testing.T) {
	d := dialog.Parse("# Dialog\n\n## User\n\nhello\n\n## User\n\nhalf of\n")
	var g dialog.Digest
	if g.Extend(d); g.Words != "half of" {
		t.Fatalf("words %q", g.Words)
	}
	d.Append(dialog.Section{Role: dialog.Note, ID: "n", Meta: dialog.Fields{{"Kind", "conflict"}, {"Torn", "yes"}}})
	if g.Extend(d); g.Words != "hello" {
		t.Errorf("words %q", g.Words)
	}
}

// Whatever is typed, a title that is taken can be written and comes back the same, and
// a line of a text is one that would be taken.
func TestTitleComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.OneOf(textGen(), rapid.String(), rapid.StringMatching(`[ \x{202a}-\x{202e}\x{2066}a-zא-ת😀]{0,210}`)).Draw(t, "typed")
		title, problem := dialog.CheckTitle(typed)
		if title != "" {
			note := dialog.Retitled(title, corpusNow, func(string) bool { return false })
			if err := dialog.CheckSection(&note); err != nil || problem != "" {
				t.Fatalf("%q: %v %s", title, err, problem)
			}
			h := dialog.Header{DialogID: "20260216-201100-x", Meta: dialog.Titled(title, dialog.Fields{{"From", "x"}})}
			if err := dialog.CheckHeader(&h); err != nil {
				t.Fatal(err)
			}
			for _, d := range []*dialog.Dialog{dialog.Parse(dialog.Format(&dialog.Dialog{Header: h})), dialog.Parse(dialog.Format(&dialog.Dialog{Sections: []dialog.Section{note}}))} {
				var g dialog.Digest
				if g.Extend(d); g.Title != title {
					t.Fatalf("%q came back as %q", title, g.Title)
				}
			}
		}
		if line := dialog.LineOf(typed, dialog.TitleMax); line != "" {
			if again, problem := dialog.CheckTitle(line); again != line || problem != "" {
				t.Fatalf("the line %q: %q, %s", line, again, problem)
			}
		}
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text, want string
		most       int
	}{{"", "", 3}, {"abc", "abc", 3}, {"abcd", "ab…", 3}, {"äöü", "äöü", 3}, {"äöüß", "äö…", 3}, {"a bcd", "a…", 3}, {"abcdef", "…", 1}} {
		if got := dialog.Cut(c.text, c.most); got != c.want || utf8.RuneCountInString(got) > c.most {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
