package picture

import (
	"slices"
	"strconv"
	"strings"
)

// Links returns the files in files/ that a text in markdown shows as pictures, each once, in
// the order in which they come: `![words](files/…)` outside of code and comments. A name is
// returned as the folder has it, without escapes.
func Links(text string) (paths []string) {
	if !strings.Contains(text, Folder+"/") {
		return nil
	}
	s := scanner{text: withoutCode(text)}
	for s.at < len(s.text) {
		if dest, ok := s.next(); ok && strings.HasPrefix(dest, Folder+"/") && !slices.Contains(paths, dest) {
			paths = append(paths, dest)
		}
	}
	return paths
}

// Link returns the markdown that shows a file in files/ with those words.
func Link(words, path string) string {
	words = strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]", "`", "\\`").Replace(words)
	return "![" + words + "](<" + strings.NewReplacer("%", "%25", "#", "%23").Replace(path) + ">)"
}

// withoutCode returns a text in which each line of a block of code is empty, so that it ends
// a paragraph.
func withoutCode(text string) string {
	var b strings.Builder
	var s blocks
	for line := range strings.Lines(text) {
		bare, depth := unquoted(strings.TrimRight(line, "\r\n"))
		if s.isCode(bare, depth) || depth > 0 && strings.TrimLeft(bare, " \t") == "" {
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// blocks finds the lines of a text that are code, one after the other.
type blocks struct {
	items [][]int // by quotations around it: the columns at which the text of the open items of lists begins
	para  bool    // the last line is of a paragraph, which goes on
	depth int     // quotations around the last line
	fence string  // by which the open code began, and where
	in    int
	from  int
}

// isCode reports whether the next line, in so many quotations, is code.
func (s *blocks) isCode(line string, depth int) bool {
	first := strings.TrimLeft(line, " \t")
	at := column(0, line[:len(line)-len(first)])
	if depth < s.in || first != "" && at < s.from {
		s.fence, s.in, s.from = "", 0, 0 // with the quotation, or the item, that it is in
	}
	switch {
	case s.fence != "":
		if at-s.from < 4 && closes(first, s.fence) {
			s.fence, s.in, s.from = "", 0, 0
		}
		return true
	case first == "":
		s.para = false
		return false
	}
	if s.para = s.para && depth <= s.depth; !s.para || depth == s.depth {
		s.depth = depth
		s.items = append(s.items, make([][]int, max(depth+1-len(s.items), 0))...)[:depth+1]
	}
	return s.isBlockOfCode(first, at)
}

// isBlockOfCode is isCode of a line that is not empty, in no fence, and whose text begins at a column.
func (s *blocks) isBlockOfCode(first string, at int) bool {
	items := &s.items[s.depth]
	for n := len(*items); n > 0 && at < (*items)[n-1] && (!s.para || isListItem(first)); n-- {
		*items = (*items)[:n-1]
	}
	for {
		base := 0
		if n := len(*items); n > 0 {
			base = (*items)[n-1]
		}
		if at-base >= 4 {
			return !s.para
		}
		if fence := fenceOf(first); fence != "" {
			s.fence, s.in, s.from, s.para = fence, s.depth, base, false
			return true
		}
		if isHeading(first) || isRule(first) {
			s.para = false
			return false
		}
		if !isListItem(first) {
			s.para = true
			return false
		}
		mark := strings.IndexAny(first, " \t")
		rest := strings.TrimLeft(first[mark:], " \t")
		end, text := at+mark, column(at+mark, first[mark:len(first)-len(rest)])
		item := text
		if text-end > 4 || rest == "" {
			item = end + 1
		}
		*items = append(*items, item)
		if s.para = false; rest == "" {
			return false
		}
		first, at = rest, text
	}
}

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

func isRule(line string) bool {
	marks := strings.NewReplacer(" ", "", "\t", "").Replace(line)
	return strings.HasPrefix(line, "=") && strings.Trim(marks, "=") == "" ||
		len(marks) >= 3 && strings.Contains("-*_", marks[:1]) && strings.Trim(marks, marks[:1]) == ""
}

// unquoted returns a line without the marks of quotations before it, and how many these are.
func unquoted(line string) (rest string, depth int) {
	for {
		s := strings.TrimLeft(line, " ")
		if len(line)-len(s) > 3 || !strings.HasPrefix(s, ">") {
			return line, depth
		}
		line, depth = strings.TrimPrefix(s[1:], " "), depth+1
	}
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

// scanner finds pictures in a text without blocks of code, in one walk.
type scanner struct {
	text string
	at   int
	open []bool // the brackets that are open in this paragraph; of a picture true
	// Nothing ends code with so many backticks before that place, or a comment anywhere.
	unended   map[int]int
	noComment bool
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
	case !s.noComment && strings.HasPrefix(rest, "<!--"):
		end := strings.Index(rest, "-->")
		s.noComment = end < 0
		s.at += max(end, 0)
	case paragraphEnds(rest):
		s.open = s.open[:0]
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
	if s.at < s.unended[n] {
		return n
	}
	at := n
	for at < len(rest) && !paragraphEnds(rest[at:]) {
		if rest[at] != '`' {
			at++
			continue
		}
		run := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		if at += run; run == n {
			return at
		}
	}
	if s.unended == nil {
		s.unended = map[int]int{}
	}
	s.unended[n] = s.at + at
	return n
}

// paragraphEnds reports whether rest begins with the end of a line behind which an empty one
// comes.
func paragraphEnds(rest string) bool {
	if rest[0] != '\n' {
		return false
	}
	line, _, _ := strings.Cut(rest[1:], "\n")
	return strings.TrimSpace(line) == ""
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
			return unescape(unslashed(rest[:n])), closed(rest[n+1:])
		case c == '\n' && angled:
			return "", false
		case angled:
		case c == '(':
			open++
		case c == ')' && open > 0:
			open--
		case c == ')' || c == ' ' || c == '\t' || c == '\n':
			return unescape(unslashed(rest[:n])), closed(rest[n:])
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
		case paragraphEnds(title[n:]):
			return false
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

// unescape reads %XX; a text in which that is none stays as it is.
func unescape(path string) string {
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
