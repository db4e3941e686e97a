package project

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// LeadingDoc is doc-main.md as a model reads it.
type LeadingDoc struct {
	File                         // its Content is readable
	Garbled []dialog.SyntaxError // the problem of bytes that are not UTF-8, none nearly always
}

// LeadingDoc reads doc-main.md. It is empty if the project has none.
func (p *Project) LeadingDoc() (LeadingDoc, error) {
	f, err := p.ReadFile(MainDoc)
	if errors.Is(err, fs.ErrNotExist) {
		return LeadingDoc{File: File{Name: MainDoc}}, nil
	}
	out := LeadingDoc{f, garbled(f.Content)}
	out.Content = Readable(f.Content)
	return out, err
}

// Hash returns the hash of what a model reads of the doc, "" if there is none. A
// confirmation of its wish does not change it.
func (f *LeadingDoc) Hash() string {
	if text := grant.Unmarked(f.Content); text != f.Content {
		return dialog.SHA256(text)
	}
	return f.ETag
}

// Readable is a doc's text with U+FFFD for each run of bytes that are not UTF-8.
func Readable(doc string) string { return strings.ToValidUTF8(doc, "\uFFFD") }

// garbled returns the problem of a doc that is not UTF-8.
func garbled(doc string) []dialog.SyntaxError {
	const next = ". Save the page as UTF-8"
	if strings.IndexByte(doc, 0) >= 0 {
		return []dialog.SyntaxError{{Line: 1, Rule: "utf8", Text: "the page is saved as UTF-16, not as UTF-8: a model reads it garbled, and no rule in it holds" + next}}
	}
	whole := strings.ToValidUTF8(doc, "\x00") // it has no other
	first, _, found := strings.Cut(whole, "\x00")
	if !found {
		return nil
	}
	n := strings.Count(whole, "\x00")
	return []dialog.SyntaxError{{Line: 1 + strings.Count(first, "\n"), Rule: "utf8", Text: "the first of " + strconv.Itoa(n) +
		" places whose bytes are not UTF-8, such as letters that were saved as Latin-1: a model reads \uFFFD there" + next}}
}
