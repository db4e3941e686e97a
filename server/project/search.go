package project

import (
	"context"
	"errors"
	"io/fs"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"vibey/dialog"
)

// Query is what to search for in a project's files.
type Query struct {
	Text    string // valid UTF-8 without line ends, not empty
	Docs    bool   // in docs
	Dialogs bool   // in dialogs
	Most    int    // results
}

// queryMost is how many characters a Query's text has at most.
const queryMost = 200

// Problem returns what is wrong with the text to search for, as the end of a sentence
// that begins with its name, or "".
func (q *Query) Problem() string {
	switch n := utf8.RuneCountInString(q.Text); {
	case !utf8.ValidString(q.Text):
		return "is not UTF-8."
	case strings.TrimSpace(q.Text) == "":
		return "is missing or blank; it is the text to search for."
	case n > queryMost:
		return "has " + strconv.Itoa(n) + " characters; it may have " + strconv.Itoa(queryMost) + "."
	case strings.ContainsFunc(q.Text, func(r rune) bool { return r != '\t' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }):
		return "has a line end or a control character; a search is within one line."
	}
	return ""
}

// SearchResult is a line in which the text stands. Section and Role are "" above a dialog's first
// section, and Section if that has no id.
type SearchResult struct {
	File     string      `json:"file"`
	DialogID string      `json:"dialogId,omitempty"` // "" for a doc
	Section  string      `json:"section,omitempty"`
	Role     dialog.Role `json:"role,omitempty"`
	Line     int         `json:"line"` // in the file, counted from 1
	Text     string      `json:"text"` // the line, or at most 500 characters of it, with the match
}

// hitText is the most of a line that is told, in units of UTF-16 as windows count, of
// which each character has one or two.
const hitText = 500

// Search returns the lines that hold a text, whatever its case (finder), as the files
// are: those of the file written last first, and in a file from its beginning on.
// more reports whether there are others behind them. Of a line only the first match is
// told. It keeps nothing: 100 MB without a match take some 0.2 s (BenchmarkSearch).
func (p *Project) Search(ctx context.Context, q Query) (hits []SearchResult, more bool, err error) {
	defer wrap(&err, "search %s", p.name)
	files, err := p.files(func(name string) bool { return isDialog(name) && q.Dialogs || !isDialog(name) && q.Docs })
	if err != nil {
		return nil, false, err
	}
	hits = []SearchResult{}
	f := newFinder(q.Text)
	for _, file := range files {
		found, err := p.searchFile(ctx, file.name, f, q.Most+1-len(hits))
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if err != nil { // as one that another program removed
			p.store.o.Log.Warn("file not searched", "project", p.name, "file", file.name, "err", err)
		}
		if hits = append(hits, found...); len(hits) > q.Most {
			return hits[:q.Most], true, nil
		}
	}
	return hits, false, nil
}

// searchFile searches one file, for at most that many hits.
func (p *Project) searchFile(ctx context.Context, name string, f *finder, most int) ([]SearchResult, error) {
	id, _, isDialog := dialog.ParseName(name)
	text, st, err := p.dir.ReadOnce(name)
	if isDialog && errors.Is(err, fs.ErrNotExist) { // its status changed, and its name with it
		var now found
		if now, err = p.find(id); err == nil {
			name = now.name
			text, st, err = p.dir.ReadOnce(name)
		}
	}
	if err != nil {
		return nil, err
	}
	text = p.certain(name, text, st)
	hits, at := f.lines(ctx, text, most)
	if err := ctx.Err(); err != nil || len(hits) == 0 {
		return nil, err
	}
	var d *dialog.Dialog
	if isDialog {
		d = dialog.Parse(text)
	}
	for i := range hits {
		h := &hits[i]
		h.File, h.DialogID = name, id
		if d != nil && len(d.Sections) > 0 && h.Line >= d.Line(0) {
			k := sort.Search(len(d.Sections)-1, func(k int) bool { return d.End(k) > at[i] })
			h.Section, h.Role = d.Sections[k].ID, d.Sections[k].Role
		}
	}
	return hits, nil
}

// piece is how much of a file is looked through at a time: behind each match the rest of
// the piece is folded again.
const piece = 8 << 10

// lines returns the lines of a text that hold what is searched for, at most that many, and
// where in the text its first match in each begins; some of them where ctx has ended. It
// looks after that at each piece, for a text has up to 128 MB.
func (f *finder) lines(ctx context.Context, text string, most int) (hits []SearchResult, at []int) {
	line, counted := 1, 0
	for from, to := 0, 0; from < len(text) && ctx.Err() == nil; from = to {
		to = min(from+piece, len(text))
		part := text[:min(to+f.most, len(text))]
		for from < to {
			start, end := f.find(part[from:])
			if start += from; start < from || start >= to {
				break
			}
			end += from
			begin := strings.LastIndexByte(text[:start], '\n') + 1
			line += strings.Count(text[counted:begin], "\n")
			counted = begin
			from = lineEnd(text, end)
			hits = append(hits, SearchResult{Line: line, Text: lineAround(text[begin:from], start-begin, end-begin)})
			if at = append(at, start); len(hits) == most {
				return hits, at
			}
		}
		to = max(to, from)
	}
	return hits, at
}

// lineEnd returns the place of the line feed that ends the line at text[at:], or of
// the text's end.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// lineAround returns at most hitText of a line, in which line[start:end] stands, as one
// line in UTF-8.
func lineAround(line string, start, end int) string {
	left := hitText - units(line[start:end])
	before := tailOf(line[:start], left/2)
	after := headOf(line[end:], left-units(before))
	before = tailOf(line[:start], left-units(after))
	text := strings.ToValidUTF8(before+line[start:end]+after, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.TrimSuffix(text, "\r"))
}

// units is how long windows take s to be.
func units(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// headOf returns the beginning of s, at most n units of it, cut before a character and
// not before a mark on one.
func headOf(s string, n int) string {
	cut := len(s)
	for i, r := range s {
		if n -= max(1, utf16.RuneLen(r)); n < 0 {
			cut = i
			break
		}
	}
	for cut < len(s) && cut > 0 && marks(s[cut:]) {
		_, size := utf8.DecodeLastRuneInString(s[:cut])
		cut -= size
	}
	return s[:cut]
}

// tailOf returns the end of s, at most n units of it, cut as in headOf.
func tailOf(s string, n int) string {
	cut := len(s)
	for cut > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:cut])
		if n -= max(1, utf16.RuneLen(r)); n < 0 {
			break
		}
		cut -= size
	}
	for cut > 0 && cut < len(s) && marks(s[cut:]) {
		_, size := utf8.DecodeRuneInString(s[cut:])
		cut += size
	}
	return s[cut:]
}

// marks reports whether s begins with a character that belongs to the one before it.
func marks(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.M, r) || r == '\u200d'
}
