package picture

import (
	"slices"
	"strings"

	"vibey/dialog"
)

// Links returns the files in files/ that a text in markdown shows as pictures, each once, in
// the order in which they come: `![words](files/…)` outside of code and raw HTML, which the
// window shows as text. A name is returned as the folder has it, without escapes.
func Links(text string) (paths []string) {
	if !strings.Contains(text, Folder+"/") {
		return nil
	}
	for _, p := range paragraphs(text) {
		s := scanner{text: p}
		for s.at < len(s.text) {
			if dest, ok := s.next(); ok && strings.HasPrefix(dest, Folder+"/") && !slices.Contains(paths, dest) {
				paths = append(paths, dest)
			}
		}
	}
	return paths
}

// Link returns the markdown that shows a file in files/ with those words.
func Link(words, path string) string {
	words = strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]", "`", "\\`").Replace(words)
	return "![" + words + "](<" + strings.NewReplacer("%", "%25", "#", "%23").Replace(path) + ">)"
}

// paragraphs returns the texts of a text in which marks of pictures mean something: headings,
// paragraphs, and the first ones of items of lists, without the marks of quotations.
func paragraphs(text string) (all []string) {
	var b strings.Builder
	var s blocks
	for line := range strings.Lines(text) {
		line, depth := s.unquoted(strings.TrimRight(line, "\r\n"))
		went := s.para
		verbatim := s.isVerbatim(line, depth)
		if !(went && s.goesOn) && b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
		if !verbatim {
			b.WriteString(line + "\n")
		}
	}
	return append(all, b.String())
}

// blocks finds the lines of a text that are code or raw HTML, one after the other.
type blocks struct {
	items  [][]int // by quotations around it: the columns at which the text of the open items of lists begins
	para   bool    // the last line is of a paragraph, which may go on
	goesOn bool    // and it goes on with what is before it
	empty  bool    // the last line begins an item, and has nothing else
	depth  int     // quotations around the last line
	fence  string  // by which the open code began
	end    string  // by which the open HTML ends, "\n" for an empty line; "" where none is open
	in     int     // where these two began
	from   int
}

// isVerbatim reports whether the next line, in so many quotations, is code or raw HTML.
func (s *blocks) isVerbatim(line string, depth int) bool {
	first := strings.TrimLeft(line, " \t")
	at := column(0, line[:len(line)-len(first)])
	s.goesOn = false
	if depth < s.in || first != "" && at < s.from {
		s.open("", "", 0, 0) // with the quotation, or the item, that it is in
	}
	switch {
	case s.fence != "":
		if at-s.from < 4 && closes(first, s.fence) {
			s.open("", "", 0, 0)
		}
		return true
	case s.end != "":
		if endsHTML(first, s.end) {
			s.open("", "", 0, 0)
		}
		return true
	case first == "":
		if s.para = false; s.empty {
			items := &s.items[s.depth]
			*items, s.empty = (*items)[:len(*items)-1], false
		}
		return false
	}
	s.para = s.para && depth <= s.depth
	ends := !s.para || at-s.base() < 4 && endsParagraph(first)
	if ends || depth == s.depth {
		s.depth = depth
		s.items = append(s.items, make([][]int, max(depth+1-len(s.items), 0))...)[:depth+1]
	}
	for items := &s.items[s.depth]; ends && at < s.base(); {
		*items = (*items)[:len(*items)-1]
	}
	s.empty = false
	return s.isBlockOfCode(first, at, depth == s.depth && s.para)
}

// endsParagraph reports whether a line, without blanks before it, ends the paragraph before it,
// and is not the line below a heading.
func endsParagraph(line string) bool {
	return isListItem(line) || isHeading(line) || isRule(line, false) || fenceOf(line) != "" || htmlEnd(line, true) != ""
}

// base returns the column at which the text of the last open item begins.
func (s *blocks) base() int {
	if s.depth < len(s.items) {
		if items := s.items[s.depth]; len(items) > 0 {
			return items[len(items)-1]
		}
	}
	return 0
}

