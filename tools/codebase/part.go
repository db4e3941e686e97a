package codebase

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ecosystemOf names what a file is the manifest of, by its base name.
var ecosystemOf = map[string]string{
	"package.json": "node", "go.mod": "go", "Cargo.toml": "rust",
	"pyproject.toml": "python", "requirements.txt": "python", "Pipfile": "python", "setup.py": "python", "setup.cfg": "python",
	"composer.json": "PHP (Composer)", "Gemfile": "Ruby (Bundler)", "mix.exs": "Elixir (Mix)", "pom.xml": "Java (Maven)",
	"build.gradle": "Java (Gradle)", "build.gradle.kts": "Kotlin (Gradle)", "Package.swift": "Swift (SwiftPM)", "pubspec.yaml": "Dart (pub)",
	"deno.json": "Deno", "deno.jsonc": "Deno", "CMakeLists.txt": "C/C++ (CMake)",
	"hugo.toml": "Hugo site", "hugo.yaml": "Hugo site", "_config.yml": "Jekyll site", "mkdocs.yml": "MkDocs site", "book.toml": "mdBook book", "_quarto.yml": "Quarto project",
}

// describers tell what the part in a folder is made with; other ecosystems are told by
// their names.
var describers = map[string]func(*listing, string) part{"node": nodePart, "go": goPart, "rust": rustPart, "python": pythonPart}

// parts finds the parts of a deed, the shallow ones first. A deed without a manifest is
// one part.
func (t *listing) parts() []part {
	var all []part
	begun := map[string][]string{} // ecosystem to its folders
	for _, m := range t.manifest {
		eco, dir := ecosystemOf[path.Base(m)], path.Dir(m)
		if slices.ContainsFunc(begun[eco], func(above string) bool { return t.owns(eco, above, dir) }) {
			continue
		}
		begun[eco] = append(begun[eco], dir)
		if describe := describers[eco]; describe != nil {
			all = append(all, describe(t, dir))
		} else {
			all = append(all, part{dir: dir, made: eco, entries: t.entries(dir, plainEntries)})
		}
	}
	if len(all) == 0 {
		all = []part{t.plainPart()}
	}
	return all
}

// owns reports whether a manifest in dir belongs to the part in above, rather than to
// one of its own.
func (t *listing) owns(eco, above, dir string) bool {
	switch {
	case above == dir:
		return true
	case !inside(dir, above):
		return false
	case eco == "go":
		return false
	case eco == "node":
		return !t.workspace(above)
	case eco == "rust":
		return !strings.Contains(t.text[path.Join(above, "Cargo.toml")], "[workspace]")
	}
	return true
}

func inside(dir, above string) bool { return above == "." || strings.HasPrefix(dir, above+"/") }

// entryRule says what the files are whose paths in their part match.
type entryRule struct {
	match func() *regexp.Regexp // compiled when it is asked for first, and not at each start of the program
	what  string                // $1 is the first group of match
}

// rules makes entry rules from pairs of a pattern and what its files are.
func rules(pairs ...string) (all []entryRule) {
	for i := 0; i+1 < len(pairs); i += 2 {
		match := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + pairs[i] + ")$") })
		all = append(all, entryRule{match, pairs[i+1]})
	}
	return all
}

// entries lists the files of a part that match a rule, in the order of the rules.
func (t *listing) entries(dir string, all []entryRule) (found []item) {
	for _, r := range all {
		for _, f := range t.files {
			rel := relative(f, dir)
			if m := r.match().FindStringSubmatch(rel); rel != "" && m != nil {
				what := r.what
				if strings.Contains(what, "$1") {
					name, ok := quote(m[1])
					if !ok {
						continue
					}
					what = strings.ReplaceAll(what, "$1", strings.Replace(name, "deed/", "", 1))
				}
				found = append(found, item{f, what})
			}
		}
	}
	return once(found)
}

// relative returns a file's path in dir, "" if it lies elsewhere.
func relative(file, dir string) string {
	if dir == "." {
		return file
	}
	rel, ok := strings.CutPrefix(file, dir+"/")
	if !ok {
		return ""
	}
	return rel
}

