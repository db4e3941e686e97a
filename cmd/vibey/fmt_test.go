package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"vibey/dialog"
)

func canon(t *testing.T, text string) (string, []string) {
	t.Helper()
	id, st, _ := dialog.ParseName(cleanName)
	out, changed, err := canonical(text, id, st)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out, changed
}

func TestFmtLeavesCanonicalTextsAlone(t *testing.T) {
	clean := cleanText(t)
	if out, changed := canon(t, clean); out != clean || len(changed) > 0 {
		t.Errorf("changed: %q", changed)
	}
}

// Whatever is broken: what fmt writes is canonical, it is the same when written
// again, no word is lost, and nothing is left that it mends.
func TestFmtMends(t *testing.T) {
	for _, c := range broken {
		text := strings.Replace(cleanText(t), c.old, c.new, 1)
		if strings.Contains(c.want, "field") {
			if _, _, err := canonical(text, "20260216-201100-clean", dialog.Waiting); err == nil {
				t.Errorf("%s: fmt wrote what it could not read", c.name)
			}
			continue
		}
		out, _ := canon(t, text)
		if again, changed := canon(t, out); again != out || len(changed) > 0 {
			t.Errorf("%s: written again it changes: %q", c.name, changed)
		}
		for _, f := range findings(out, cleanName, nil) {
			if strings.HasSuffix(f, ": form") || strings.HasSuffix(f, ": status") {
				t.Errorf("%s: after fmt there is still %s", c.name, f)
			}
		}
		if named := strings.Contains(c.want, "header") || strings.Contains(c.want, "status"); named {
			continue // the file's name says something else, and wins
		}
		for word := range strings.FieldsSeq(text) {
			if !strings.Contains(out, strings.Trim(word, "ə\ufeff#")) {
				t.Errorf("%s: fmt lost %q", c.name, word)
			}
		}
	}
}

// A text that was cut anywhere is written so that it stays as it is from then on.
func TestFmtOfEveryPrefix(t *testing.T) {
	clean := cleanText(t)
	refused := 0
	for n := range clean {
		out, _, err := canonical(clean[:n], "20260216-201100-clean", dialog.Waiting)
		if err != nil {
			refused++ // within a line of Resources
			continue
		}
		if again, changed := canon(t, out); again != out || len(changed) > 0 {
			t.Fatalf("cut at %d: written again it changes: %q", n, changed)
		}
	}
	if refused > len(clean)/10 {
		t.Errorf("%d of %d prefixes were refused", refused, len(clean))
	}
}