func (s *blocks) open(fence, end string, in, from int) {
	s.fence, s.end, s.in, s.from, s.para = fence, end, in, from, false
}

// isBlockOfCode is isVerbatim of a line that is not empty, in no code or HTML, and whose text begins at a column.
func (s *blocks) isBlockOfCode(first string, at int, within bool) bool {
	for range nestMost {
		base := s.base()
		if at-base >= 4 {
			s.goesOn = s.para
			return !s.para
		}
		if first[0] == '>' { // in an item; one before is none of the line's
			inner := strings.TrimLeft(first[1:], " \t")
			if s.para = false; inner == "" {
				return false
			}
			s.depth, s.items = s.depth+1, append(s.items, nil)
			first, at = inner, max(column(0, first[1:len(first)-len(inner)])-1, 0)
			continue
		}
		if fence := fenceOf(first); fence != "" {
			s.open(fence, "", s.depth, base)
			return true
		}
		if end := htmlEnd(first, s.para); end != "" {
			if s.open("", end, s.depth, base); endsHTML(first, end) {
				s.open("", "", 0, 0)
			}
			return true
		}
		if isHeading(first) || isRule(first, within && at >= base) {
			s.para = false
			return false
		}
		if !isListItem(first) {
			s.goesOn, s.para = s.para, true
			return false
		}
		mark := strings.IndexAny(first, " \t")
		rest := strings.TrimLeft(first[mark:], " \t")
		end, text := at+mark, column(at+mark, first[mark:len(first)-len(rest)])
		item := text
		if text-end > 4 || rest == "" {
			item = end + 1
		}
		s.items[s.depth] = append(s.items[s.depth], item)
		if s.para, s.empty = false, rest == ""; s.empty {
			return false
		}
		first, at = rest, text
	}
	return true
}

// nestMost is how many quotations, and how many items, a line may begin within each other. The
// window shows a text with more as it is.
const nestMost = 100

// column returns where the text behind blanks stands that begin at a column.
func column(at int, blanks string) int {
	for _, c := range blanks {
		if at++; c == '\t' {
			at = (at + 3) / 4 * 4
		}
	}
	return at
}

// isHeading and isRule are about a line without blanks before it.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n >= 1 && n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func isRule(line string, inParagraph bool) bool {
	under := strings.TrimRight(line, " \t")
	marks := strings.NewReplacer(" ", "", "\t", "").Replace(line)
	return inParagraph && (strings.Trim(under, "=") == "" || strings.Trim(under, "-") == "") ||
		len(marks) >= 3 && strings.Contains("-*_", marks[:1]) && strings.Trim(marks, marks[:1]) == ""
}

// unquoted returns a line without the marks of quotations before it, and how many these are.
// In code or HTML only those are marks in which it began.
func (s *blocks) unquoted(line string) (rest string, depth int) {
	for depth < nestMost && (s.fence+s.end == "" || depth < s.in) {
		rest := strings.TrimLeft(line, " ")
		if len(line)-len(rest) > 3 || !strings.HasPrefix(rest, ">") {
			break
		}
		blanks := len(line) - len(rest)
		if line, depth = strings.TrimPrefix(rest[1:], " "), depth+1; strings.HasPrefix(line, "\t") {
			line = "   "[:column(blanks+1, "\t")-blanks-2] + line[1:]
		}
	}
	return line, depth
}

// fenceOf returns the backticks or tildes by which a line, without blanks before it, begins
// code, or "".
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		info := strings.TrimLeft(line, c)
		if n := len(line) - len(info); n >= 3 && !(c == "`" && strings.Contains(info, c)) {
			return line[:n]
		}
	}
	return ""
}