// locked names a part's package manager by its lockfile, in dir or in a folder above.
func (t *listing) locked(dir string, lockfiles ...string) string {
	for at := dir; ; at = path.Dir(at) {
		for i := 0; i+1 < len(lockfiles); i += 2 {
			if file := path.Join(at, lockfiles[i]); t.has[file] {
				if name, ok := quote(file); ok {
					return lockfiles[i+1] + " (" + name + ")"
				}
			}
		}
		if at == "." {
			return ""
		}
	}
}

var plainVersion = regexp.MustCompile(`^[\^~>=<v! ]*([0-9][0-9A-Za-z.+-]{0,23})(?:[ ,].*)?$`)

// version returns the version that a requirement names, with a blank in front, or "".
func version(requirement string) string {
	m := plainVersion.FindStringSubmatch(strings.TrimSpace(requirement))
	if m == nil {
		return ""
	}
	return " " + strings.TrimRight(m[1], ".-+")
}

// plainEntries are those of a deed without a known ecosystem, or with one that has no
// rules of its own.
var plainEntries = rules(
	`index\.html?`, "home page",
	`(?:src/|public/)?index\.(?:html?|php)`, "home page",
	`(?:src/)?(?:main|app|index|run|program)\.(?:py|rb|php|js|ts|java|c|cc|cpp|lua|sh|swift|kt|dart|ex|cs)`, "start",
	`config/routes\.rb|routes/web\.php`, "routes",
	`main\.(?:tex|typ|md)|book\.(?:md|tex)|(?:src/)?SUMMARY\.md`, "main text",
	`(?:content/|docs/)?_?index\.md|README(?:\.md|\.txt)?`, "overview",
)

// pages are the others of a site.
var pages = rules(`(?:.*/)?index\.html?`, "page", `.+\.html?`, "page")

// plainPart tells of a deed without a manifest: a static site, texts, or scripts.
func (t *listing) plainPart() part {
	p := part{dir: ".", entries: t.entries(".", plainEntries)}
	count := map[string]int{}
	for _, f := range t.files {
		count[kindOf(strings.ToLower(path.Ext(f)))]++
	}
	switch {
	case count["page"] > 0 && count["program"] == 0:
		p.made = "none, a static site (" + counted(count["page"], "page") + ")"
		p.entries = once(append(p.entries, t.entries(".", pages)...))
	case count["program"] > 0:
		p.made = "none, " + t.languages()
	case count["text"] > 0:
		p.made = "none, prose (" + counted(count["text"], "text") + ")"
		p.entries = once(append(p.entries, t.texts()...))
	default:
		p.made = "none"
	}
	return p
}

// kindOf sorts files by their ending. Scripts and styles of pages say nothing.
func kindOf(ext string) string {
	switch {
	case ext == ".html" || ext == ".htm":
		return "page"
	case prose[ext]:
		return "text"
	case code[ext] && ext != ".js" && ext != ".mjs":
		return "program"
	}
	return ""
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strings.Replace(files(n), "file", noun, 1)
}

var languageOf = map[string]string{
	".py": "Python", ".go": "Go", ".rs": "Rust", ".rb": "Ruby", ".php": "PHP", ".java": "Java", ".kt": "Kotlin", ".swift": "Swift", ".c": "C", ".cc": "C++", ".cpp": "C++",
	".cs": "C#", ".ts": "TypeScript", ".tsx": "TypeScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".js": "JavaScript", ".sh": "shell", ".lua": "Lua", ".scala": "Scala", ".dart": "Dart", ".ex": "Elixir",
}

// languages names those of a deed without a manifest, the most used first.
func (t *listing) languages() string {
	count := map[string]int{}
	for _, f := range t.files {
		if l := languageOf[strings.ToLower(path.Ext(f))]; l != "" {
			count[l]++
		}
	}
	var all []string
	for l := range count {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	if len(all) == 0 {
		return "programs"
	}
	return strings.Join(all[:min(len(all), 4)], ", ") + " without a manifest"
}

// texts are all texts of a deed of prose.
func (t *listing) texts() (all []item) {
	for _, f := range t.files {
		if prose[strings.ToLower(path.Ext(f))] {
			all = append(all, item{f, ""})
		}
	}
	return all
}

// once keeps the first item of each path.
func once(items []item) (out []item) {
	seen := map[string]bool{}
	for _, i := range items {
		if !seen[i.path] {
			out = append(out, i)
		}
		seen[i.path] = true
	}
	return out
}
