package change

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vibey/dialog"
)

func show(all []Hunk) string {
	var out []string
	for _, h := range all {
		out = append(out, fmt.Sprintf("%d-%d for %d-%d", h.From, h.To, h.OldFrom, h.OldTo))
	}
	return strings.Join(out, ", ")
}

func TestHunks(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"a\n", "a\n", ""},
		{"", "a\nb\n", "1-2 for 1-0"},
		{"a\nb\n", "", "1-0 for 1-2"},
		{"a\nb\nc\n", "a\nX\nc\n", "2-2 for 2-2"},
		{"a\nb\nc\n", "a\nc\n", "2-1 for 2-2"},
		{"a\nb\nc\n", "a\nb\n", "3-2 for 3-3"},
		{"a\nc\n", "a\nb\nc\n", "2-2 for 2-1"},
		{"a\nb\nc\nd\n", "X\nb\nc\nY\nZ\n", "1-1 for 1-1, 4-5 for 4-4"},
		{"a\nb\nc\n", "X\nY\nc\n", "1-2 for 1-2"},            // lines that touch are one run
		{"one line", "another", "1-1 for 1-1"},               // without a line feed
		{"a\nb", "a\nb\nc", "3-3 for 3-2"},                   // the line above has its feed now, and is the same line
		{"a\nb", "a\nb\n", "2-2 for 2-2"},                    // nothing else differs
		{"a\nb\n", "X\nb", "1-2 for 1-2"},                    // touches it
		{"a\nb\nc\n", "X\nb\nc", "1-1 for 1-1, 3-3 for 3-3"}, // does not
		{"a\r\nb\r\n", "a\r\nX\r\n", "2-2 for 2-2"},          // CR is a line's
		{"a\r\nb\r\n", "a\nb\n", "1-2 for 1-2"},              // and so is another one
		{"{\n}\n", "{\n}\n{\n}\n", "3-4 for 3-2"},            // as far down as can be
		{"p\n\nq\n", "p\n\nnew\n\nq\n", "3-4 for 3-2"},       //
		{"p\n\nold\n\nq\n", "p\n\nq\n", "3-2 for 3-4"},       //
		{"\n", "\n\n", "2-2 for 2-1"},                        //
		{"日本\n語\n", "日本\n語彙\n", "2-2 for 2-2"},               // any script
	} {
		if got := show(Hunks(c.before, c.after)); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, got, c.want)
		}
	}
}

