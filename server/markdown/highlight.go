package markdown

import (
	"html"
	"strings"
)

// highlight appends code as HTML in which words, strings, comments and numbers
// have the classes of Pygments and chroma: k, s, c, m, and nt, gi, gd, gu.
//
// It is one scan from left to right, so that no text can make it slow. chroma
// knows more languages, but to import its lexers costs each start of the program
// 6 ms and 2.7 MB before main runs, each sandboxed command's helper included
// (measured with GODEBUG=inittrace=1, v2.27.0): a third of what a start may take.
func highlight(dst []byte, language, code string) []byte {
	if language == "diff" || language == "patch" {
		return highlightDiff(dst, code)
	}
	s := scan{dst: dst, code: code}
	if l, ok := languages()[language]; ok {
		s.language = l
		s.run()
	}
	return s.text(len(code))
}

// language says how the words of a programming language look.
type language struct {
	words  map[string]bool
	line   []string // prefixes of a comment up to the end of the line
	block  [2]string
	quotes string // delimiters of strings
	long   string // those of quotes whose strings may hold line feeds
	triple bool   // tripled quotes delimit strings too: """ and '''
	tags   bool   // <name attr="…">
}

// scan is one pass over code. The code before done has been appended to dst.
type scan struct {
	dst      []byte
	code     string
	done     int
	language language
}

// text appends the code up to end without a class.
func (s *scan) text(end int) []byte {
	s.dst = append(s.dst, html.EscapeString(s.code[s.done:end])...)
	s.done = end
	return s.dst
}

// mark appends the code up to start without a class, then up to end with one.
func (s *scan) mark(start, end int, class string) {
	s.text(start)
	s.dst = append(append(append(s.dst, `<span class="`...), class...), `">`...)
	s.text(end)
	s.dst = append(s.dst, "</span>"...)
}

func (s *scan) run() {
	for i := 0; i < len(s.code); {
		c := s.code[i]
		end, class := i+1, ""
		switch {
		case s.commentEnd(i) > 0:
			end, class = s.commentEnd(i), "c"
		case strings.IndexByte(s.language.quotes, c) >= 0:
			end, class = s.stringEnd(i), "s"
		case c >= '0' && c <= '9':
			end, class = s.wordEnd(i), "m"
		case isWord(c):
			end = s.wordEnd(i)
			if s.language.words[s.code[i:end]] {
				class = "k"
			}
		case c == '<' && s.language.tags:
			if end = s.tagEnd(i); end > i+1 {
				class = "nt"
			}
		}
		if class != "" {
			s.mark(i, end, class)
		}
		i = end
	}
}

// commentEnd returns the end of the comment that begins at i, or 0 for none.
func (s *scan) commentEnd(i int) int {
	rest := s.code[i:]
	if open := s.language.block[0]; open != "" && strings.HasPrefix(rest, open) {
		if n := strings.Index(rest[len(open):], s.language.block[1]); n >= 0 {
			return i + len(open) + n + len(s.language.block[1])
		}
		return len(s.code)
	}
	for _, open := range s.language.line {
		// A "#" right behind a character is part of a colour or a shell word.
		if strings.HasPrefix(rest, open) && (open != "#" || i == 0 || strings.IndexByte(" \t\n;", s.code[i-1]) >= 0) {
			return i + lineLength(rest)
		}
	}
	return 0
}

// stringEnd returns the end of the string that begins at i: behind its closing
// quote, or with the line.
func (s *scan) stringEnd(i int) int {
	quote := s.code[i]
	if s.language.triple && strings.HasPrefix(s.code[i:], strings.Repeat(string(quote), 3)) {
		if n := strings.Index(s.code[i+3:], strings.Repeat(string(quote), 3)); n >= 0 {
			return i + 6 + n
		}
		return len(s.code)
	}
	long := strings.IndexByte(s.language.long, quote) >= 0
	for j := i + 1; j < len(s.code); j++ {
		switch c := s.code[j]; {
		case c == quote:
			return j + 1
		case c == '\\':
			j++
		case c == '\n' && !long:
			return j
		}
	}
	return len(s.code)
}

func (s *scan) wordEnd(i int) int {
	for i < len(s.code) && isWord(s.code[i]) {
		i++
	}
	return i
}

// tagEnd returns the end of the "<name" or "</name" at i, or i+1 for none.
func (s *scan) tagEnd(i int) int {
	j := i + 1
	if j < len(s.code) && (s.code[j] == '/' || s.code[j] == '!') {
		j++
	}
	if j == len(s.code) || !isWord(s.code[j]) {
		return i + 1
	}
	for j < len(s.code) && (isWord(s.code[j]) || s.code[j] == '-' || s.code[j] == ':') {
		j++
	}
	return j
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// highlightDiff marks the lines of a diff by their first character.
func highlightDiff(dst []byte, code string) []byte {
	s := scan{dst: dst, code: code}
	for i := 0; i < len(code); {
		end := i + lineLength(code[i:])
		switch line := code[i:end]; {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
			s.mark(i, end, "gu")
		case strings.HasPrefix(line, "+"):
			s.mark(i, end, "gi")
		case strings.HasPrefix(line, "-"):
			s.mark(i, end, "gd")
		}
		i = end + 1
	}
	return s.text(len(code))
}
