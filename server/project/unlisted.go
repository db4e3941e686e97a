package project

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
)

// Unlisted is a text at a project's top that can't be a page as it is.
type Unlisted struct {
	Name string // with U+FFFD for what is not UTF-8 in it
	Why  string // what keeps it from being one, within a sentence
	As   string // a free name for the doc that TakeIn can make of it, or ""
	In   string // a doc that has its text, or ""
}

// NoPage returns why no page can have a name, within a sentence. It is "" for the name of
// a doc or a dialog, and for one that is hidden or ends in neither .md nor .txt.
func NoPage(name string) string {
	end := strings.ToLower(name[max(0, len(name)-len(".txt")):])
	text, page := end == ".txt", strings.HasSuffix(end, ".md")
	switch of, copied := dialog.CopyOf(name); {
	case strings.HasPrefix(name, "."), !text && !page, dialog.ListedFile(name):
		return ""
	case copied:
		return "a copy that another program made of " + dialog.Cut(dialog.Straight(of), nameShown) + "; it is not read"
	case text:
		return "plain text; a doc's name ends in .md, and this one is not listed"
	}
	return "a doc's name has letters, digits, _, - and dots only, no two in a row, 200 at most, and ends in .md; this one is not listed"
}

// Unlisted lists what NoPage is about, and docs whose bytes are not UTF-8, by name.
func (p *Project) Unlisted() ([]Unlisted, error) {
	names, err := p.dir.names()
	if err != nil {
		return nil, fmt.Errorf("list what is no page in %s: %w", p.name, err)
	}
	slices.Sort(names)
	found, docs := p.sift(names)
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[folded(n)] = true
	}
	list := make([]Unlisted, len(found))
	for i, f := range found {
		list[i] = Unlisted{Name: shownName(f.name), Why: f.whole(), In: docs[f.sum]}
		if f.taken {
			list[i].As = freeDoc(f.name, taken)
			taken[folded(list[i].As)] = true
		}
	}
	p.foreigners.prune(names)
	return list, nil
}

// sift parts what can't be a page from the docs, which it returns by the sum of their text.
func (p *Project) sift(names []string) (found []foreign, docs map[[sha256.Size]byte]string) {
	docs = map[[sha256.Size]byte]string{}
	for _, n := range names {
		if !mayBePage(n) {
			continue
		}
		is, err := p.judge(n)
		switch page := NoPage(n) == ""; {
		case err != nil: // gone
		case page && is.why == "":
			docs[is.sum] = n
		case !page || is.why != tooLarge:
			found = append(found, foreign{n, is})
		}
	}
	return found, docs
}

// mayBePage reports whether a name is that of a doc or of what Unlisted may list.
func mayBePage(name string) bool {
	return NoPage(name) != "" || dialog.ValidFile(name) && !isDialog(name)
}

// TakeIn makes the doc as of the text that Unlisted lists under name, which stays. UTF-16
// with a byte order mark becomes UTF-8. Errors: fs.ErrNotExist where it lists none,
// ErrName, fs.ErrExist for a name that is taken, ErrNoPage.
func (p *Project) TakeIn(name, as string) (File, error) {
	if !dialog.ListedFile(as) || isDialog(as) {
		return File{}, fmt.Errorf("take in as %q: %w", as, ErrName)
	}
	from, err := p.unlisted(name)
	if err != nil {
		return File{}, fmt.Errorf("take in %q: %w", name, err)
	}
	text, is, _, err := p.readForeign(from)
	switch {
	case err != nil:
		return File{}, fmt.Errorf("take in %q: %w", name, err)
	case !is.taken:
		return File{}, fmt.Errorf("%w: %s", ErrNoPage, is.why)
	case is.why == "" && NoPage(from) == "":
		return File{}, fmt.Errorf("%w: it is a doc already", ErrNoPage)
	}
	f, err := p.WriteFile(as, text, Absent)
	if errors.Is(err, ErrConflict) {
		err = fmt.Errorf("take in as %s: %w", as, fs.ErrExist)
	}
	return f, err
}

// unlisted returns the name, in the folder's own listing, of what Unlisted calls shown.
func (p *Project) unlisted(shown string) (string, error) {
	names, err := p.dir.names()
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	for _, n := range names {
		if shownName(n) == shown && mayBePage(n) {
			return n, nil
		}
	}
	return "", fs.ErrNotExist
}

func shownName(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// freeDoc makes the name of a doc from another file's. taken are the names that are there,
// folded.
func freeDoc(name string, taken map[string]bool) string {
	words := strings.TrimPrefix(strings.TrimSuffix(name, name[strings.LastIndexByte(name, '.'):]), "doc-")
	base := "doc-" + dialog.Slug(words)
	as := base + ".md"
	for n := 2; taken[folded(as)]; n++ {
		as = base + "-" + strconv.Itoa(n) + ".md"
	}
	return as
}