func TestFmtGivesAHandWrittenDialogItsFrame(t *testing.T) {
	const hand = `# Dialog
> Provider: ollama
> Model: small

## User
Please write

a page.

## Assistant

I ask first.

## Tool Request
> Tool: write_file
> Status: pending

{"path":"deed/a","content":"a"}

## Tool Result
> Tool: write_file
> Status: denied

{"success":false,"error":"Denied by user"}

## User
> Time: 2026-02-17T08:00:00Z - 2026-02-17T08:00:00Z

Then not.
`
	out, changed := canon(t, hand)
	if got := strings.Join(changed, "; "); got != "DialogId set to 20260216-201100-clean; Status set to waiting; Started set to 2026-02-16T20:11:00Z; 5 ids put in; 4 times put in; written canonically" {
		t.Errorf("told: %s", got)
	}
	if got := findings(out, cleanName, nil); len(got) > 0 {
		t.Errorf("check still finds %q in\n%s", got, out)
	}
	for _, want := range []string{
		"## User\n> Id: msg_20260216_201100_u1\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəinput/markdown\nPlease write\n\na page.\nəəə\n",
		"## Tool Request\n> Id: call_1\n", "## Tool Result\n> Id: call_1\n", "> Id: msg_20260217_080000_u2\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A dialog that names no model gets one that check takes, and that no message can reach.
func TestFmtNamesAProvider(t *testing.T) {
	for hand, want := range map[string]string{
		"# Dialog\n\n## User\nHello.\n":                                             "> Provider: none\n> Model: none\n",
		"# Dialog\n> Model: m\n\n## User\n> Provider: ollama\n\nHello.\n":           "> Provider: ollama\n> Model: m\n",
		"# Dialog\n\n## User\n> Provider: ollama\n> Model: small\n\nHello again.\n": "> Provider: ollama\n> Model: small\n",
	} {
		out, changed := canon(t, hand)
		if !strings.Contains(out, want) || !strings.Contains(strings.Join(changed, "; "), " set to ") {
			t.Errorf("%q: %q\n%s", hand, changed, out)
		}
		if got := findings(out, cleanName, nil); len(got) > 0 {
			t.Errorf("%q: %q", hand, got)
		}
	}
}

// pieces are what people, editors and damage put into a dialog.
var pieces = []string{
	"", " ", "w", "w w", "\tw", "w\r", "w\u2028w", "\u202ew", "שלום w", "漢字 w", "e\u0301 w", "👩‍🚀 w", "w\x00w", "\x00\x00w", "w\ufeff",
	"# w", "# Dialog", "## User", "## Assistant w", "## Tool Request", "## Tool Result", "## Authorization", "## Note", "## System", "## Summary", "## Dreaming w", "### w", "##w", "##",
	"> w", "> Id: w", "> Tool: w", "> Tool: run_command", "> Time: w", "> Kind: w", "> Status: w", "> Provider: w", "> Model: w w", "> W-w: w w", ">", "> : w", ">w",
	"əəə", "əəəinput/markdown", "əəəoutput/markdown w", "əəəcontrol/v1", "əəətool/input/json", "əəəw", "əəəəw", "əəəə", " əəə", "w əəə", "```", "allow w", "[]", "{\"w\":\"w\"}",
}

var said = regexp.MustCompile(`^((DialogId|Status|Resources|Resources cumulative):|[A-Za-z-]+:$)`) // or a field without a word

// visible are the words of a line that a reader sees, without what fmt puts around them.
func visible(line string) (words []string) {
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == 0 }) {
		if w = strings.Trim(w, "ə\ufeff#>"); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// linesOf counts the lines of a text by their words.
func linesOf(text string) map[string]int {
	count := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Join(visible(line), " ")
		if strings.HasPrefix(line, ">") {
			count[words] = 1 // a field that says the same twice is said once
		} else {
			count[words]++
		}
	}
	delete(count, "")
	return count
}

// Whatever hands and damage made of a dialog: each line of it is in what fmt writes, as
// often, with all its words, and written again it stays. Of what it can't write so, it
// writes nothing. What the file's name says better, or is a number of a known kind, may be
// said anew.
func TestFmtLosesNoWord(t *testing.T) {
	clean := cleanText(t)
	var written, refused int
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		numbered := func(piece string) string { // no two words are the same
			for strings.Contains(piece, "w") {
				n++
				piece = strings.Replace(piece, "w", fmt.Sprintf("W%d", n), 1)
			}
			return piece
		}
		lines := strings.Split(rapid.SampledFrom([]string{clean, "# Dialog\n> Provider: p\n> Model: m\n\n## User\nHello.\n\n## Assistant\n\nYes.\n", ""}).Draw(t, "begin"), "\n")
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			at := rapid.IntRange(0, len(lines)).Draw(t, "at")
			switch rapid.SampledFrom([]string{"insert", "insert", "insert", "remove", "twice", "cut"}).Draw(t, "how") {
			case "insert":
				lines = slices.Insert(lines, at, numbered(rapid.SampledFrom(pieces).Draw(t, "piece")))
			case "remove":
				lines = slices.Delete(lines, at, min(at+1, len(lines)))
			case "twice":
				lines = slices.Insert(lines, at, lines[at:min(at+3, len(lines))]...)
			case "cut":
				if at < len(lines) {
					lines[at] = lines[at][:len(lines[at])/2]
				}
			}
		}
		text := strings.ToValidUTF8(strings.Join(lines, rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "break")), "\ufffd")
		id, st, _ := dialog.ParseName(cleanName)
		out, changed, err := canonical(text, id, st)
		if err != nil {
			refused++
			return
		}
		written++
		if again, more, err := canonical(out, id, st); err != nil || again != out || len(more) > 0 {
			t.Fatalf("written again it changes: %q, %v\nfrom\n%s\nto\n%s", more, err, out, again)
		}
		after := linesOf(out)
		for line, n := range linesOf(text) {
			if !said.MatchString(line) && after[line] < n {
				t.Fatalf("of %d lines %q there are %d (%q)\nit was\n%s\nit is\n%s", n, line, after[line], changed, text, out)
			}
		}
	})
	t.Logf("%d written, %d refused", written, refused)
	if refused > written {
		t.Errorf("%d were refused, %d written", refused, written)
	}
}