func TestTakeBack(t *testing.T) {
	for _, c := range []struct {
		why, before, after, now string
		from, to                int
		want                    string // "" where it is refused
	}{
		{"as it was left", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", 2, 2, "a\nb\nc\n"},
		{"one of two", "a\nb\nc\n", "X\nb\nY\n", "X\nb\nY\n", 3, 3, "X\nb\nc\n"},
		{"lines were put above", "a\nb\nc\n", "a\nX\nc\n", "0\n1\na\nX\nc\n", 2, 2, "0\n1\na\nb\nc\n"},
		{"right above", "a\nb\nc\n", "a\nX\nc\n", "a\n1\nX\nc\n", 2, 2, "a\n1\nb\nc\n"},
		{"right below", "a\nb\nc\n", "a\nX\nc\n", "a\nX\n1\nc\n", 2, 2, "a\nb\n1\nc\n"},
		{"a neighbour changed", "a\nb\nc\n", "a\nX\nc\n", "A\nX\nC\n", 2, 2, "A\nb\nC\n"},
		{"the line changed", "a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", 2, 2, ""},
		{"one of its lines changed", "a\nb\nc\n", "a\nX\nY\nc\n", "a\nX\nZ\nc\n", 2, 3, ""},
		{"a line was put among them", "a\nb\nc\n", "a\nX\nY\nc\n", "a\nX\nnew\nY\nc\n", 2, 3, ""},
		{"it is gone", "a\nb\nc\n", "a\nX\nc\n", "", 2, 2, ""},
		{"it moved", "a\nb\nc\nd\ne\n", "a\nX\nY\nd\ne\n", "a\nd\ne\nX\nY\n", 2, 3, "a\nd\ne\nb\nc\n"},
		{"one line moved with its neighbour", "a\nb\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "d\ne\na\nX\n", 2, 2, "d\ne\na\nb\n"},
		{"changed, and one like it written at the end", "a\nb\nc\n", "a\nQ\nc\n", "a\nZ\nc\nQ\n", 2, 2, ""},
		{"one line moved alone", "a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\nc\nd\nX\n", 2, 2, "a\nc\nd\nb\n"},
		{"one like it stands elsewhere", "a\nb\n}\nd\n", "a\n}\n}\nd\n", "a\nz\n}\nd\n", 2, 2, ""},
		{"taken out", "a\nb\nc\n", "a\nc\n", "a\nc\n", 2, 1, "a\nb\nc\n"},
		{"taken out, and lines above", "a\nb\nc\n", "a\nc\n", "0\na\nc\n", 2, 1, "0\na\nb\nc\n"},
		{"taken out, and something there", "a\nb\nc\n", "a\nc\n", "a\nnew\nc\n", 2, 1, ""},
		{"taken out, and a neighbour changed", "a\nb\nc\n", "a\nc\n", "A\nc\n", 2, 1, "A\nb\nc\n"},
		{"taken out, and both changed", "a\nb\nc\n", "a\nc\n", "A\nC\n", 2, 1, ""},
		{"taken out at the top", "a\nb\n", "b\n", "b\n1\n", 1, 0, "a\nb\n1\n"},
		{"taken out at the end", "a\nb\n", "a\n", "0\na\n", 2, 1, "0\na\nb\n"},
		{"all was taken out", "a\nb", "", "", 1, 0, "a\nb"},
		{"put in", "a\nc\n", "a\nb\nc\n", "a\nb\nc\nd\n", 2, 2, "a\nc\nd\n"},
		{"a new file goes", "", "a\nb\n", "a\nb\n", 1, 2, "gone"},
		{"a new file with more in it", "", "a\nb\n", "0\na\nb\n", 1, 2, "0\n"},
		{"CR LF stays", "a\r\nb\r\nc\r\n", "a\r\nX\r\nc\r\n", "0\r\na\r\nX\r\nc\r\n", 2, 2, "0\r\na\r\nb\r\nc\r\n"},
		{"its lines have other ends now", "a\r\nb\r\n", "a\r\nX\r\n", "a\nX\n", 2, 2, ""},
		{"no feed at the end", "a\nb", "a\nb\nc", "a\nb\nc", 3, 3, "a\nb"},
		{"a feed came and goes", "a\nb", "a\nb\nc\n", "0\na\nb\nc\n", 3, 3, "0\na\nb"},
		{"only the feed", "a\nb", "a\nb\n", "0\na\nb\n", 2, 2, "0\na\nb"},
		{"only the feed, gone since", "a\nb", "a\nb\n", "a\nb", 2, 2, ""},
		{"a feed that is not at the end any more", "a\nb", "a\nX\n", "a\nX\nmore\n", 2, 2, "a\nb\nmore\n"},
	} {
		h, ok := FindHunk(c.before, c.after, Part{From: c.from, To: c.to})
		if !ok {
			t.Errorf("%s: there is no such hunk, but %s", c.why, show(Hunks(c.before, c.after)))
			continue
		}
		got, ok := h.TakeBack(c.before, c.after, c.now)
		if ok && got == "" {
			got = "gone"
		}
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %q %v, want %q", c.why, got, ok, c.want)
		}
	}
}

// Hunks lead from one text to the other, each stretch between them is the same in both, and
// they change as few lines as can be. Taken back in any order they lead back.
func TestHunksLead(t *testing.T) {
	texts := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d\r", "é"}), 0, 12).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "feed") && len(lines) > 0 {
			text += "\n"
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts.Draw(t, "before"), texts.Draw(t, "after")
		a, b := linesOf(before), linesOf(after)
		all, changed, at := Hunks(before, after), 0, 0
		for i, h := range all {
			if i > 0 && h.From-1 == all[i-1].To && h.OldFrom-1 == all[i-1].OldTo {
				t.Fatalf("two touch: %s", show(all))
			}
			if same := a.lines[at : h.OldFrom-1]; !slices.Equal(same, b.lines[h.From-1-len(same):h.From-1]) {
				t.Fatalf("what is between differs: %s", show(all))
			}
			at = h.OldTo
			changed += h.To - h.From + 1 + h.OldTo - h.OldFrom + 1
		}
		if a.feed == b.feed && changed != len(a.lines)+len(b.lines)-2*common(a.lines, b.lines) {
			t.Fatalf("%d lines changed: %s", changed, show(all))
		}
		now := after
		order := rapid.Permutation(all).Draw(t, "order")
		for _, h := range order {
			var ok bool
			if now, ok = h.TakeBack(before, after, now); !ok {
				t.Skip("the same lines stand there several times")
			}
		}
		if len(order) == 1 && now != before {
			t.Fatalf("%s leads back to %q", show(all), now)
		}
	})
}

