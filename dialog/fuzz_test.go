package dialog

import (
	"strings"
	"testing"
)

// FuzzParse: any text is read, and writing what was read is settled after once.
func FuzzParse(f *testing.F) {
	addCorpus(f)
	f.Fuzz(func(t *testing.T, text string) {
		d := Parse(text)
		once := Format(d)
		again := Parse(once)
		if twice := Format(again); twice != once {
			t.Fatalf("Format is not settled after once:\n%q\n%q\n%q", text, once, twice)
		}
		for _, p := range d.Problems {
			if p.Line < 1 || p.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("problem in line %d of %q: %v", p.Line, text, p)
			}
		}
		if len(d.Sections) != len(again.Sections) {
			t.Fatalf("%d sections, %d once formatted: %q", len(d.Sections), len(again.Sections), text)
		}
		for i := range d.Sections {
			if a, b := d.Sections[i].Payloads, again.Sections[i].Payloads; len(a) != len(b) {
				t.Fatalf("section %d: %q, once formatted %q", i, a, b)
			} else {
				for k := range a {
					if a[k] != b[k] {
						t.Fatalf("section %d: %q, once formatted %q", i, a[k], b[k])
					}
				}
			}
		}
	})
}

func addCorpus(f *testing.F) {
	for _, s := range []string{
		"# Dialog\n> DialogId: 20260216-201100-x\n\n## User\nhello\n", "\ufeff## User\r\nhi\r\n", "## User\nəəə\nfoo\nəəə\nbar\nəəə\n## Note\n",
		"# Dialog\n\nəəəfoo\n## User\n> Id: x\n\nəəəinput/markdown\nəəəə\nəəəbar\n## Assistant\nəəəz\nəəə\n",
		"## Tool Request\n> Id: c\n> Parent: m\n> Time: a - b\n> Resources: in=1\n\nəəətool/input/json\n{}\nəəə\n## Tool Result\n> Id: c\n## Note\n> Torn: yes\n",
	} {
		f.Add(s)
	}
}

// FuzzRoundTrip: a payload's bytes survive, whole or written piece by piece.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"", "\n", "əəə", "a\nəəə\n## User\n> Id: x\n", "ə\xc9", "\xc9\x99əə\nəəəə\r\n"} {
		f.Add(s, "x", uint8(3))
	}
	f.Fuzz(func(t *testing.T, text, other string, cut uint8) {
		in := Section{Role: Note, ID: "n", Payloads: []Payload{{NoteMarkdown, text}, {NoteJSON, other}}}
		for _, head := range []string{"# Dialog\n", "# Dialog\r\n"} {
			file := Parse(head)
			d := Parse(head + file.Encode(in, in))
			if len(d.Sections) != 2 || len(d.Problems) != 0 || d.Sections[0].Loose != "" || len(d.Sections[0].Payloads) != 2 {
				t.Fatalf("%q: %+v", text, d)
			}
			for i := range d.Sections {
				if got := d.Sections[i].Payloads; got[0] != in.Payloads[0] || got[1] != in.Payloads[1] {
					t.Fatalf("%q %q came back as %q", text, other, got)
				}
			}
		}
		var e Escaper
		var pieces []byte
		for rest := text; rest != ""; {
			n := min(1+int(cut)%7, len(rest))
			pieces = e.Append(pieces, rest[:n])
			if !strings.HasPrefix(Escape(text), string(pieces)) {
				t.Fatalf("%q: %q is not how %q begins", text, pieces, Escape(text))
			}
			rest = rest[n:]
		}
		if string(pieces) != Escape(text) {
			t.Fatalf("%q in pieces is %q, at once %q", text, pieces, Escape(text))
		}
	})
}
