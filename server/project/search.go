package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/caught"
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

// searchers is how many files a search reads at once.
const searchers = 2

// Search returns the lines that hold a text, whatever its case (finder), as the files
// are: those of the file written last first, and in a file from its beginning on.
// more reports whether there are others behind them. Of a line only the first match is
// told. It keeps nothing: 100 MB without a match take some 0.2 s of processor time,
// shared by two cores (BenchmarkSearch).
func (p *Project) Search(ctx context.Context, q Query) (hits []SearchResult, more bool, err error) {
	hits, err = p.search(ctx, q)
	if err != nil {
		return nil, false, fmt.Errorf("search %s: %w", p.name, err)
	}
	if len(hits) > q.Most {
		return hits[:q.Most], true, nil
	}
	return hits, false, nil
}

// search is Search, and may return more hits than are asked for.
func (p *Project) search(ctx context.Context, q Query) ([]SearchResult, error) {
	found, err := p.files(func(name string) bool { return isDialog(name) && q.Dialogs || !isDialog(name) && q.Docs })
	if err != nil {
		return nil, err
	}
	files := make([]searchedFile, len(found))
	for i, f := range found {
		files[i].name = f.name
	}
	s := &search{p: p, text: q.Text, most: q.Most, files: files}
	var wg sync.WaitGroup
	failed := make([]error, min(searchers, len(files)))
	for i := range failed {
		wg.Go(func() {
			failed[i] = caught.Do(func() error { return s.run(ctx) })
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	hits := []SearchResult{}
	for i := range s.files {
		hits = append(hits, s.files[i].hits...)
	}
	return hits, nil
}

// searchedFile is one file of a search.
type searchedFile struct {
	name string
	done bool
	hits []SearchResult // at most one more than are asked for
}

// search is one search under way.
type search struct {
	p    *Project
	text string
	most int
	next atomic.Int64 // the next of files to be searched
	full atomic.Bool  // more hits are known than are asked for, and none will stand before them

	mu    sync.Mutex // guards what follows
	files []searchedFile
	whole int // files[:whole] are done,
	found int // with that many hits
}

// chunk is how much of a file is looked through at a time, piece how much of a file with a
// match: behind each match the rest of the piece is folded again.
const chunk, piece = 256 << 10, 8 << 10

// run searches one file after the other.
func (s *search) run(ctx context.Context) error {
	f := newFinder(s.text)
	for {
		i := int(s.next.Add(1)) - 1
		if err := ctx.Err(); err != nil || s.full.Load() || i >= len(s.files) {
			return err
		}
		hits, err := s.file(ctx, s.files[i].name, f)
		if err != nil && ctx.Err() == nil { // as one that another program removed
			s.p.store.o.Log.Warn("file not searched", "project", s.p.name, "file", s.files[i].name, "err", err)
		}
		s.done(i, hits)
	}
}

// done takes in what was found in a file.
func (s *search) done(i int, hits []SearchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[i].hits, s.files[i].done = hits, true
	for s.whole < len(s.files) && s.files[s.whole].done {
		s.found += len(s.files[s.whole].hits)
		s.whole++
	}
	if s.found > s.most {
		s.full.Store(true)
	}
}

// file searches one file. It reads a file whole only where there is a match, since
// there its sections and lines are asked for.
func (s *search) file(ctx context.Context, name string, f *finder) ([]SearchResult, error) {
	id, _, isDialog := dialog.ParseName(name)
	holds, err := s.holds(ctx, name, f)
	if isDialog && errors.Is(err, fs.ErrNotExist) { // its status changed, and its name with it
		var now found
		if now, err = s.p.find(id); err == nil {
			name = now.name
			holds, err = s.holds(ctx, name, f)
		}
	}
	if err != nil || !holds {
		return nil, err
	}
	text, st, err := s.p.dir.ReadOnce(name)
	if err != nil {
		return nil, err
	}
	text = s.p.certainFile(name, text, st)
	hits, at := s.lines(ctx, text, f)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var d *dialog.Dialog
	if isDialog && len(hits) > 0 {
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

// holds reports whether a file holds the text.
func (s *search) holds(ctx context.Context, name string, f *finder) (holds bool, err error) {
	err = s.p.dir.ReadChunks(name, f.buf, f.most, func(part []byte) (more bool) {
		start, _ := f.find(folder.AsString(part))
		holds = start >= 0
		return !holds && !s.full.Load() && ctx.Err() == nil
	})
	return holds, err
}

// lines returns the lines of a text that hold what is searched for, and where in the
// text its first match in each begins; some of them where ctx has ended, or enough is
// found in other files. It looks after that at each piece, for a text has up to 128 MB.
func (s *search) lines(ctx context.Context, text string, f *finder) (hits []SearchResult, at []int) {
	line, counted := 1, 0
	for from, to := 0, 0; from < len(text) && !s.full.Load() && ctx.Err() == nil; from = to {
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
			if at = append(at, start); len(hits) > s.most {
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
