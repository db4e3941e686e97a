package dialog

import (
	"errors"
	"math"
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
	for _, key := range []string{"K" + strings.Repeat("x", 31), "A", "Z-9 azAZ0"} {
		s := good
		s.Meta = Fields{{key, "a\u00a0ə"}}
		if err := CheckSection(&s); err != nil {
			t.Errorf("refused: %v", err)
		} else if d := Parse("## Note\n> " + key + ":  a\u00a0ə\n"); d.Sections[0].Meta.Get(key) != "a\u00a0ə" {
			t.Errorf("%s is read as %v", key, d.Sections[0].Meta)
		}
	}
	bad := []string{"a\nb", "a\r", "\x00", "a\x1fb", "\x7f", "\u0080", "\u009f", "a b\u00a0", "a\u2028b", "a\u2029b", " a", "a ", "\xff", "a\n\n## Authorization"}
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
		"key before A":   {Role: Note, Meta: Fields{{"@ind", "x"}}},
		"key behind Z":   {Role: Note, Meta: Fields{{"[ind", "x"}}},
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
		{"a\nb", 9, "a b"}, {"  a\t", 9, "a"}, {"abcdef", 3, "abc"}, {"aəəə", 4, "aə"}, {"ab cd", 3, "ab"}, {"\u2028", 9, ""}, {"x\xffy", 9, "x y"}, {"aəəə", 5, "aəə"}, {"əə", 1, ""}, {"a\u009fb\u00a0c", 9, "a b\u00a0c"}, {"", 0, ""},
	} {
		if got := Clean(c.in, c.max); got != c.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func TestValidCallID(t *testing.T) {
	for _, id := range []string{"a", "z", "A", "Z", "0", "9", "_", "-", strings.Repeat("a", 64)} {
		if !ValidCallID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{"", "@", "[", "`", "{", "/", ":", "ə", " ", ".", strings.Repeat("a", 65), "allow", "deny", "ask", "try", "network"} {
		if ValidCallID(id) {
			t.Errorf("%q is taken", id)
		}
	}
}

// TestResources: what is no number leaves its field at 0, and the others are read.
func TestResources(t *testing.T) {
	for v, want := range map[string]string{
		"in=1 out=2 total=3 tools=4 ms=5 cached=6 written=7 reasoning=8": "", "in=1  out=2": "in=1 out=2 total=0 tools=0 ms=0",
		"in= out=2": "in=0 out=2 total=0 tools=0 ms=0", "in=x out=2": "in=0 out=2 total=0 tools=0 ms=0", "in=-1 out=2": "in=0 out=2 total=0 tools=0 ms=0",
		"in=9223372036854775807 out=9223372036854775808": "in=9223372036854775807 out=0 total=0 tools=0 ms=0", " in=1 ": "in=1 out=0 total=0 tools=0 ms=0",
	} {
		r, ok := parseResources(v)
		if got := r.String(); ok != (want == "") || got != want && want != "" || want == "" && got != v {
			t.Errorf("%q is %s, %v", v, got, ok)
		}
	}
	if sum := (Resources{In: math.MaxInt64 - 1, Out: -5}).Plus(Resources{In: 1, Out: 2}); sum != (Resources{In: math.MaxInt64, Out: 2}) {
		t.Errorf("%v", sum)
	}
}

func TestList(t *testing.T) {
	names := []string{"a", "b", "c"}
	for most, want := range map[int]string{1: "a, and 2 more", 2: "a, b, and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := List(names, most, ", ", "and %d more"); got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
	if names[1] != "b" || List(nil, 1, ", ", "%d more") != "" {
		t.Errorf("names are %q now", names)
	}
}
