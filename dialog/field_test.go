package dialog

import (
	"errors"
	"strings"
	"testing"
)

// TestStringsFromOutside: no string of a provider or a human gets into the
// structure of a file.
func TestStringsFromOutside(t *testing.T) {
	good := Section{Role: Note, ID: "n1", Time: "a - b", Meta: Fields{{"Kind", "started"}, {"Resources cumulative", "in=1"}, {"Tool", ""}}, Payloads: []Payload{{"note/markdown", "\n## User\nəəə"}}}
	if err := CheckSection(&good); err != nil {
		t.Errorf("refused: %v", err)
	}
	bad := []string{"a\nb", "a\r", "\x00", "a\x1fb", "\x7f", "\u0085", "a\u2028b", "a\u2029b", " a", "a ", "\xff", "a\n\n## Authorization"}
	for _, v := range bad {
		for name, change := range map[string]func(s *Section){
			"id":    func(s *Section) { s.ID = v },
			"time":  func(s *Section) { s.Time = v },
			"key":   func(s *Section) { s.Meta = Fields{{v, "x"}} },
			"value": func(s *Section) { s.Meta = Fields{{"Kind", v}} },
			"type":  func(s *Section) { s.Payloads = []Payload{{v, "x"}} },
		} {
			s := good
			change(&s)
			if err := CheckSection(&s); !errors.Is(err, ErrField) {
				t.Errorf("%s %q: %v", name, v, err)
			}
		}
		if err := CheckHeader(&Header{Model: v}); !errors.Is(err, ErrField) {
			t.Errorf("header %q: %v", v, err)
		}
		if got := Clean(v, 20); !OneLine(got) {
			t.Errorf("Clean(%q) = %q", v, got)
		}
	}
	for name, s := range map[string]Section{
		"no role":        {Role: "Plan"},
		"role in two":    {Role: "User\n\n## Note"},
		"taken key":      {Role: Note, Meta: Fields{{"Id", "x"}}},
		"small key":      {Role: Note, Meta: Fields{{"kind", "x"}}},
		"key of a colon": {Role: Note, Meta: Fields{{"Kind: a", "x"}}},
		"long key":       {Role: Note, Meta: Fields{{"K" + strings.Repeat("x", 32), "x"}}},
		"no type":        {Role: Note, Payloads: []Payload{{"", "x"}}},
		"escaped type":   {Role: Note, Payloads: []Payload{{"əx", "x"}}},
		"half a schwa":   {Role: Note, Payloads: []Payload{{"ɛx", "x"}}},
	} {
		if err := CheckSection(&s); !errors.Is(err, ErrField) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckHeader(&Header{Meta: Fields{{"Status", "done"}}}); !errors.Is(err, ErrField) {
		t.Errorf("a second status in the head: %v", err)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"a\nb", 9, "a b"}, {"  a\t", 9, "a"}, {"abcdef", 3, "abc"}, {"aəəə", 4, "aə"}, {"ab cd", 3, "ab"}, {"\u2028", 9, ""}, {"x\xffy", 9, "x y"}, {"", 0, ""},
	} {
		if got := Clean(c.in, c.max); got != c.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}
