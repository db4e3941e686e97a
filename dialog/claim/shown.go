package claim

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// elided stands in a shown text for what was quoted there, and for code.
const elided = "§"

// shown returns what a reader sees of a markdown text's own words: marks, addresses of
// links, HTML and what is struck out are gone, letters that only look different are one,
// and code blocks, quotations and open tasks are left out, for they say nothing that
// was done. A name alone, quoted or as code, stays. Lines stay lines.
func shown(text string) string {
	text = fold(text)
	out, fence, comment := make([]byte, 0, len(text)), "", false
	for line := range strings.Lines(text) {
		t := strings.TrimLeft(line, " \t")
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case strings.HasPrefix(t, "```"), strings.HasPrefix(t, "~~~"):
			fence = t[:3]
		case comment || strings.HasPrefix(t, "<!--"):
			comment = !strings.Contains(line, "-->")
		case !strings.HasPrefix(t, ">") && !strings.HasPrefix(strings.TrimLeft(t, "-*+ "), "[ ]"):
			out = inline(out, strings.TrimRight(line, "\r\n"))
		}
		out = append(out, '\n')
	}
	return string(out)
}

// closers are the marks that end what begins with another: it is shown only if it is a name.
var closers = map[rune]string{'"': `"`, '“': "”", '„': "“”\"", '«': "»", '‘': "'", '「': "」", '『': "』"}

// inline appends the words of a line to out. Whatever has no end on the line is a
// character like others, and its end is looked for once.
func inline(out []byte, line string) []byte {
	var next map[string]int // where an end stands that was looked for, len(line) for nowhere
	searched := 0           // no single quotation ends before
	end := func(rest, chars string) int {
		from := len(line) - len(rest)
		at, known := next[chars]
		if !known || at < from {
			if at = strings.Index(rest, chars); at < 0 {
				at = len(line)
			} else {
				at += from
			}
			if next == nil {
				next = map[string]int{}
			}
			next[chars] = at
		}
		if at == len(line) {
			return -1
		}
		return at - from
	}
	for i := 0; i < len(line); {
		if n := plainRun(line[i:]); n > 0 {
			out, i = append(out, line[i:i+n]...), i+n
			continue
		}
		c, size := rune(line[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(line[i:])
		}
		rest := line[i+size:]
		switch {
		case c == '\\' && rest != "" && strings.IndexByte("\\`*_{}[]()#+-.!|~<>", rest[0]) >= 0:
			out, size = append(out, rest[0]), 2
		case c == '`' && !strings.HasPrefix(rest, "``````````"):
			run := line[i : i+len(line[i:])-len(strings.TrimLeft(line[i:], "`"))]
			size = len(run)
			if n := end(line[i+size:], run); n >= 0 {
				out, size = name(out, line[i+size:i+size+n]), size+n+len(run)
			}
		case c >= 0xab && closers[c] != "" || c == '"':
			if n := firstOf(rest, closers[c], end); n >= 0 {
				_, w := utf8.DecodeRuneInString(rest[n:])
				out, size = name(out, rest[:n]), size+n+w
			}
		case c == '\'' && (i == 0 || line[i-1] == ' ' || line[i-1] == '('):
			if searched = quoteEnd(line, max(i+2, searched), i+300); searched > i && searched < len(line) && line[searched] == '\'' {
				out, size = name(out, line[i+1:searched]), searched+1-i
			}
		case c == '~' && strings.HasPrefix(rest, "~"):
			if n := end(rest[1:], "~~"); n >= 0 {
				size = n + 4
			}
		case c == '<' && rest != "" && (rest[0] == '/' || unicode.IsLetter(rune(rest[0]))):
			if n := end(rest, ">"); n >= 0 {
				if strings.HasPrefix(rest, "http") {
					out = append(out, rest[:n]...)
				}
				size = n + 2
			}
		case c == ']' && strings.HasPrefix(rest, "("):
			if n := end(rest, ")"); n >= 0 {
				size = n + 2
			}
		case c == '*' && (i == 0 || line[i-1] == ' ') && strings.HasPrefix(rest, " "), (c == '[' || c == ']') && i > 0 && (line[i-1] == '/' || strings.HasPrefix(rest, "/")):
			out = append(out, byte(c))
		case c == '*', c == '[', c == ']', c == '_' && !(i > 0 && wordly(line[i-1]) && rest != "" && wordly(rest[0])):
		default:
			out = append(out, line[i:i+size]...)
		}
		i += size
	}
	return out
}

// plainRun returns how many bytes s begins with that are no mark, nor the first of one.
func plainRun(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '\\', '`', '"', '\'', '~', '<', '[', ']', '*', '_', 0xc2, 0xe2, 0xe3: // and « “ 「
			return i
		}
	}
	return len(s)
}