// Where each line is another one, hunks that are taken back one after the other lead back, in
// whatever order.
func TestHunksLeadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b []string
		for i := range rapid.IntRange(1, 20).Draw(t, "lines") {
			line := fmt.Sprint("line ", i)
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				a = append(a, line)
			case 1:
				b = append(b, line)
			case 2:
				a, b = append(a, line), append(b, line+" anew")
			default:
				a, b = append(a, line), append(b, line)
			}
		}
		before, after := strings.Join(a, "\n"), strings.Join(b, "\n")
		now := after
		for _, h := range rapid.Permutation(Hunks(before, after)).Draw(t, "order") {
			var ok bool
			if now, ok = h.TakeBack(before, after, now); !ok {
				t.Fatalf("%v is refused in %q", h, now)
			}
		}
		if strings.TrimSuffix(now, "\n") != strings.TrimSuffix(before, "\n") {
			t.Fatalf("%q, want %q", now, before)
		}
	})
}

// common is how many lines the longest common subsequence has.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			was := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = was
		}
	}
	return row[len(b)]
}

// Large texts are compared soon, however much they differ, and the hunks lead from one to
// the other.
func TestHunksOfLargeTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	few := func(int) string { return string(rune('a' + r.IntN(4))) }
	for name, c := range map[string][2]string{
		"every third line": {text(60_000, func(i int) string { return fmt.Sprint(i) }), text(60_000, func(i int) string { return strings.Repeat("new ", max(0, 1-i%3)) + fmt.Sprint(i) })},
		"nothing common":   {text(100_000, func(i int) string { return fmt.Sprint("a", i) }), text(100_000, func(i int) string { return fmt.Sprint("b", i) })},
		"few lines":        {text(20_000, few), text(20_000, few)},
		"reversed":         {text(30_000, func(i int) string { return fmt.Sprint(i) }), text(30_000, func(i int) string { return fmt.Sprint(30_000 - i) })},
		"one in a million": {strings.Repeat("x\n", 1_000_000), strings.Repeat("x\n", 500_000) + "y\n" + strings.Repeat("x\n", 500_000)},
	} {
		begin := time.Now()
		all := Hunks(c[0], c[1])
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		a, b := linesOf(c[0]).lines, linesOf(c[1]).lines
		var out []string
		at := 0
		for _, h := range all {
			out = append(append(out, a[at:h.OldFrom-1]...), b[h.From-1:h.To]...)
			at = h.OldTo
		}
		if out = append(out, a[at:]...); !slices.Equal(out, b) {
			t.Errorf("%s: the hunks lead elsewhere", name)
		}
		if name == "every third line" && len(all) < 19_000 {
			t.Errorf("%s: %d hunks", name, len(all))
		}
	}
}

func TestPartComesBack(t *testing.T) {
	for _, p := range []Part{{"deed/a.txt", 3, 5}, {"deed/with blanks 3-4", 2, 1}, {"doc-ö.md", 1, 0}} {
		s := dialog.Section{Meta: dialog.Fields{p.Field()}}
		if got, ok := PartOf(&s); !ok || got != p {
			t.Errorf("%+v is %+v %v", p, got, ok)
		}
	}
	for _, value := range []string{"", "deed/a.txt", "deed/a.txt x-y", "deed/a.txt 3", "deed/a.txt 3-", "3-4"} {
		s := dialog.Section{Meta: dialog.Fields{{Key: "Hunk", Value: value}}}
		if got, ok := PartOf(&s); ok {
			t.Errorf("%q is %+v", value, got)
		}
	}
}
