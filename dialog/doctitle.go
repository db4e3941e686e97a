package dialog

import "strings"

// A doc's title is its first heading of level 1; a project's is that of its doc-main.md.
// People read titles, in any script; names of files are made of them once, by Slug, and
// stay. A title is words: it is written so that nothing in it is a mark.

// DocTitle returns the markdown of a doc's first heading of level 1 that has any ("# The
// *lamp* #" has "The *lamp*"), or "". What stands in code, in a block of schwas, in
// a comment or in front matter is no heading. The window's headings() reads the same.
func DocTitle(doc string) string {
	doc = strings.TrimPrefix(doc, BOM)
	inside := "" // the fence of the code or block that a line is in, or commentEnd; "" outside
	for line := range strings.Lines(doc[frontMatter(doc):]) {
		line = strings.TrimRight(line, " \t\r\n")
		if inside != "" {
			if closesFence(line, inside) {
				inside = ""
			}
			continue
		}
		if _, opens := OpenFence(line); opens {
			inside = Fence
			continue
		}
		if inside = codeFence(line); inside != "" {
			continue
		}
		if strings.HasPrefix(unindented(line), "<!--") && !strings.Contains(line, commentEnd) {
			inside = commentEnd
			continue
		}
		if title := headingText(line); title != "" {
			return title
		}
	}
	return ""
}

// EscapeTitle returns the markdown of a heading that says title and nothing else: a
// backslash stands before what would be a mark there.
func EscapeTitle(title string) string {
	var b strings.Builder
	for i := range len(title) {
		if marks(title, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(title[i])
	}
	return b.String()
}

// marks reports whether title[i] may be read as a mark in a heading.
func marks(title string, i int) bool {
	rest := title[i+1:]
	switch c := title[i]; c {
	case '\\':
		return rest != "" && rest[0] > ' ' && rest[0] < 0x7f && !isAlphanumeric(rest[0])
	case '`', '*', '~':
		return strings.Count(title, string(c)) > 1
	case '_': // between letters it is one of them
		return strings.Count(title, "_") > 1 && !(i > 0 && rest != "" && isAlphanumeric(title[i-1]) && isAlphanumeric(rest[0]))
	case '[':
		return strings.Contains(rest, "](")
	case '<':
		return strings.Contains(rest, ">")
	case '&':
		return strings.Contains(rest, ";")
	case '#': // those at the end close a heading
		return strings.Trim(rest, "#") == "" && (i == 0 || title[i-1] == ' ')
	}
	return false
}

// headingText returns what a line says as a heading of level 1, or "".
func headingText(line string) string {
	text, ok := strings.CutPrefix(unindented(line), "#")
	if !ok || text == "" || text[0] != ' ' && text[0] != '\t' {
		return ""
	}
	if open := strings.TrimRight(text, "#"); open != "" && (open[len(open)-1] == ' ' || open[len(open)-1] == '\t') {
		text = open // hashes at the end close it
	}
	return strings.Trim(text, " \t")
}

// codeFence returns the backticks or tildes by which a line begins code, or "".
func codeFence(line string) string {
	line = unindented(line)
	for _, c := range []string{"`", "~"} {
		info := strings.TrimLeft(line, c)
		if n := len(line) - len(info); n >= 3 && !(c == "`" && strings.Contains(info, c)) {
			return line[:n]
		}
	}
	return ""
}

// commentEnd ends a comment that a line began: all of that line is in it.
const commentEnd = "-->"

// closesFence reports whether a line ends what the fence opened.
func closesFence(line, opened string) bool {
	switch opened {
	case Fence:
		return isClose(line)
	case commentEnd:
		return strings.Contains(line, commentEnd)
	}
	line = unindented(line)
	return len(line) >= len(opened) && strings.Trim(line, opened[:1]) == ""
}

// unindented returns a line without the blanks that a mark may have before it; with more
// of them the line is code, and "" is returned.
func unindented(line string) string {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return ""
	}
	return rest
}

// frontMatter returns how many bytes of a doc its front matter has: 0 where there is none,
// or where it has no end.
func frontMatter(doc string) int {
	at := 0
	for line := range strings.Lines(doc) {
		first := at == 0
		at += len(line)
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case first && line != "---":
			return 0
		case !first && (line == "---" || line == "..."):
			return at
		}
	}
	return 0
}
