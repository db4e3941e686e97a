package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A title is what people call a dialog: words in any script, where the file's slug
// is only its address. It stands in the header as "> Title:"; a later one is the text
// of a Note of Kind title, and the last one counts. No model is sent it.

// TitleNote is the Kind of a Note whose text is the dialog's title from there on.
const TitleNote = "title"

// TitleMax is the most characters that a title has.
const TitleMax = 200

// headTitle is the header's key.
const headTitle = "Title"

// CheckTitle returns a title without outer blanks, "" for one in which nothing can be
// seen. problem says in words what a human has to change, or is "".
func CheckTitle(title string) (trimmed, problem string) {
	for _, r := range title {
		switch {
		case breaksLine(r):
			return "", fmt.Sprintf("the title holds a line break or a control character (%U); write it in one line, without it", r)
		case turns(r):
			return "", fmt.Sprintf("the title holds a hidden character (%U) that turns the text around it; take it out. Words in Arabic or Hebrew need none", r)
		}
	}
	trimmed = strings.TrimSpace(strings.ToValidUTF8(title, "\ufffd"))
	if n := utf8.RuneCountInString(trimmed); n > TitleMax {
		return "", fmt.Sprintf("the title has %d characters, and may have %d; make it shorter", n, TitleMax)
	}
	if !strings.ContainsFunc(trimmed, seen) {
		return "", ""
	}
	return trimmed, ""
}

// turns reports whether r is an embedding, override or isolate of bidirectional text.
// One that is not closed reorders what is shown beside the title.
func turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }

// seen reports whether something is drawn of r.
func seen(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Retitled is the Note that gives a dialog another title, which CheckTitle has passed;
// taken reports whether the dialog has an id. Its own is none that NextID returns,
// because the dialog's writer may have given that to a section which is not there yet.
func Retitled(title string, now time.Time, taken func(id string) bool) Section {
	id := ""
	for n := 1; id == "" || taken(id); n++ {
		id = "note_" + now.UTC().Format("20060102_150405") + "_t" + strconv.Itoa(n)
	}
	return Section{
		Role: Note, ID: id, Time: Span(now, now),
		Meta:     Fields{{"Kind", TitleNote}, {"To", "human"}, {"By", "human"}},
		Payloads: []Payload{{NoteMarkdown, title}},
	}
}

// Titled returns a header's metadata with a title, where one is given, in front.
func Titled(title string, rest Fields) Fields {
	if title == "" {
		return rest
	}
	return slices.Concat(Fields{{headTitle, title}}, rest)
}

// title returns the title that s gives the dialog, or "".
func (s *Section) title() string {
	if s.Role != Note || s.Torn || s.Kind() != TitleNote {
		return ""
	}
	return LineOf(s.Text(), TitleMax)
}

// LineOf returns the first line of text in which something can be seen, without what
// a title may not hold, and cut to most characters. A file may be written by hand.
func LineOf(text string, most int) string {
	for line := range strings.Lines(text) {
		if line = Cut(strings.TrimSpace(Straight(line)), most); strings.ContainsFunc(line, seen) {
			return line
		}
	}
	return ""
}

// Straight returns text without characters that turn what is shown beside it; a
// control character is a blank.
func Straight(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case turns(r):
			return -1
		case breaksLine(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// CodeBlock returns a text as a block of markdown's code, which nothing in the text can end.
func CodeBlock(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// Cut returns text as it is, or its beginning and "…", most characters in all.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n, keep := 0, 0
	for i := range text {
		if n++; n == most {
			keep = i
		}
		if n > most {
			return strings.TrimRight(text[:keep], " ") + "…"
		}
	}
	return text
}
