package picture

import (
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
)

// What is written is read back, whatever a name has; what is damaged is left out.
func TestUses(t *testing.T) {
	sha := dialog.SHA256("x")
	uses := []Use{
		{"files/" + FileName(sha, "a b;c%20.png"), sha, Sent},
		{"files/" + FileName(sha, "写真.png"), sha, Unseen},
		{"files/nope.png", NoHash, Gone},
		{"files/a/b c", NoHash, Gone},
	}
	line := Format(uses)
	if !dialog.OneLine(line) {
		t.Errorf("%q is no line of metadata", line)
	}
	if got := Parse(line); !slices.Equal(got, uses) {
		t.Errorf("%q\n%v, want\n%v", line, got, uses)
	}
	for _, bad := range []string{"", ";", "x", "files/x sha256:" + sha + " sent", "doc-main.md sha256:" + sha + " gone", "files/" + FileName(sha, "x") + " sha256:" + sha[:63] + " sent", "files/" + FileName(sha, "x") + " sha256:" + strings.Repeat("0", 64) + " sent", "files/" + FileName(sha, "..x") + " sha256:" + sha + " sent", "files/x " + sha + " gone"} {
		if got := Parse(bad); len(got) > 0 {
			t.Errorf("%q: %v", bad, got)
		}
	}
	if got := Parse("nothing; " + line + ";"); !slices.Equal(got, uses) {
		t.Errorf("%v", got)
	}
}

// The lines are part of what models have seen: none of them ever changes.
func TestLinesStay(t *testing.T) {
	var all strings.Builder
	for _, state := range []string{Sent, Unseen, Gone, Another, Not, Older} {
		all.WriteString(Use{Path: "files/x", State: state}.Line() + "\n")
	}
	if got := dialog.SHA256(all.String()); got != linesHash {
		t.Errorf("%s\n%s", got, &all)
	}
}

const linesHash = "d6bd22b6e8a00bf0e9ede2d5f63695ec5fcd581dfb7d559b13796a2a47c157fe"

// A line that was written by hand sends nothing that the words do not show.
func TestShownBy(t *testing.T) {
	a, b := dialog.SHA256("a"), dialog.SHA256("b")
	of := func(sha, name string) Use { return Use{"files/" + FileName(sha, name), sha, Sent} }
	for _, c := range []struct {
		linked string
		use    Use
		shown  bool
	}{
		{"photo.png", of(a, "photo.png"), true},
		{"photo.png", of(b, "photo.jpg"), true},
		{"photo.png", of(b, "photo-2.png"), true},
		{"photo-2.png", of(b, "photo-2.jpg"), true},
		{strings.Repeat("x", 96) + ".png", of(b, strings.Repeat("x", 93)+"-12.jpg"), true},
		{"photo.png", of(b, "secret.png"), false},
		{"photo.png", of(b, "photograph.png"), false},
		{"", of(a, "photo.png"), false},
		{"", Use{"files/" + FileName(a, "photo.png"), a, Gone}, true},
	} {
		words := "See."
		if c.linked != "" {
			words += Link("it", "files/"+FileName(a, c.linked))
		}
		if got := ShownBy(words, []Use{c.use}); (len(got) == 1) != c.shown {
			t.Errorf("%s: %v", words, c.use)
		}
		if got := ShownBy("`"+words+"`", []Use{c.use}); len(got) == 1 && c.use.State == Sent {
			t.Errorf("in code %s: %v", words, c.use)
		}
	}
}
