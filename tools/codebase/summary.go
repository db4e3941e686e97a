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

// kind is files that are told together: those with one of its extensions below a folder
// with one of its names, if it has any, and those with one of its own names.
type kind struct {
	name              string
	exts, dirs, names map[string]bool
}

// kinds are those of files that are no entry points, in their order. A file is of the
// first that takes it, the tests before all others; what none takes is told by its folder.
var kinds = []kind{
	{name: "API", exts: code, dirs: words("api routes routers controllers handlers endpoints")},
	{name: "UI components", exts: words(".jsx .tsx .js .ts .astro .html .htm .gohtml .tmpl .hbs .ejs .njk .liquid .jinja .j2 .erb"), dirs: words("components component ui widgets layouts partials views templates pages")},
	{name: "UI components", exts: words(".vue .svelte")},
	{name: "Styles", exts: words(".css .scss .sass .less .styl"), names: words("tailwind.config.js tailwind.config.ts")},
	{name: "Data", exts: words(".sql .prisma .proto .graphql"), names: words("models.py schema.ts")},
	{name: "Config", names: words("*.config.* tsconfig.json Dockerfile docker-compose.yml compose.yaml Makefile justfile CMakeLists.txt go.work")},
	{name: "Source", exts: code},
	{name: "Texts", exts: words(".md .mdx .markdown .txt .rst .adoc .tex .typ .org .docx .odt .rtf .epub .fountain")},
	{name: "Tests", exts: code, dirs: words("test tests __tests__ e2e spec")},
}

var (
	code      = words(".js .jsx .ts .tsx .mjs .cjs .mts .cts .go .py .rs .rb .php .java .kt .swift .c .cc .cpp .h .cs .ex .exs .vue .svelte .dart .lua .sh .scala .clj .zig")
	testNamed = lazily(`^test_|[._](?:test|spec)\.\w+$`)
)

// kindOf returns the name of a file's kind, "" for a file that is not told.
func kindOf(file string) string {
	dirs, base := strings.Split(path.Dir(file), "/"), path.Base(file)
	ext := strings.ToLower(path.Ext(base))
	takes := func(k kind) bool {
		below := k.dirs == nil || slices.ContainsFunc(dirs, func(d string) bool { return k.dirs[d] })
		return k.exts[ext] && below || k.names[base] || k.names["*.config.*"] && strings.Contains(base, ".config.")
	}
	if tests := kinds[len(kinds)-1]; takes(tests) || code[ext] && testNamed().MatchString(base) {
		return tests.name
	}
	if i := slices.IndexFunc(kinds, takes); i >= 0 {
		return kinds[i].name
	}
	return ""
}

// summary is what is told of a deed.
type summary struct {
	*listing
	parts   []part
	example string              // the path of a file of the deed, an entry point if there is one; "" if none has a plain name
	kinds   map[string][]string // of each kind, the files that are no entry points
	others  []string            // the files in folders of which no file is told
}

