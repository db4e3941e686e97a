package brief

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
)

// Doc is doc-main.md as a model is told it.
type Doc struct {
	project.File                      // its Content is readable
	Garbled      []dialog.SyntaxError // what bytes that are not UTF-8 make of it, none nearly always
}

// MainDoc reads the doc that leads a project; one without it has an empty one.
func MainDoc(p *project.Project) (Doc, error) {
	f, err := p.ReadFile(project.MainDoc)
	if errors.Is(err, fs.ErrNotExist) {
		return Doc{File: project.File{Name: project.MainDoc}}, nil
	}
	out := Doc{f, garbled(f.Content)}
	out.Content = Readable(f.Content)
	return out, err
}

// Hash returns the hash of what a model is told of the doc, "" if there is none. A
// confirmation of its wish does not change it.
func (f *Doc) Hash() string {
	if told := grant.Unmarked(f.Content); told != f.Content {
		return dialog.SHA256(told)
	}
	return f.ETag
}

// Readable is a doc's text with U+FFFD for each run of bytes that are not UTF-8.
func Readable(doc string) string { return strings.ToValidUTF8(doc, "\uFFFD") }

// garbled returns the problem of a doc that is not UTF-8: a model can't be told what its
// writer wrote.
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