// name appends what was quoted or code where it is one name, and elided otherwise.
func name(out []byte, s string) []byte {
	if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s, " \t=;({$") || len(s) > 200 {
		s = elided
	}
	return append(out, s...)
}

func firstOf(s, chars string, index func(s, chars string) int) int {
	best := -1
	for _, c := range chars {
		if n := index(s, string(c)); n >= 0 && (best < 0 || n < best) {
			best = n
		}
	}
	return best
}

// quoteEnd returns where from i on the next single quotation ends, or most.
func quoteEnd(line string, i, most int) int {
	for ; i < min(len(line), most); i++ {
		if line[i] == '\'' && line[i-1] != ' ' && (i+1 == len(line) || !wordly(line[i+1])) {
			return i
		}
	}
	return i
}

func wordly(c byte) bool {
	return c >= utf8.RuneSelf || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// marks are letters with the combining marks that follow them, and what they make.
var marks = strings.NewReplacer("a\u0308", "ä", "o\u0308", "ö", "u\u0308", "ü", "A\u0308", "Ä", "O\u0308", "Ö", "U\u0308", "Ü", "e\u0301", "é", "a\u0301", "á", "i\u0301", "í", "o\u0301", "ó", "u\u0301", "ú", "n\u0303", "ñ",
	"e\u0300", "è", "a\u0300", "à", "u\u0300", "ù", "o\u0300", "ò", "i\u0300", "ì", "e\u0302", "ê", "a\u0302", "â", "i\u0302", "î", "o\u0302", "ô", "u\u0302", "û", "c\u0327", "ç", "e\u0308", "ë", "i\u0308", "ï", "E\u0301", "É", "ﬁ", "fi", "ﬂ", "fl")

// fold writes letters that look alike the same way, as NFKC has it for those that
// stand in prose, and drops characters that can't be seen.
func fold(text string) string {
	if strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	composed, plain := true, true
	for _, r := range text {
		if r >= 0xa0 {
			composed = composed && (r < 0x300 || r > 0x36f) && r != 'ﬁ' && r != 'ﬂ'
			plain = plain && foldRune(r) == r
		}
	}
	if plain && composed {
		return text
	}
	text = strings.Map(foldRune, text)
	if composed {
		return text
	}
	return marks.Replace(text)
}

func foldRune(r rune) rune {
	switch {
	case r < 0xa0:
		return r
	case r == 0xa0, r >= 0x2000 && r <= 0x200a, r == 0x202f, r == 0x3000:
		return ' '
	case r == '’', r == 'ʼ':
		return '\''
	case r == '。':
		return '.'
	case r == '、':
		return ','
	case r == '‐', r == '‑':
		return '-'
	case r >= 0xff01 && r <= 0xff5e: // full width
		return r - 0xff01 + '!'
	case r >= 0x1d400 && r < 0x1d6a4: // letters of mathematics
		return rune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(r-0x1d400)%52])
	case r == 0xad, r == 0x34f, r >= 0xfe00 && r <= 0xfe0f, unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}
