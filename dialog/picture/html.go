package picture

import (
	"strings"

	"vibey/dialog"
)

// Raw HTML, which the window shows as text, as CommonMark 0.31 finds it in sections 4.6 and 6.6.

// blockTags are the elements whose tag begins a block of HTML, whatever stands behind it.
const blockTags = " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
	"fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu " +
	"menuitem meta nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul "

const (
	attributes = `(?:[\r\n \t]+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:[\r\n \t]*=[\r\n \t]*(?:[^"'=<>` + "`" + `\x00-\x20]+|'[^']*'|"[^"]*"))?)*`
	anyTag     = `^(?:<[A-Za-z][A-Za-z0-9-]*` + attributes + `[\r\n \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[\r\n \t]*>)`
)

var (
	tag       = dialog.Lazily(anyTag)
	tagAlone  = dialog.Lazily(anyTag + ` *$`)
	tagOpens  = dialog.Lazily(`^</?([A-Za-z][A-Za-z0-9-]*)(?:[ \t]|/?>|$)`)
	verbatims = dialog.Lazily(`(?i)</(?:script|pre|style|textarea)>`)
	address   = dialog.Lazily(`^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20<>]*|[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]+@[a-zA-Z0-9.-]+)>`)
)

// ends are what begins raw HTML that is no tag, and what ends it.
var ends = []struct{ begin, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}}

// endOf returns what ends the raw HTML, no tag, that a text begins with, or "".
func endOf(text string) string {
	for _, e := range ends {
		if strings.HasPrefix(text, e.begin) {
			return e.end
		}
	}
	if len(text) > 2 && text[:2] == "<!" && text[2] >= 'A' && text[2] <= 'Z' {
		return ">"
	}
	return ""
}

// verbatimEnd stands for the end of a block of an element whose text is no markdown, which may have empty lines.
const verbatimEnd = "</"

// htmlEnd returns what ends the block of HTML that a line, without blanks before it, begins,
// or "". In a paragraph a tag of an element within lines begins none.
func htmlEnd(line string, inParagraph bool) string {
	if line[0] != '<' {
		return ""
	}
	if end := endOf(line); end != "" {
		return end
	}
	if m := tagOpens().FindStringSubmatch(line); m != nil {
		name := strings.ToLower(m[1])
		switch {
		case strings.Contains(" script pre style textarea ", " "+name+" "):
			if line[1] != '/' {
				return verbatimEnd
			}
			return ""
		case strings.Contains(blockTags, " "+name+" "):
			return "\n"
		}
	}
	if !inParagraph && tagAlone().MatchString(line) {
		return "\n"
	}
	return ""
}

// endsHTML reports whether a line, without blanks before it, is the last one of a block of HTML.
func endsHTML(line, end string) bool {
	switch end {
	case "\n":
		return line == ""
	case verbatimEnd:
		return verbatims().MatchString(line)
	}
	return strings.Contains(line, end)
}

// html returns the length of the raw HTML, or of the address, that rest begins with, 0 for none.
func (s *scanner) html(rest string) int {
	for _, empty := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(rest, empty) {
			return len(empty)
		}
	}
	end := endOf(rest)
	switch {
	case end == "":
		return len(tag().FindString(rest)) + len(address().FindString(rest))
	case s.unended[end]:
		return 0
	}
	at := strings.Index(rest, end)
	if at < 0 {
		s.never(end)
		return 0
	}
	return at + len(end)
}