// summary writes the summary of what a walk has found.
func (t *listing) summary() string {
	if len(t.files) == 0 && len(t.closed) == 0 {
		return Empty
	}
	s := summary{listing: t, kinds: map[string][]string{}}
	for _, f := range t.files {
		if k := kindOf(f); k != "" && ecosystemOf(f) == nil {
			s.kinds[k] = append(s.kinds[k], f)
		}
	}
	s.parts = t.parts(s.kinds)
	var paths []string
	entry, told := map[string]bool{}, map[string]bool{"": true}
	for _, p := range s.parts {
		for _, e := range p.entries {
			paths = append(paths, e.path)
			entry[e.path], told[folderOf(e.path)] = true, true
		}
	}
	for k, files := range s.kinds {
		for _, f := range files {
			told[folderOf(f)] = true
		}
		s.kinds[k] = slices.DeleteFunc(files, func(f string) bool { return entry[f] })
	}
	s.others = slices.DeleteFunc(slices.Clone(t.files), func(f string) bool { return told[folderOf(f)] })
	for _, p := range append(paths, t.files...) {
		if name, ok := quote(p); ok && !strings.HasPrefix(name, `"`) {
			s.example = name
			break
		}
	}
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

// parts finds the parts of a deed, the shallow ones first. A deed without a manifest is
// one part.
func (t *listing) parts(kinds map[string][]string) (all []part) {
	seen := map[string]bool{}
	for _, m := range t.manifests {
		e, dir := ecosystemOf(m), strings.TrimSuffix(m, path.Base(m))
		if !seen[e.name+dir] && len(all) < maxParts {
			all = append(all, t.part(e, dir))
		}
		seen[e.name+dir] = true
	}
	if len(all) > 0 {
		return all
	}
	p := part{made: "none", entries: t.entries("", plainEntries)}
	if pages := t.entries("", plainPages); len(pages) > 0 && len(p.entries) > 0 && p.entries[0].what == "home page" {
		p.made = "none, a static site (" + counted(len(pages), "page") + ")"
		p.entries = once(append(p.entries, pages...))
	} else if texts := kinds["Texts"]; len(texts) > 0 && len(pages)+len(kinds["Source"]) == 0 {
		p.made = "none, prose (" + counted(len(texts), "text") + ")"
		for _, f := range texts {
			p.entries = append(p.entries, item{f, ""})
		}
		p.entries = once(p.entries)
	}
	return []part{p}
}

// write writes the summary with at most n items in each list.
func (s *summary) write(n int) string {
	lines := []string{first, bare}
	line := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	if s.example != "" {
		lines[1] = "Paths are relative to the project: `" + s.example + "` is correct."
	}
	var points []string
	more := 0
	for _, p := range s.parts {
		in := ""
		if name, ok := quote(p.dir); ok && p.dir != "" {
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
			points = append(points, "- "+name)
		}
	}
	if points != nil {
		lines = append(append(lines, "Entry points:"), points...)
		if more > 0 {
			lines = append(lines, "- and "+strconv.Itoa(more)+" more")
		}
	}
	n = min(n, maxInline)
	for i, k := range kinds {
		switch files := s.kinds[k.name]; {
		case i > 0 && k.name == kinds[i-1].name:
		case len(files) > maxInline:
			line(k.name, folders(files, n))
		default:
			line(k.name, list(files, n, "file", nil))
		}
	}
	line("Other folders", folders(s.others, n))
	line("Not listed, too full or too deep", list(s.closed, min(n, 3), "folder", nil))
	if s.rest {
		lines = append(lines, "There is more than this: the deed was too large to be listed whole.")
	}
	return title + strings.Join(lines, "\n")
}

// list writes up to n paths, each with its count if there are counts, and how many there
// are beyond.
func list(paths []string, n int, noun string, count map[string]int) string {
	var out []string
	for _, p := range paths {
		if name, ok := quote(p); ok && len(out) < n {
			if count != nil {
				name += " (" + counted(count[p], "file") + ")"
			}
			out = append(out, name)
		}
	}
	switch more := len(paths) - len(out); {
	case more > 0 && len(out) > 0:
		out = append(out, "and "+strconv.Itoa(more)+" more")
	case more > 0:
		out = append(out, counted(more, noun))
	}
	return strings.Join(out, ", ")
}

// folders counts files by their folders, those with the most first.
func folders(files []string, n int) string {
	count := map[string]int{}
	for _, f := range files {
		count[folderOf(f)]++
	}
	dirs := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), natural(a, b)) })
	return list(dirs, n, "folder", count)
}

// folderOf returns the folder of a file, cut to maxDepth names: "src/app/", or "".
func folderOf(file string) string {
	names := strings.SplitAfter(file, "/")
	return strings.Join(names[:min(len(names)-1, maxDepth)], "")
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
