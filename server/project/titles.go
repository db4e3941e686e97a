package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"time"

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
	if heading := dialog.DocTitle(text); heading != "" {
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
		_, err := p.WriteFile(name, "# "+dialog.EscapeTitle(title)+"\n\n", Absent)
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

// cache keeps what was read of files, by name, for as long as they have the same stamps.
// Without it each is read again. Its zero value is ready for use.
type cache[V any] struct {
	mu    sync.Mutex
	known map[string]cached[V]
}

type cached[V any] struct {
	at    folder.Stamp
	value V
}

// tick is longer than the granularity of file systems' times.
const tick = 20 * time.Millisecond

// get returns what is known of the file of that stamp, or what read returns, with the
// stamp that the file had then.
func (c *cache[V]) get(name string, at folder.Stamp, read func() (V, folder.Stamp, error)) (V, error) {
	if v, ok := c.find(name, at); ok {
		return v, nil
	}
	before := untouched()
	v, at, err := read()
	if err == nil {
		c.keep(name, at, v, before)
	}
	return v, err
}

func (c *cache[V]) find(name string, at folder.Stamp) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[name]
	return k.value, ok && k.at == at
}

// untouched is the last time, by the disk's clock, of a file that can't change any more
// without another stamp. It is asked for before the file is read.
func untouched() int64 { return time.Now().Add(-tick).UnixNano() }

// keep keeps what was read of a file, unless that was written after before.
func (c *cache[V]) keep(name string, at folder.Stamp, value V, before int64) {
	if at.Mtime > before {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]cached[V]{}
	}
	c.known[name] = cached[V]{at, value}
}

// prune forgets files that are not among names, which are all that may be known, as far as
// more than these are.
func (c *cache[V]) prune(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) <= len(names) {
		return
	}
	there := make(map[string]bool, len(names))
	for _, n := range names {
		there[n] = true
	}
	maps.DeleteFunc(c.known, func(name string, _ cached[V]) bool { return !there[name] })
}
