package dialog

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHeadLen(t *testing.T) {
	for _, c := range []struct {
		text       string
		most, want int
	}{
		{"abc", 3, 3}, {"abc", 5, 3}, {"abc", 2, 2}, {"aə", 2, 1}, {"aə", 3, 3}, {"a😀b", 4, 1}, {"a😀b", 5, 5}, {"ə", 1, 0}, {"ə", 0, 0},
		{"\x80\x80\x80\x80\x80\x80", 5, 2}, // no UTF-8: any place is as good
	} {
		if got := HeadLen(c.text, c.most); got != c.want {
			t.Errorf("HeadLen(%q, %d) = %d, want %d", c.text, c.most, got, c.want)
		}
	}
}

func TestRestNames(t *testing.T) {
	const id = "20260216-201100-a.b"
	name := RestName(id, 12)
	if owner, ok := RestOwner(name); !ok || owner != id {
		t.Errorf("%s belongs to %q, %v", name, owner, ok)
	}
	if got, ok := RestOf("a\nb" + RestLine(name)); !ok || got != name {
		t.Errorf("the line names %q, %v", got, ok)
	}
	for _, bad := range []string{"", ".txt", id + ".txt", id + ".0.txt", id + ".01.txt", id + ".+1.txt", id + ".-1.txt", id + ".1", "../" + name, "x.1.txt"} {
		if owner, ok := RestOwner(bad); ok {
			t.Errorf("%q belongs to %q", bad, owner)
		}
		if got, ok := RestOf("text" + RestLine(bad)); ok {
			t.Errorf("a line names %q", got)
		}
	}
	if got, ok := RestOf("text" + RestLine(name) + "\n"); ok {
		t.Errorf("a line that is not the last one names %q", got)
	}
}

// Whatever the texts of a section are, together they have SectionMost bytes at most, and
// with what was cut off they are what they were.
func TestBound(t *testing.T) {
	const mib = 1 << 20
	for _, sizes := range [][]int{{1}, {16 * mib}, {16*mib + 1}, {40 * mib}, {1, 40 * mib}, {40 * mib, 1}, {15 * mib, 15 * mib}, {20 * mib, 2 * mib}, {20 * mib, 20 * mib, 20 * mib}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			s, total := Section{Role: Note}, 0
			for _, n := range sizes {
				s.Payloads = append(s.Payloads, Payload{NoteMarkdown, strings.Repeat("ə", n/2) + strings.Repeat("x", n%2)})
				total += n
			}
			rests := map[string]string{}
			got, err := Bound(s, func(rest string) (string, error) {
				name := RestName("20260216-201100-x", len(rests)+1)
				rests[name] = rest
				return name, nil
			})
			if err != nil || got.Bytes() > SectionMost || (len(rests) > 0) != (total > SectionMost) {
				t.Fatalf("%d bytes, %d files, %v", got.Bytes(), len(rests), err)
			}
			if kept := got.Bytes(); len(rests) > 0 && kept < SectionMost/2 {
				t.Errorf("only %d bytes stay", kept)
			}
			for i, p := range got.Payloads {
				text := p.Text
				if name, ok := RestOf(text); ok {
					text = strings.TrimSuffix(text, RestLine(name)) + rests[name]
				}
				if text != s.Payloads[i].Text || !utf8.ValidString(p.Text) {
					t.Errorf("payload %d is another text", i)
				}
			}
		})
	}
	if err := CheckSection(&Section{Role: Authorization, Payloads: []Payload{{ControlV1, strings.Repeat("#", SectionMost+1)}}}); err == nil {
		t.Error("control that could only be cut, which its Mac does not survive, may be written")
	}
}
