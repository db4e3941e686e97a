package codebase

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	maxEntries = 12 // items in each list at first; there are fewer the more there is to tell
	maxInline  = 8  // of them in a list in one line
	maxParts   = 4
	maxDepth   = 2 // names in the path of a folder whose files are counted
)

// summary is what is told of a deed.
type summary struct {
	parts   []part
	example string     // the path of a file of the deed, an entry point if there is one; "" if none has a plain name
	kinds   [][]string // of each kind, the files that are no entry points
	others  []string   // the files in folders of which no file is told
	closed  []string   // folders that are not listed
	rest    bool       // there is more
}

// summary writes the summary of what a walk has found.
func (t *listing) summary() string {
	if len(t.files) == 0 && len(t.closed) == 0 {
		return Empty
	}
	s := t.sum()
	text := ""
	for n := maxEntries; n >= 0; n-- {
		if text = s.write(n); len(text) <= Most {
			return text
		}
	}
	for len(text) > Most { // too long even without items
		text = text[:strings.LastIndexByte(text, '\n')]
	}
	return text
}

func (t *listing) sum() *summary {
	s := &summary{parts: t.parts(), kinds: make([][]string, len(kinds)), rest: t.rest}
	listed, told := map[string]bool{}, map[string]bool{".": true}
	var paths []string
	for _, p := range s.parts {
		for _, e := range p.entries {
			listed[e.path], told[folderOf(e.path)] = true, true
			paths = append(paths, e.path)
		}
	}
	for _, f := range t.files {
		if k := kindOf(f); k >= 0 && !listed[f] && ecosystemOf(f) == nil {
			s.kinds[k] = append(s.kinds[k], f)
			told[folderOf(f)] = true
		}
	}
	s.others = slices.DeleteFunc(slices.Clone(t.files), func(f string) bool { return told[folderOf(f)] })
	for _, d := range t.closed {
		s.closed = append(s.closed, strings.TrimPrefix(d+"/", "./"))
	}
	for _, p := range append(paths, t.files...) {
		if name, ok := quote(p); ok && !strings.HasPrefix(name, `"`) {
			s.example = name
			break
		}
	}
	return s
}

// parts finds the parts of a deed, the shallow ones first. A deed without a manifest is
// one part.
func (t *listing) parts() (all []part) {
	type at struct {
		e   *ecosystem
		dir string
	}
	seen := map[at]bool{}
	for _, m := range t.manifests {
		here := at{ecosystemOf(m), path.Dir(m)}
		if !seen[here] && len(all) < maxParts {
			all = append(all, t.part(here.e, here.dir))
		}
		seen[here] = true
	}
	if len(all) == 0 {
		all = []part{t.plainPart()}
	}
	return all
}

// write writes the summary with at most n items in each list.
func (s *summary) write(n int) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	b.WriteString(title + first + "\n")
	if s.example != "" {
		b.WriteString("Paths are relative to the project: `" + s.example + "` is correct.\n")
	} else {
		b.WriteString(bare + "\n")
	}
	points, more := "", 0
	for _, p := range s.parts {
		in := ""
		if name, ok := quote(p.dir + "/"); ok && p.dir != "." {
			in = " of " + name
		}
		line("Framework"+in, p.made)
		line("Package manager"+in, p.manager)
		line("Scripts"+in, p.scripts)
		for i, e := range p.entries {
			name, ok := quote(e.path)
			if i >= n || !ok {
				more++
				continue
			}
			if e.what != "" {
				name += " (" + e.what + ")"
			}
			points += "- " + name + "\n"
		}
	}
	if points != "" {
		b.WriteString("Entry points:\n" + points)
		if more > 0 {
			b.WriteString("- and " + strconv.Itoa(more) + " more\n")
		}
	}
	n = min(n, maxInline)
	for i, files := range s.kinds {
		if len(files) > maxInline {
			line(kinds[i].name, folders(files, n))
		} else {
			line(kinds[i].name, list(files, n))
		}
	}
	line("Other folders", folders(s.others, n))
	line("Not listed, too full or too deep", list(s.closed, min(n, 3)))
	if s.rest {
		b.WriteString("There is more than this: the deed was too large to be listed whole.\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// list writes up to n paths, and how many there are beyond.
func list(paths []string, n int) string {
	var out []string
	for _, p := range paths {
		if name, ok := quote(p); ok && len(out) < n {
			out = append(out, name)
		}
	}
	return withRest(out, len(paths), "file")
}

// folders counts files by their folders, those with the most first.
func folders(files []string, n int) string {
	count := map[string]int{}
	for _, f := range files {
		count[folderOf(f)]++
	}
	dirs := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), natural(a, b)) })
	var out []string
	for _, d := range dirs {
		if name, ok := quote(strings.TrimPrefix(d+"/", "./")); ok && len(out) < n {
			out = append(out, name+" ("+counted(count[d], "file")+")")
		}
	}
	return withRest(out, len(dirs), "folder")
}

// withRest joins a list that has part of all.
func withRest(out []string, all int, noun string) string {
	switch more := all - len(out); {
	case more > 0 && len(out) > 0:
		out = append(out, "and "+strconv.Itoa(more)+" more")
	case more > 0:
		out = append(out, counted(more, noun))
	}
	return strings.Join(out, ", ")
}

// folderOf returns the folder of a file, cut to maxDepth names.
func folderOf(file string) string {
	names := strings.Split(path.Dir(file), "/")
	return path.Join(names[:min(len(names), maxDepth)]...)
}