func closes(line, fence string) bool {
	line = strings.TrimRight(line, " \t")
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// isListItem reports whether a line without blanks before it begins an item of a list.
func isListItem(line string) bool {
	n := strings.IndexAny(line, " \t")
	if n < 1 {
		return false
	}
	mark := line[:n]
	if mark == "-" || mark == "*" || mark == "+" {
		return true
	}
	number := strings.TrimRight(mark, ".)")
	return len(mark)-len(number) == 1 && number != "" && len(number) <= 9 && strings.Trim(number, "0123456789") == ""
}

// scanner finds pictures in a paragraph, in one walk.
type scanner struct {
	text string
	at   int
	open []bool // the brackets that are open; of a picture true
	// What ends code or HTML, and does not stand behind this place any more.
	unended map[string]bool
}

// next goes on by a step, and returns where a picture leads that ends there. ok is false
// where none does.
func (s *scanner) next() (dest string, ok bool) {
	rest := s.text[s.at:]
	switch {
	case rest[0] == '\\':
		s.at++ // with the sign behind it
	case rest[0] == '`':
		s.at += s.codeSpan(rest) - 1
	case rest[0] == '<':
		s.at += max(s.html(rest)-1, 0)
	case strings.HasPrefix(rest, "!["):
		s.open = append(s.open, true)
		s.at++
	case rest[0] == '[':
		s.open = append(s.open, false)
	case rest[0] == ']' && len(s.open) > 0:
		last := len(s.open) - 1
		shows := s.open[last]
		if s.open = s.open[:last]; shows && strings.HasPrefix(rest, "](") {
			dest, ok = destination(rest[len("]("):min(len(rest), len("](")+destMost)])
		}
	}
	s.at = min(s.at+1, len(s.text))
	return dest, ok
}

// destMost is how many bytes of a picture's parenthesis are looked at.
const destMost = 500

// codeSpan returns the length of the code that begins with rest, or of its backticks where
// nothing in the paragraph ends it.
func (s *scanner) codeSpan(rest string) int {
	n := len(rest) - len(strings.TrimLeft(rest, "`"))
	if s.unended[rest[:n]] {
		return n
	}
	for at := n; at < len(rest); {
		if rest[at] != '`' {
			at++
			continue
		}
		run := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		if at += run; run == n {
			return at
		}
	}
	s.never(rest[:n])
	return n
}

func (s *scanner) never(end string) {
	if s.unended == nil {
		s.unended = map[string]bool{}
	}
	s.unended[end] = true
}

// destination returns where a picture leads whose parenthesis rest stands in.
func destination(rest string) (dest string, ok bool) {
	rest = strings.TrimLeft(rest, " \t\n")
	angled := strings.HasPrefix(rest, "<")
	if angled {
		rest = rest[1:]
	}
	open := 0
	for n := 0; n < len(rest); n++ {
		switch c := rest[n]; {
		case c == '\\' && n+1 < len(rest):
			n++
		case angled && c == '>':
			return dialog.UnescapePath(unslashed(rest[:n])), closed(rest[n+1:])
		case c == '\n' && angled:
			return "", false
		case angled:
		case c == '(':
			open++
		case c == ')' && open > 0:
			open--
		case c == ')' || c == ' ' || c == '\t' || c == '\n':
			return dialog.UnescapePath(unslashed(rest[:n])), closed(rest[n:])
		}
	}
	return "", false
}

// closed reports whether a picture's parenthesis ends, perhaps behind a title.
func closed(rest string) bool {
	title := strings.TrimLeft(rest, " \t\n")
	if strings.HasPrefix(title, ")") {
		return true
	}
	if title == rest || title == "" {
		return false
	}
	end := map[byte]string{'"': `"`, '\'': `'`, '(': ")"}[title[0]]
	if end == "" {
		return false
	}
	for n := 1; n < len(title); n++ {
		switch {
		case title[n] == '\\':
			n++
		case title[n:n+1] == end:
			return strings.HasPrefix(strings.TrimLeft(title[n+1:], " \t\n"), ")")
		}
	}
	return false
}

// unslashed returns a text without the backslashes before signs.
func unslashed(text string) string {
	var b strings.Builder
	for n := 0; n < len(text); n++ {
		if text[n] == '\\' && n+1 < len(text) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[n+1]) >= 0 {
			n++
		}
		b.WriteByte(text[n])
	}
	return b.String()
}
