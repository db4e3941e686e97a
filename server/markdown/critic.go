package markdown

import (
	"regexp"
	"slices"
	"strings"
)

// mark is a piece of CriticMarkup in a text: words to be set in {++…++}, taken out
// {--…--} or replaced {~~…~>…~~}, a note {>>…<<} or a passage {==…==}. The window reads
// the same (client/src/text/critic.ts); client/test/critic.json holds both to it.
type mark struct {
	kind     string // add, del, sub, note or mark
	from, to int    // of all of it
	then     int    // of the arrow; 0 without one
}

func (m *mark) inner() (int, int) {
	if m.then > 0 {
		return m.from + sign, m.then
	}
	return m.from + sign, m.to - sign
}

func (m *mark) now() (int, int) { return m.then + len("~>"), m.to - sign }

const sign = 3 // bytes

var (
	markKinds = map[string]string{"++": "add", "--": "del", "~~": "sub", "==": "mark"}
	tokens    = regexp.MustCompile("`+|\\\\[!-/:-@\\[-`{-~]|\\{(?:\\+\\+|--|~~|>>|==)|(?:\\+\\+|--|~~|==)\\}|~>")
	fenceAt   = regexp.MustCompile("^[ \\t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \\t]+)*(`{3,}|~{3,})([^\\n]*)$")
	fenceEnd  = regexp.MustCompile("^[ \\t>]*(`{3,}|~{3,})[ \\t]*$")
	itemAt    = regexp.MustCompile(`^ {0,3}(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)`)
	indented  = regexp.MustCompile(`^(?: {4}|\t| {1,3}\t)`)
	frontAt   = regexp.MustCompile(`^---[ \t]*$`)
	frontEnd  = regexp.MustCompile(`^(?:---|\.\.\.)[ \t]*$`)
	frontShut = regexp.MustCompile(`\n(?:---|\.\.\.)[ \t]*\r?(?:\n|$)`)
)

// codeIn lists the blocks of code of a text, its front matter and its blocks of schwas,
// each by its lines.
func codeIn(text string) (out [][2]int) {
	fence, from, at, blank, listed, first := "", 0, 0, true, false, true
	for raw := range strings.SplitSeq(text, "\n") {
		line, end := strings.TrimSuffix(raw, "\r"), at+len(raw)
		empty := strings.TrimSpace(line) == ""
		shut := false
		opens := fenceAt.FindStringSubmatch(line)
		if opens != nil && opens[1][0] == '`' && strings.Contains(opens[2], "`") {
			opens = nil
		}
		switch {
		case fence == "---":
			shut = frontEnd.MatchString(line)
		case fence == "əəə":
			shut = strings.TrimRight(line, " \t") == fence
		case fence != "":
			m := fenceEnd.FindStringSubmatch(line)
			shut = m != nil && strings.HasPrefix(m[1], fence)
		case first && frontAt.MatchString(line) && frontShut.MatchString(text):
			fence, from = "---", at
		case strings.HasPrefix(line, "əəə") && !strings.HasPrefix(line, "əəəə") && strings.TrimSpace(line) != "əəə":
			fence, from = "əəə", at
		case opens != nil:
			fence, from = opens[1], at
		case !empty && blank && !listed && indented.MatchString(line):
			if n := len(out) - 1; n >= 0 && indented.MatchString(text[out[n][0]:]) && strings.TrimSpace(text[out[n][1]:at]) == "" {
				out[n][1] = end
			} else {
				out = append(out, [2]int{at, end})
			}
			at, first = end+1, false
			continue // the next line goes on with it
		}
		if shut {
			out, fence = append(out, [2]int{from, end}), ""
		}
		if itemAt.MatchString(line) {
			listed = true
		} else if !empty && blank && line[0] != ' ' && line[0] != '\t' {
			listed = false
		}
		blank = empty || shut
		at, first = end+1, false
	}
	if fence != "" && fence != "əəə" && fence != "---" {
		out = append(out, [2]int{from, len(text)})
	}
	return out
}

// code is a stretch of code: a block, or within a line.
type code struct {
	from, to int
	block    bool
}

