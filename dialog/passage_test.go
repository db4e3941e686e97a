package dialog_test

import (
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
)

// A passage is told with the lines that it has a byte of.
func TestPassageLines(t *testing.T) {
	const text = "one\r\ntwo\n\nfour ünd\n"
	for _, c := range []struct {
		of, place string
	}{
		{"one", "On doc-a.md, line 1"},
		{"one\r\n", "On doc-a.md, line 1"},
		{"e\r\nt", "On doc-a.md, lines 1-2"},
		{"two\n\n", "On doc-a.md, lines 2-3"},
		{"two\n\nf", "On doc-a.md, lines 2-4"},
		{"ünd\n", "On doc-a.md, line 4"},
		{text, "On doc-a.md, lines 1-4"},
	} {
		at := strings.Index(text, c.of)
		p := dialog.NewPassage("doc-a.md", dialog.SHA256(text), text, at, at+len(c.of))
		if p.Place() != c.place || p.Text != c.of {
			t.Errorf("%q: %s of %q", c.of, p.Place(), p.Text)
		}
	}
}

// FuzzOn: what is written of passages is read again, whatever their files are called.
func FuzzOn(f *testing.F) {
	f.Add("doc-main.md", "a\nb\n")
	f.Add("deed/a b;%20%25%3B; c.txt", "əəə\n## User\n")
	f.Add("deed/ünd%", "\r\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if text == "" || name == "" || !dialog.OneLine(name) || strings.Contains(text, "\x00") {
			t.Skip()
		}
		want := []dialog.Passage{
			dialog.NewPassage(name, dialog.SHA256(text), text, 0, len(text)),
			dialog.NewPassage("doc-b.md", dialog.SHA256(text), text+"\nend", len(text), len(text)+2),
		}
		meta, payloads := dialog.On(want)
		s := dialog.Section{Role: dialog.User, ID: "u", Meta: meta, Payloads: append(payloads, dialog.Payload{Type: dialog.InputMarkdown, Text: "Words."})}
		if err := dialog.CheckSection(&s); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		file := dialog.Parse("# Dialog\n")
		d := dialog.Parse("# Dialog\n" + file.Encode(s))
		got := dialog.Passages(&d.Sections[0])
		if !slices.Equal(got, want) || dialog.OnProblem(&d.Sections[0]) != "" || dialog.UserInput(&d.Sections[0]) != "Words." {
			t.Fatalf("%q came back as %+v, %s", name, got, dialog.OnProblem(&d.Sections[0]))
		}
		if !strings.HasSuffix(dialog.UserMessage(&d.Sections[0]), "\n\nWords.") {
			t.Fatalf("%q", dialog.UserMessage(&d.Sections[0]))
		}
	})
}

// What is wrong with the places of a hand-written section is told.
func TestOnProblem(t *testing.T) {
	sha := strings.Repeat("a", 64)
	passage := dialog.Payload{Type: dialog.PassageText, Text: "four"}
	words := dialog.Payload{Type: dialog.InputMarkdown, Text: "words"}
	for on, want := range map[string]string{
		"doc-a.md sha256:" + sha + " 1-5": "",
		"":                                "On names 0 passages, and 1 stand here",
		"doc-a.md sha256:" + sha + " 1-5; doc-b.md":                             "On names 2 passages, and 1 stand here",
		"doc-a.md sha256:" + sha + " 1-6":                                       "passage 1 has 4 bytes, and On tells of 5",
		"doc-a.md " + sha + " 1-5":                                              "On has another form for passage 1 than <file> sha256:<hex> <from>-<to>",
		"doc-a.md sha256:" + sha[1:] + " 1-5":                                   "On has another form for passage 1 than <file> sha256:<hex> <from>-<to>",
		"doc-a.md sha256:" + sha + " 99999999999999999999-99999999999999999999": "On has another form for passage 1 than <file> sha256:<hex> <from>-<to>",
	} {
		s := dialog.Section{Role: dialog.User, Meta: dialog.Fields{}.With("On", on), Payloads: []dialog.Payload{passage, words}}
		if got := dialog.OnProblem(&s); got != want {
			t.Errorf("%q: %q, want %q", on, got, want)
		}
	}
}
