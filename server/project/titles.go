package project

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// Titled is a file or a project by its name, with the title that people read. Where a doc
// has no heading, and of a dialog, whose title the list of dialogs has, it is the name.
type Titled struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// titleWithin is how many bytes of a doc are read for its title.
const titleWithin = 64 << 10

// TitledFiles is Files, each with its title. It reads only docs that changed since their
// titles were read.
func (p *Project) TitledFiles() ([]Titled, error) {
	files, err := p.files(anyName)
	if err != nil {
		return nil, err
	}
	all := make([]Titled, len(files))
	var docs []string
	for i, f := range files {
		all[i] = Titled{f.name, f.name}
		if isDialog(f.name) {
			continue
		}
		docs = append(docs, f.name)
		if title := p.title(f.name, f.stamp); title != "" {
			all[i].Title = title
		}
	}
	p.titles.prune(docs)
	return all, nil
}

// Title is the project's title: that of its doc-main.md, or its name.
func (p *Project) Title() string {
	if st, err := p.dir.Lstat(MainDoc); err == nil && st.Plain {
		if title := p.title(MainDoc, st); title != "" {
			return title
		}
	}
	return p.name
}

// title returns the title of a doc that was listed with a stamp, "" if it has none or
// can't be read.
func (p *Project) title(name string, at folder.Stamp) string {
	title, _ := p.titles.get(name, at, func() (string, folder.Stamp, error) {
		text, at, err := p.dir.ReadFirst(name, titleWithin)
		return strings.Clone(p.TitleOf(text)), at, err
	})
	return title
}

// TitleOf returns the title that a doc's text gives it, without marks, or "".
func (p *Project) TitleOf(text string) string {
	// A mark may begin in a heading and end far below it: its signs are known by the whole text.
	if heading := dialog.DocTitle(p.store.o.Uncommented(text[:min(len(text), titleWithin)])); heading != "" {
		return dialog.LineOf(p.store.o.Plain("# "+heading), dialog.TitleMax)
	}
	return ""
}

// CreateTitled is Create for a title that dialog.CheckTitle has passed: the name is made of
// it, none that is there, and the title is the heading of doc-main.md. Errors: ErrDeed.
func (s *Store) CreateTitled(title, deed string) (Titled, error) {
	all, err := s.dir.Names()
	if err != nil {
		return Titled{}, fmt.Errorf("create %q: %w", title, err)
	}
	name, err := firstFree(all, dialog.Slug(title), "", func(name string) error {
		return s.create(name, dialog.EscapeTitle(title), deed)
	})
	return Titled{name, title}, err
}

// WriteTitled makes a doc for a title that dialog.CheckTitle has passed: the name is made
// of it, none that is there, and the title is its heading.
func (p *Project) WriteTitled(title string) (Titled, error) {
	all, err := p.dir.Names()
	if err != nil {
		return Titled{}, fmt.Errorf("write %q: %w", title, err)
	}
	name, err := firstFree(all, "doc-"+dialog.Slug(title), ".md", func(name string) error {
		_, err := p.SaveFile(name, "# "+dialog.EscapeTitle(title)+"\n\n", Absent)
		return err
	})
	return Titled{name, title}, err
}

// freeTries is how many names are tried that another maker takes at the same moment.
const freeTries = 100

// firstFree calls try with a name made of stem and ext that none of all has, and where that
// is taken by now with the next.
func firstFree(all []string, stem, ext string, try func(name string) error) (name string, err error) {
	free := newFreeNames(all)
	for range freeTries {
		name = free.next(stem, ext)
		if err = try(name); !errors.Is(err, fs.ErrExist) && !errors.Is(err, ErrConflict) {
			break
		}
	}
	return name, err
}

// isDevice reports whether Windows takes a folder's name for a device: nothing can be
// stored there under it.
func isDevice(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && name[3] >= '0' && name[3] <= '9'
}
