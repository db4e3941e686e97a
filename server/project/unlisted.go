package project

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
)

// Unlisted is a text at a project's top that can't be a page as it is.
type Unlisted struct {
	Name string `json:"name"`         // in UTF-8, see shownNames
	Why  string `json:"why"`          // what keeps it from being one, within a sentence
	As   string `json:"as,omitempty"` // a free name for the doc that TakeIn can make of it, or ""
	In   string `json:"in,omitempty"` // a doc that has its text, or ""
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
		return "plain text; a doc's name ends in .md"
	}
	return nameFault(name)
}

// nameFault says what is wrong with a name that no doc can have.
func nameFault(name string) string {
	switch bad := strings.IndexFunc(name, func(r rune) bool { return !dialog.SimpleName(string(r)) }); {
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case bad < 0 && strings.Contains(name, ".."):
		return "a doc's name can't have two dots in a row"
	case bad < 0 && len(name) > 200:
		return "a doc's name has 200 characters at most"
	case bad < 0:
		return "a doc's name ends in .md, in small letters"
	case name[bad] == ' ':
		return "a doc's name can't have a blank"
	default:
		r, _ := utf8.DecodeRuneInString(name[bad:])
		return "a doc's name can't have " + strconv.QuoteRune(r) + ", only letters a to z, digits, _, - and dots"
	}
}

// Unlisted lists what NoPage is about, and docs whose bytes are not UTF-8, by name.
func (p *Project) Unlisted() ([]Unlisted, error) {
	names, err := p.dir.Names()
	if err != nil {
		return nil, fmt.Errorf("list what is no page in %s: %w", p.name, err)
	}
	slices.Sort(names)
	pages := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !mayBePage(n) })
	free, shown := newFreeNames(names), shownNames(names)
	list, docs := []Unlisted{}, map[[sha256.Size]byte]string{} // docs by the sum of their text
	var sums [][sha256.Size]byte                               // of what is in list
	for _, n := range pages {
		is, err := p.judge(n)
		why := NoPage(n)
		switch {
		case err != nil, why == "" && is.why == tooLarge: // gone, or a doc too large to be judged
			continue
		case why == "" && is.why == "":
			docs[is.sum] = n
			continue
		case why != "" && is.why != "":
			why += "; "
		}
		u := Unlisted{Name: shown[n], Why: why + is.why}
		if is.taken {
			words := strings.TrimPrefix(strings.TrimSuffix(n, path.Ext(n)), "doc-")
			u.As = free.next("doc-"+dialog.Slug(words), ".md")
		}
		list, sums = append(list, u), append(sums, is.sum)
	}
	for i := range list {
		list[i].In = docs[sums[i]]
	}
	p.foreigners.prune(pages)
	return list, nil
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

// unlisted returns the name, in the folder's own listing, of what Unlisted calls name.
func (p *Project) unlisted(name string) (string, error) {
	names, err := p.dir.Names()
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	shown := shownNames(names)
	for _, n := range names {
		if shown[n] == name && mayBePage(n) {
			return n, nil
		}
	}
	return "", fs.ErrNotExist
}

// shownNames returns what each of the names in a folder is called: itself, or in UTF-8 with
// U+FFFD for what is not. Names that would then be alike, as those that an archive from
// another system brings, are told apart by their bytes, as \xe9.
func shownNames(names []string) map[string]string {
	shown, times := make(map[string]string, len(names)), map[string]int{}
	for _, n := range names {
		shown[n] = strings.ToValidUTF8(n, "\uFFFD")
		times[shown[n]]++
	}
	for _, n := range names {
		if quoted := strconv.Quote(n); times[shown[n]] > 1 && !utf8.ValidString(n) {
			shown[n] = quoted[1 : len(quoted)-1]
		}
	}
	return shown
}

// freeNames makes names that none of a folder has, capitals aside, and each once.
type freeNames struct {
	taken map[string]bool // folded
	tried map[string]int  // how many names were made of a stem
}

func newFreeNames(names []string) freeNames {
	f := freeNames{map[string]bool{}, map[string]int{}}
	for _, n := range names {
		f.taken[folded(n)] = true
	}
	return f
}

// next returns the first of stem+ext, stem-2+ext, … that is free, and no name of a device on
// Windows.
func (f freeNames) next(stem, ext string) string {
	for {
		f.tried[stem]++
		name := stem + ext
		if n := f.tried[stem]; n > 1 {
			name = stem + "-" + strconv.Itoa(n) + ext
		}
		if key := folded(name); !f.taken[key] && !isDevice(name) {
			f.taken[key] = true
			return name
		}
	}
}
