package dialog

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// longText draws a payload's text: long, with all in it that looks like structure.
func longText(r *rand.Rand, n int) string {
	pieces := []string{"words of a text", "\n", "\n\n", "\n## User\n", "\n## Nope\n", "\n## ", "ə", "əə", "\n# Dialog\n", "\n> Id: x\n", "\n[…]", strings.Repeat("ə long line ", 100), strings.Repeat("line\n", 200)}
	if r.IntN(3) > 0 {
		pieces = pieces[5:] // no headings
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// longDialog draws a dialog's text with long payloads, now and then damaged.
func longDialog(r *rand.Rand) string {
	d := &Dialog{Header: Header{DialogID: "20260216-201100-x", Status: Waiting, Started: "2026-02-16T20:11:00Z"}}
	for i := range 1 + r.IntN(6) {
		s := Section{Role: [...]Role{User, Assistant, Note, ToolResult}[r.IntN(4)], ID: "id_" + string(rune('a'+i)), Time: "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z"}
		for range 1 + r.IntN(2) {
			s.Payloads = append(s.Payloads, Payload{s.Role.PayloadType(), longText(r, r.IntN(6000))})
		}
		d.Sections = append(d.Sections, s)
	}
	text := Format(d)
	for range r.IntN(3) {
		at := r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text = text[:at] + "\nəəə\n" + text[at:]
		case 1:
			text = text[:at] + text[min(len(text), at+r.IntN(40)):]
		case 2:
			text = text[:at] + "\x00" + text[at:]
		case 3:
			text = text[:at] + longText(r, 2*tailBytes)
		}
	}
	switch r.IntN(8) {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = BOM + text
	}
	return text
}

// withoutGaps reads a text in parts of about that size.
func withoutGaps(text string, most int64, part int) (shown string, shifts []Shift) {
	g := GapFinder{Most: most, Size: int64(len(text))}
	for off := 0; ; off += part - GapOverlap {
		end := min(off+part, len(text))
		g.Next([]byte(text[off:end]), int64(off), end == len(text))
		if end == len(text) {
			break
		}
	}
	at := int64(0)
	for _, gap := range g.Gaps {
		shown += text[at:gap.From] + GapLine(gap.To-gap.From)
		at = gap.To
		shifts = append(shifts, Shift{int64(len(shown)), at - int64(len(shown))})
	}
	return shown + text[at:], shifts
}

// faults are the rules that a text breaks, but for lines that are only read as text: a gap may
// hold some.
func faults(d *Dialog) (rules string) {
	for _, p := range d.Problems {
		if p.Rule != "section" && p.Rule != "header" {
			rules += p.Rule + " "
		}
	}
	return rules
}

// Without its gaps a text has the same sections at the same places, and of each payload
// the same head, however the parts fall in which it is read.
func TestGapsKeepTheStructure(t *testing.T) {
	r, gaps, texts := rand.New(rand.NewPCG(1, 2)), 0, 3000
	if testing.Short() {
		texts = 300
	}
	for n := range texts {
		text := longDialog(r)
		shown, shifts := withoutGaps(text, 1000, 100+r.IntN(3000))
		if again, _ := withoutGaps(text, 1000, len(text)); again != shown {
			t.Fatalf("%d: read in parts it has other gaps", n)
		}
		gaps += len(shifts)
		want, got := Parse(text), ParseShown(shown, shifts)
		if len(want.Sections) != len(got.Sections) || want.torn() != got.torn() || faults(want) != faults(got) {
			t.Fatalf("%d: %d sections of %d, faults %s of %s", n, len(got.Sections), len(want.Sections), faults(got), faults(want))
		}
		for i := range want.Sections {
			a, b := &want.Sections[i], &got.Sections[i]
			if a.Role != b.Role || a.ID != b.ID || a.Torn != b.Torn || a.lost != b.lost || len(a.Payloads) != len(b.Payloads) || want.End(i) != got.End(i) {
				t.Fatalf("%d: section %d is %s %s, ends at %d; want %s %s, %d", n, i, b.Role, b.ID, got.End(i), a.Role, a.ID, want.End(i))
			}
			for k := range a.Payloads {
				whole, cut := a.Payloads[k].Text, b.Payloads[k].Text
				head, _, is := strings.Cut(cut, " bytes more are not shown")
				head = strings.TrimSuffix(head[:max(0, strings.LastIndex(head, "[… "))], "…\n")
				head = strings.TrimSuffix(head, "\r") // cut within a line's end
				if cut != whole && (!is || !strings.HasPrefix(whole, head)) {
					t.Fatalf("%d: payload %d of section %d, %s, has another text: %.100q, not %.100q", n, k, i, a.Role, cut, whole)
				}
			}
		}
	}
	if gaps < texts {
		t.Errorf("only %d gaps", gaps)
	}
}

// What is left out of a long text is all but its head; a short one has no gap.
func TestGaps(t *testing.T) {
	head := "# Dialog\n> DialogId: x\n\n## User\n> Id: u\n\nəəəinput/markdown\n"
	for name, c := range map[string]struct {
		text string
		gaps int
	}{
		"short": {strings.Repeat("x", 1000), 0}, "one line": {strings.Repeat("x", 100_000), 1}, "lines": {strings.Repeat("x\n", 100_000), 1},
		"headings of no section": {strings.Repeat("## Chapter\nx\n", 10_000), 1}, "NUL": {strings.Repeat("x", 50_000) + "\x00" + strings.Repeat("x", 50_000), 0},
	} {
		text := head + c.text + "\nəəə\n"
		shown, shifts := withoutGaps(text, 1000, 4096)
		if len(shifts) != c.gaps || c.gaps > 0 && len(shown) > 2000 || c.gaps == 0 && shown != text {
			t.Errorf("%s: %d gaps, %d bytes of %d are shown", name, len(shifts), len(shown), len(text))
		}
	}
	if text := Shown(strings.Repeat("ə", SectionMost)); len(text) > SectionMost || !strings.Contains(text, "bytes more are not shown") {
		t.Errorf("%d bytes are shown", len(text))
	}
	if text := strings.Repeat("x", SectionMost); Shown(text) != text {
		t.Error("a section's text is cut")
	}
}

// Texts that are made so that what is left out, or where it is cut, would change what the
// sections are, or what they count for.
func TestGapsOfHostileText(t *testing.T) {
	const most = 1000
	head := "# Dialog\n> DialogId: 20260216-201100-x\n\n## User\n> Id: u_1\n\nəəəinput/markdown\nHi.\nəəə\n"
	to := func(s string, n int) string { return s + strings.Repeat("x", n-len(s)) } // n bytes
	more := strings.Repeat("y", 2000)
	for name, text := range map[string]string{
		"a heading that is the beginning of a line": head + "\n" + to("## Note\n", most-8) + "\n## User" + more + "\n\n## Note\n> Id: n\n\nəəənote/markdown\nx\nəəə\n",
		"the same in a payload without an end": head + "\n## Assistant\n> Id: a\n\n" + to("əəəoutput/markdown\n", most-8) + "\n## User" + more +
			"\n\nəəəinput/markdown\nyes\nəəə\n",
		"a fence that is a line of blanks":   head + "\n## Assistant\n> Id: a\n\nəəəoutput/markdown\nx\nəəə" + strings.Repeat(" ", 3000) + "output/markdown\n\n## User\n> Id: b\n\nəəəinput/markdown\nyes\nəəə\n",
		"a heading that is a line of blanks": head + "\n## User" + strings.Repeat(" ", 3000) + "x\n> Id: b\n\nəəəinput/markdown\nyes\nəəə\n",
		"blank lines above a payload":        head + "\n## Assistant\n> Id: a\n" + strings.Repeat("\n", 3000) + "əəəoutput/markdown\nx\nəəə\n",
		"metadata":                           head + "\n## User\n> X: " + more + "\n> By: mcp\n> Id: b\n\nəəəinput/markdown\nyes\nəəə\n",
		"the head":                           strings.Replace(head, "\n\n", "\n> X: "+more+"\n> From: 20260216-201100-y\n\n", 1),
		"what is left of an Authorization":   head + "\n## User\n" + more + "\nx## Authorization\n" + more + "\n\n## Note\n> Id: n\n\nəəənote/markdown\nx\nəəə\n",
	} {
		shown, shifts := withoutGaps(text, most, 300)
		want, got := Parse(text), ParseShown(shown, shifts)
		if len(want.Sections) != len(got.Sections) || want.Header.Launched() != got.Header.Launched() {
			t.Errorf("%s: %d sections, want %d", name, len(got.Sections), len(want.Sections))
			continue
		}
		for i := range want.Sections {
			a, b := &want.Sections[i], &got.Sections[i]
			if a.Role != b.Role || a.ID != b.ID || a.Torn != b.Torn || a.lost != b.lost || len(a.Meta) != len(b.Meta) || len(a.Payloads) != len(b.Payloads) || want.LeftOver(i) != got.LeftOver(i) || want.End(i) != got.End(i) {
				t.Errorf("%s: section %d is %s %s, torn %v, left over %v; want %s %s, %v, %v", name, i, b.Role, b.ID, b.Torn, got.LeftOver(i), a.Role, a.ID, a.Torn, want.LeftOver(i))
			}
		}
	}
}
