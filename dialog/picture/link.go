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
	fence, blank, listed := "", true, false
	for line := range strings.Lines(text) {
		bare, quoted := unquoted(strings.TrimRight(line, "\r\n"))
		first := strings.TrimLeft(bare, " \t")
		code := fence != ""
		switch opens := fenceOf(first); {
		case fence != "" && closes(first, fence):
			fence = ""
		case fence != "":
		case opens != "":
			fence, code = opens, true
		case first == "":
		case indented(bare) && blank && !listed:
			code = true
		default:
			listed = isListItem(first) || listed && (indented(bare) || bare != first || !blank)
		}
		if !code || first == "" {
			blank = first == ""
		}
		if code {
			line = "\n"
		} else if quoted && first == "" {
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// unquoted returns a line without the marks of quotations before it.
func unquoted(line string) (rest string, quoted bool) {
	for {
		s := strings.TrimLeft(line, " ")
		if len(line)-len(s) > 3 || !strings.HasPrefix(s, ">") {
			return line, quoted
		}
		line, quoted = strings.TrimPrefix(s[1:], " "), true
	}
}

// fenceOf returns the backticks or tildes by which a line, without blanks and marks of a list
// before it, begins code, or "".
func fenceOf(line string) string {
	for isListItem(line) {
		_, line, _ = strings.Cut(line, " ")
		line = strings.TrimLeft(line, " ")
	}
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

func indented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(strings.TrimLeft(line, " "), "\t")
}

// isListItem reports whether a line without blanks before it begins an item of a list.
func isListItem(line string) bool {
	mark, _, ok := strings.Cut(line, " ")
	if !ok || mark == "" {
		return false
	}
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
