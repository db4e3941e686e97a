package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Passage is a piece of a file that a User section's words are about, as it stood when
// they were sent. From and To are bytes of the file, First and Last its lines, from 1. A
// passage whose place was written by hand in another form has its text alone.
// Source: vibey/vibey/doc-reference.md, "The dialog file".
type Passage struct {
	File        string // as its project names it: "doc-main.md", "deed/notes.txt"
	SHA256      string // of the whole file, in hex
	From, To    int
	First, Last int
	Text        string
}

// The metadata of a User section with passages: where each of them stood, in their order.
const (
	onKey    = "On"
	linesKey = "Lines"
	onSep    = "; "
)

// NewPassage returns the passage content[from:to] of a file, which has that hash.
func NewPassage(file, sha256, content string, from, to int) Passage {
	first := 1 + strings.Count(content[:from], "\n")
	return Passage{file, sha256, from, to, first, first + strings.Count(content[from:to-1], "\n"), content[from:to]}
}

// On returns the metadata and the payloads of a User section's passages.
func On(all []Passage) (meta Fields, payloads []Payload) {
	if len(all) == 0 {
		return nil, nil
	}
	var places, lines []string
	for _, p := range all {
		places = append(places, fmt.Sprintf("%s sha256:%s %d-%d", EscapePath(p.File), p.SHA256, p.From, p.To))
		lines = append(lines, p.lines())
		payloads = append(payloads, Payload{PassageText, p.Text})
	}
	return Fields{{onKey, strings.Join(places, onSep)}, {linesKey, strings.Join(lines, onSep)}}, payloads
}

// Passages returns the passages of a User section, in their order.
func Passages(s *Section) (all []Passage) {
	if !slices.ContainsFunc(s.Payloads, isPassage) {
		return nil // without an allocation, as nearly all sections
	}
	places := strings.Split(s.Meta.Get(onKey), onSep)
	lines := strings.Split(s.Meta.Get(linesKey), onSep)
	for _, payload := range s.Payloads {
		if !isPassage(payload) {
			continue
		}
		var p Passage
		if i := len(all); i < len(places) {
			p = parsePlace(places[i])
			if i < len(lines) && p.File != "" {
				p.First, p.Last = parseRange(lines[i])
			}
		}
		p.Text = payload.Text
		all = append(all, p)
	}
	return all
}

func isPassage(p Payload) bool { return p.Type == PassageText }

// OnProblem says in what the places of a User section differ from its passages, or returns "".
func OnProblem(s *Section) string {
	all := Passages(s)
	places := 0
	if s.Meta.Has(onKey) {
		places = 1 + strings.Count(s.Meta.Get(onKey), onSep)
	}
	if places != len(all) {
		return fmt.Sprintf("On names %d passages, and %d stand here", places, len(all))
	}
	for i, p := range all {
		switch {
		case p.File == "":
			return fmt.Sprintf("On has another form for passage %d than <file> sha256:<hex> <from>-<to>", i+1)
		case p.To-p.From != len(p.Text):
			return fmt.Sprintf("passage %d has %d bytes, and On tells of %d", i+1, len(p.Text), p.To-p.From)
		}
	}
	return ""
}

// UserMessage is what the model reads of a User section: the passages, each quoted below its
// place, and the human's words (UserInput).
func UserMessage(s *Section) string {
	all := Passages(s)
	if len(all) == 0 {
		return UserInput(s)
	}
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.Place() + ":\n")
		for line := range strings.SplitSeq(strings.TrimSuffix(p.Text, "\n"), "\n") {
			b.WriteString("> " + line + "\n")
		}
		b.WriteByte('\n')
	}
	if words := UserInput(s); !IsBlank(words) {
		return b.String() + words
	}
	return strings.TrimSuffix(b.String(), "\n\n")
}

// Place says where a passage stood: "On doc-main.md, lines 3-4".
func (p *Passage) Place() string {
	switch {
	case p.File == "":
		return "On this passage"
	case p.First == 0:
		return fmt.Sprintf("On %s, bytes %d-%d", p.File, p.From, p.To)
	case p.First == p.Last:
		return fmt.Sprintf("On %s, line %d", p.File, p.First)
	}
	return fmt.Sprintf("On %s, lines %s", p.File, p.lines())
}

// lines is the value of one passage in the line Lines: "3-4", or "3".
func (p *Passage) lines() string {
	if p.First == p.Last {
		return strconv.Itoa(p.First)
	}
	return fmt.Sprintf("%d-%d", p.First, p.Last)
}

// EscapePath writes a file's path for a line of metadata, without blanks, semicolons and per
// cent signs, so that its end is seen.
func EscapePath(path string) string { return pathEscape.Replace(path) }

var pathEscape = strings.NewReplacer("%", "%25", " ", "%20", ";", "%3B")

// UnescapePath reads %XX; a text in which that is none stays as it is.
func UnescapePath(path string) string {
	var b strings.Builder
	for rest := path; rest != ""; {
		plain, escape, found := strings.Cut(rest, "%")
		b.WriteString(plain)
		if rest = escape; !found {
			break
		}
		if len(escape) < 2 {
			return path
		}
		c, err := strconv.ParseUint(escape[:2], 16, 8)
		if err != nil {
			return path
		}
		b.WriteByte(byte(c))
		rest = escape[2:]
	}
	return b.String()
}

// parsePlace reads "<file> sha256:<hex> <from>-<to>". One of another form is no place.
func parsePlace(v string) Passage {
	words := strings.Split(v, " ")
	if len(words) != 3 || words[0] == "" {
		return Passage{}
	}
	sha, ok := strings.CutPrefix(words[1], "sha256:")
	p := Passage{File: UnescapePath(words[0]), SHA256: sha}
	if p.From, p.To = parseRange(words[2]); !ok || !IsSHA256(sha) || p.From >= p.To {
		return Passage{}
	}
	return p
}

// parseRange reads "3-4", or "3" for both. It returns zeros for another form.
func parseRange(v string) (from, to int) {
	a, b, two := strings.Cut(v, "-")
	if !two {
		b = a
	}
	from, err := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if err != nil || err2 != nil || from < 0 || to < from {
		return 0, 0
	}
	return from, to
}
