package codebase

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// How many items lists have at first; there are fewer the more there is to tell.
const (
	maxEntries = 12
	maxInline  = 8
)

// summary is what is told of a deed.
type summary struct {
	t      *listing
	parts  []part
	groups []group
	listed map[string]bool // files that stand in a part or group
}

// part is a folder of the deed that is made with one ecosystem, and what is told of it.
type part struct {
	dir     string // "." is the deed's top
	made    string // "Next.js 16.2.0 (App Router), React 19.2.0"
	manager string // "npm (deed/package-lock.json)"
	scripts string
	entries []item
}

// item is a file that is told, and what it is.
type item struct{ path, what string }

// group is a kind of files.
type group struct {
	name  string
	wide  bool // many files are told by their folders
	files []string
}

// maxParts is how many parts are told of.
const maxParts = 4

func newSummary(t *listing) *summary {
	s := &summary{t: t, listed: map[string]bool{}}
	s.parts = t.parts()
	for _, p := range s.parts {
		for _, e := range p.entries {
			s.listed[e.path] = true
		}
	}
	s.group()
	return s
}

// write writes the summary with at most n items in each list.
func (s *summary) write(n sizes) string {
	var b strings.Builder
	b.WriteString(title + first + "\n")
	if example := s.example(); example != "" {
		b.WriteString("Paths are relative to the project: `" + example + "` is correct.\n")
	} else {
		b.WriteString(bare + "\n")
	}
	for _, p := range s.parts[:min(len(s.parts), maxParts)] {
		in := ""
		if p.dir != "." && len(s.parts) > 1 {
			if name, ok := quote(p.dir + "/"); ok {
				in = " of " + name
			}
		}
		line(&b, "Framework"+in, p.made)
		line(&b, "Package manager"+in, p.manager)
		line(&b, "Scripts"+in, p.scripts)
	}
	s.writeEntries(&b, n.entries)
	for _, g := range s.groups {
		if g.wide && len(g.files) > maxInline {
			line(&b, g.name, s.count(g.files, n.inline))
		} else {
			line(&b, g.name, list(g.files, n.inline))
		}
	}
	line(&b, "Other folders", s.others(n.inline))
	line(&b, "Not listed, too full or too deep", folders(s.t.closed, min(n.inline, 3)))
	if s.t.rest {
		b.WriteString("There is more than this: the deed was too large to be listed whole.\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func line(b *strings.Builder, name, value string) {
	if value != "" {
		b.WriteString(name + ": " + value + "\n")
	}
}

// example is the path of a file of the deed, as agents name it: an entry point, else
// one of the first group, else any. It is "" where no file has a plain name.
func (s *summary) example() string {
	var lists [][]string
	for _, p := range s.parts {
		for _, e := range p.entries {
			lists = append(lists, []string{e.path})
		}
	}
	for _, g := range s.groups {
		lists = append(lists, g.files)
	}
	for _, list := range append(lists, s.t.files) {
		for _, p := range list {
			if name, ok := quote(p); ok && !strings.HasPrefix(name, `"`) {
				return name
			}
		}
	}
	return ""
}

func (s *summary) writeEntries(b *strings.Builder, n int) {
	var lines []string
	more := 0
	for _, p := range s.parts[:min(len(s.parts), maxParts)] {
		for i, e := range p.entries {
			name, ok := quote(e.path)
			if i >= n || !ok {
				more++
				continue
			}
			if e.what != "" {
				name += " (" + e.what + ")"
			}
			lines = append(lines, "- "+name+"\n")
		}
	}
	if len(lines) == 0 {
		return
	}
	b.WriteString("Entry points:\n" + strings.Join(lines, ""))
	if more > 0 {
		b.WriteString("- and " + strconv.Itoa(more) + " more\n")
	}
}

// list writes up to n paths, and how many there are beyond.
func list(paths []string, n int) string {
	var out []string
	more := 0
	for _, p := range paths {
		name, ok := quote(p)
		if len(out) >= n || !ok {
			more++
			continue
		}
		out = append(out, name)
	}
	if more > 0 && len(out) > 0 {
		out = append(out, "and "+strconv.Itoa(more)+" more")
	} else if more > 0 {
		out = append(out, strconv.Itoa(more)+" files")
	}
	return strings.Join(out, ", ")
}

// folders is list for folders.
func folders(dirs []string, n int) string {
	paths := make([]string, len(dirs))
	for i, d := range dirs {
		paths[i] = strings.TrimPrefix(d+"/", "./")
	}
	return list(paths, n)
}

// others counts the files in folders of which no file was told.
func (s *summary) others(n int) string {
	told, depth := map[string]bool{}, s.depth()
	for _, f := range s.t.files {
		dir := folderOf(f, depth)
		told[dir] = told[dir] || s.listed[f]
	}
	return s.count(slices.DeleteFunc(slices.Clone(s.t.files), func(f string) bool {
		dir := folderOf(f, depth)
		return dir == "." || told[dir]
	}), n)
}

// count lists the folders of the files, those with the most first, each with how many
// there are.
func (s *summary) count(all []string, n int) string {
	count, depth := map[string]int{}, s.depth()
	for _, f := range all {
		count[folderOf(f, depth)]++
	}
	dirs := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), natural(a, b))
	})
	var out []string
	for _, d := range dirs {
		if name, ok := quote(strings.TrimPrefix(d+"/", "./")); ok && len(out) < n {
			out = append(out, name+" ("+files(count[d])+")")
		}
	}
	if more := len(dirs) - len(out); more > 0 {
		out = append(out, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(out, ", ")
}

// depth is how deep the folders are that others tells of: one deeper than where the
// source lies.
func (s *summary) depth() int {
	if s.t.anyBelow("src") || len(s.parts) > 1 {
		return 2
	}
	return 1
}

func (t *listing) anyBelow(dir string) bool {
	return slices.ContainsFunc(t.files, func(f string) bool { return strings.HasPrefix(f, dir+"/") })
}

// folderOf returns the folder of a file, cut to depth names.
func folderOf(file string, depth int) string {
	parts := strings.Split(path.Dir(file), "/")
	return path.Join(parts[:min(len(parts), depth)]...)
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}