// marksIn lists the marks of a text, each before those within it, and what is code in it,
// in its order. In code there are none, and what is never closed is text.
func marksIn(text string) (out []mark, codes []code) {
	blocks := codeIn(text)
	for _, b := range blocks {
		codes = append(codes, code{b[0], b[1], true})
	}
	type opened struct {
		kind       string
		from, then int
	}
	var open []opened
	for at := 0; at < len(text); {
		loc := tokens.FindStringIndex(text[at:])
		if loc == nil {
			break
		}
		from, to := at+loc[0], at+loc[1]
		token := text[from:to]
		for len(blocks) > 0 && blocks[0][1] <= from {
			blocks = blocks[1:]
		}
		limit := len(text)
		if len(blocks) > 0 {
			if limit = blocks[0][0]; limit <= from {
				at = blocks[0][1]
				continue
			}
		}
		at = to
		switch {
		case token[0] == '`':
			if at = endOfCode(text, from, len(token), limit); at > to {
				codes = append(codes, code{from, at, false})
			}
		case token == "{>>":
			end, next := strings.Index(text[to:], "<<}"), strings.Index(text[to:], "{>>")
			if end >= 0 && (next < 0 || end < next) {
				at = to + end + sign
				out = append(out, mark{kind: "note", from: from, to: at})
			}
		case token == "~>":
			if n := len(open) - 1; n >= 0 && open[n].kind == "sub" && open[n].then == 0 {
				open[n].then = from
			}
		case token[0] == '{':
			open = append(open, opened{kind: markKinds[token[1:]], from: from})
		case token[len(token)-1] == '}' && len(token) == sign:
			i := len(open) - 1
			for i >= 0 && open[i].kind != markKinds[token[:2]] {
				i--
			}
			if i < 0 {
				continue
			}
			o := open[i]
			open = open[:i]
			if o.kind != "sub" || o.then > 0 {
				out = append(out, mark{o.kind, o.from, to, o.then})
			}
		}
	}
	slices.SortFunc(out, func(a, b mark) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	slices.SortFunc(codes, func(a, b code) int { return a.from - b.from })
	return out, codes
}

var runs = regexp.MustCompile("`+|\\n[ \\t\\r]*\\n")

// endOfCode returns where a stretch of code within a paragraph ends that n backticks at
// from begin; the end of those if none does.
func endOfCode(text string, from, n, limit int) int {
	for at := from + n; ; {
		loc := runs.FindStringIndex(text[at:])
		if loc == nil || at+loc[0] >= limit || text[at+loc[0]] != '`' {
			return from + n
		}
		if at += loc[1]; loc[1]-loc[0] == n {
			return at
		}
	}
}

// Signs that stand for marks in a text that Suggestions returned: a brace, at which
// goldmark asks its parsers, and behind it what is no character (Unicode 16, 23.7) and in
// the text itself replaced.
const (
	signs   = "\uFDD0\uFDD1\uFDD2\uFDD3\uFDD4\uFDD5"
	noteAt  = "{\uFDD6"
	noteEnd = "\uFDD7"
)

var (
	beginOf  = map[string]string{"add": "{\uFDD0", "del": "{\uFDD2", "mark": "{\uFDD4"}
	endOf    = map[string]string{"add": "{\uFDD1", "del": "{\uFDD3", "mark": "{\uFDD5"}
	reserved = regexp.MustCompile("[\uFDD0-\uFDEF]")
	aSign    = regexp.MustCompile("\\{([\uFDD0-\uFDD6])|\uFDD7")
	mayMark  = regexp.MustCompile(`\{(?:\+\+|--|~~|>>|==)`)
)

// Suggestions returns a doc with signs in place of its CriticMarkup, which HTML draws:
// <ins> and <del> for what is suggested, <mark> for a passage, and the letter of a comment
// where it stands. Notes are the words of the comments, in their order. Without comments
// neither they nor their passages are marked.
func Suggestions(text string, comments bool) (signed string, notes []string) {
	if !mayMark.MatchString(text) || len(text) > renderMax {
		return text, nil
	}
	marks, codes := marksIn(text)
	if len(marks) == 0 {
		return text, nil
	}
	s := signer{text: text, codes: codes}
	for i := range marks {
		s.add(&marks[i], comments)
	}
	return s.signed(), s.notes
}

// Bare returns a text without the signs of Suggestions.
func Bare(signed string) string {
	return aSign.ReplaceAllStringFunc(signed, func(s string) string {
		switch s {
		case noteAt:
			return "["
		case noteEnd:
			return "]"
		}
		return ""
	})
}

// signer writes a text with signs for its marks. A mark over several lines has signs in
// each, since what they say of a paragraph ends with it.
type signer struct {
	text  string
	codes []code
	edges []edge
	notes []string
}

// edge is where something of a mark begins or ends.
type edge struct {
	at, skip int    // skip bytes of its own are left out
	begins   string // add, del or mark
	ends     bool
	note     string
}

func (s *signer) add(m *mark, comments bool) {
	from, to := m.inner()
	put := func(e edge) { s.edges = append(s.edges, e) }
	switch {
	case m.kind == "note":
		e := edge{at: m.from, skip: m.to - m.from}
		if words := strings.TrimSpace(strings.ReplaceAll(s.text[from:to], `\|`, "|")); comments {
			s.notes = append(s.notes, words)
			e.note = noteAt + letters(len(s.notes)) + noteEnd
		}
		put(e)
	case m.kind == "sub":
		_, end := m.now()
		put(edge{at: m.from, skip: sign, begins: "del"})
		put(edge{at: to, ends: true})
		put(edge{at: to, skip: len("~>"), begins: "add"})
		put(edge{at: end, skip: sign, ends: true})
	case m.kind == "mark" && !comments:
		put(edge{at: m.from, skip: sign})
		put(edge{at: to, skip: sign})
	default:
		put(edge{at: m.from, skip: sign, begins: m.kind})
		put(edge{at: to, skip: sign, ends: true})
	}
}

var lineEnd = regexp.MustCompile(`^\r?\n`)

// lineHead is what a line begins with that is no word of it; ruled is one without words.
var (
	lineHead = regexp.MustCompile(`^[ \t]*(?:>[ \t]?|(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|\|[ \t]*|\[\^[^\]\n]+\]:[ \t]*)*`)
	ruled    = regexp.MustCompile(`^[ \t>|:=*_-]*[=*_-][ \t|:=*_-]*\r?$`)
)

// signed writes the text.
func (s *signer) signed() string {
	slices.SortStableFunc(s.edges, func(a, b edge) int { return a.at - b.at })
	p := pen{text: s.text}
	p.line(0)
	for p.at < len(s.text) {
		switch {
		case len(s.edges) > 0 && s.edges[0].at == p.at:
			p.edge(s.edges[0])
			s.edges = s.edges[1:]
		case len(s.codes) > 0 && s.codes[0].from < p.at:
			s.codes = s.codes[1:]
		case len(s.codes) > 0 && s.codes[0].from == p.at:
			p.code(s.codes[0])
			s.codes = s.codes[1:]
		default:
			p.byte()
		}
	}
	for _, e := range s.edges { // at the end
		p.edge(e)
	}
	p.end()
	return p.String()
}

// pen writes a text from its beginning on.
type pen struct {
	strings.Builder
	text  string
	at    int
	want  []string // the marks that hold here, the outermost first
	drawn int      // how many of them have begun in this line
	row   bool     // the line is a row of a table
	words int      // where its words begin
}

func (p *pen) end() {
	for ; p.drawn > 0; p.drawn-- {
		p.WriteString(endOf[p.want[p.drawn-1]])
	}
}

func (p *pen) begin() {
	for ; p.drawn < len(p.want); p.drawn++ {
		p.WriteString(beginOf[p.want[p.drawn]])
	}
}

// line looks at the line, or at what is left of it behind a sign that it begins with.
func (p *pen) line(at int) {
	l, _, _ := strings.Cut(p.text[at:], "\n")
	p.row = p.row || strings.HasPrefix(strings.TrimLeft(l, " \t>"), "|")
	p.words = at + len(lineHead.FindString(l))
	if ruled.MatchString(l) {
		p.words = at + len(l)
	}
}

func (p *pen) edge(e edge) {
	switch {
	case e.begins != "":
		p.want = append(p.want, e.begins)
	case e.ends && len(p.want) > 0:
		if p.drawn == len(p.want) {
			p.drawn--
			p.WriteString(endOf[p.want[p.drawn]])
		}
		p.want = p.want[:len(p.want)-1]
	}
	p.WriteString(e.note)
	p.at += e.skip
	if e.skip > 0 && e.at <= p.words {
		p.line(p.at)
	}
}

func (p *pen) code(c code) {
	if c.block {
		p.end()
	} else {
		p.begin()
	}
	p.WriteString(reserved.ReplaceAllString(p.text[c.from:c.to], "\uFFFD"))
	p.at = c.to
}

func (p *pen) byte() {
	c := p.text[p.at]
	switch {
	case c == '\n':
		p.end()
		p.row = false
		p.line(p.at + 1)
	case c == '\r' && strings.HasPrefix(p.text[p.at:], "\r\n"):
		p.end()
	case p.at < p.words, c == ' ', c == '\t':
	case p.row && c == '|' && p.text[p.at-1] != '\\':
		p.end()
	case c == '\\' && lineEnd.MatchString(p.text[p.at+1:]):
		p.end() // of a line that is broken here
	default:
		p.begin()
	}
	if c == 0xEF && reserved.MatchString(p.text[p.at:min(p.at+3, len(p.text))]) {
		p.WriteString("\uFFFD")
		p.at += 3
		return
	}
	p.WriteByte(c)
	p.at++
}

// Uncommented returns a doc as it stands: without its comments, and as before what is
// suggested holds. One that is longer than HTML is drawn of is returned as it is.
func Uncommented(text string) string {
	if !mayMark.MatchString(text) || len(text) > renderMax {
		return text
	}
	marks, _ := marksIn(text)
	gone := make([]bool, len(text))
	cut := func(from, to int) {
		for i := from; i < to; i++ {
			gone[i] = true
		}
	}
	for i := range marks {
		m := &marks[i]
		if m.kind == "note" || m.kind == "add" {
			cut(m.from, m.to)
			continue
		}
		from, to := m.inner()
		cut(m.from, from)
		cut(to, m.to)
	}
	var b strings.Builder
	for i := range len(text) {
		if !gone[i] {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// letters counts a to z, then aa, as a list of letters does. Footnotes have numbers.
func letters(n int) string {
	var s string
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('a'+(n-1)%26)) + s
	}
	return s
}
