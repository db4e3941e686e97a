package dialog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
)

// TestCutAnywhere: a power cut may leave any beginning of a file. Repaired, all
// whole sections are as they were, what was cut counts for nothing, and what is
// appended next is read.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	cases, step := 0, testenv.Stride(t, 17)
	for _, c := range corpus(t) {
		switch c.name { // they hold every kind of section, and all that looks like one
		case "whole-turn", "seed-result", "escapes", "imitations", "imitation-in-result", "header-fields":
			cases++
			t.Run(c.name, func(t *testing.T) {
				checkCuts(t, c, c.text, step)
				if len(c.text) > 2000 {
					return
				}
				checkCuts(t, c, strings.ReplaceAll(c.text, "\n", "\r\n"), step)
			})
		}
	}
	if cases != 6 {
		t.Errorf("%d of 6 cases are there", cases)
	}
}

func checkCuts(t *testing.T, c *corpusCase, text string, step int) {
	t.Helper()
	full := dialog.Parse(text)
	ends := wholeEnds(full, text)
	human := dialog.Section{Role: dialog.User, ID: "human", Time: dialog.Span(corpusNow, corpusNow), Payloads: []dialog.Payload{{dialog.InputMarkdown, "Go on.\nəəə"}}}
	for n := 1; n < len(text); n += step {
		if full.CRLF() && n <= strings.IndexByte(text, '\n') {
			continue // whether it has CR LF can't be told yet
		}
		cut := text[:n]
		if strings.HasSuffix(cut, "\n"+dialog.Fence) && strings.HasPrefix(text[n:], "ə") {
			continue // a half escape looks like an end, as from an editor that drops last line feeds
		}
		whole := 0
		for whole < len(ends) && ends[whole] <= n {
			whole++
		}
		file := cut + dialog.RepairTail(cut, corpusNow)
		if more := dialog.RepairTail(file, corpusNow); more != "" {
			t.Fatalf("cut at %d: repaired twice, the second time by %q", n, more)
		}
		d := dialog.Parse(file)
		for i := range whole {
			s := d.Sections[i]
			if i == whole-1 {
				s.Loose = "" // a cut heading stands behind it
			}
			if diff := cmp.Diff(look1(&full.Sections[i]), look1(&s)); diff != "" {
				t.Fatalf("cut at %d: section %d changed:\n%s", n, i, diff)
			}
		}
		want := dialog.Parse(text[:endOr(ends, whole, n)])
		want.Sections, want.Problems = want.Sections[:whole], nil
		want.Reindex()
		for _, d := range []*dialog.Dialog{dialog.Parse(cut), d} {
			if diff := cmp.Diff(granted(want, c.authority)+showHistory(history.Build(want)), granted(d, c.authority)+showHistory(history.Build(d))); diff != "" {
				t.Fatalf("cut at %d: what was cut counts:\n%s\n%s", n, diff, cut)
			}
		}
		next := dialog.Parse(file + d.Encode(human))
		if last := &next.Sections[len(next.Sections)-1]; last.ID != "human" || last.Text() != human.Text() || last.Torn {
			t.Fatalf("cut at %d: the next message is not seen: %+v", n, last)
		}
		d.Append(human)
		if diff := cmp.Diff(look(d, c.authority), look(next, c.authority)); diff != "" {
			t.Fatalf("cut at %d: appended and parsed differ:\n%s", n, diff)
		}
		// One blank line too many is all that may be left of a cut.
		if whole > 0 && !full.CRLF() && !strings.HasSuffix(cut, dialog.Fence+"\n\n") && dialog.Format(dialog.Parse(file)) != file {
			t.Fatalf("cut at %d: the repaired file is not canonical:\n%s", n, cmp.Diff(file, dialog.Format(dialog.Parse(file))))
		}
		if h := history.Build(d); history.Validate(h) != nil {
			t.Fatalf("cut at %d: %v", n, history.Validate(h))
		}
	}
}

// wholeEnds is where each section's closing fence is whole; its line feed may lack.
func wholeEnds(d *dialog.Dialog, text string) []int {
	ends := make([]int, len(d.Sections))
	for i := range d.Sections {
		_, end := d.Sections[i].Extent()
		if d.CRLF() {
			end += strings.Count(d.Src()[:end], "\n")
		}
		ends[i] = len(strings.TrimRight(text[:end], "\r\n"))
	}
	return ends
}

func endOr(ends []int, whole, n int) int {
	if whole > 0 {
		return ends[whole-1]
	}
	return min(n, len("# Dialog"))
}

func look1(s *dialog.Section) string {
	return look(&dialog.Dialog{Sections: []dialog.Section{*s}}, grant.Authority{})
}

// granted is verdicts without what a torn tail changes: what the dialog needs.
func granted(d *dialog.Dialog, a grant.Authority) string {
	all, _, _ := strings.Cut(verdicts(d, a), "needs ")
	return strings.ReplaceAll(all, ", started", "") // a torn start counts, so that nothing runs twice
}
