package codebase

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

var (
	code        = wordSet(".js .jsx .ts .tsx .mjs .cjs .mts .cts .go .py .rs .rb .php .java .kt .swift .c .cc .cpp .h .cs .ex .exs .vue .svelte .dart .lua .sh .scala .clj .zig")
	markup      = wordSet(".jsx .tsx .js .ts .vue .svelte .astro .html .htm .gohtml .tmpl .hbs .ejs .njk .liquid .jinja .j2 .erb")
	styles      = wordSet(".css .scss .sass .less .styl")
	data        = wordSet(".sql .prisma .proto .graphql")
	prose       = wordSet(".md .mdx .markdown .txt .rst .adoc .tex .typ .org .docx .odt .rtf .epub .fountain")
	configFiles = wordSet("tsconfig.json Dockerfile docker-compose.yml compose.yaml Makefile justfile CMakeLists.txt go.work")
	testDirs    = wordSet("test tests __tests__ e2e spec")
	apiDirs     = wordSet("api routes routers controllers handlers endpoints")
	viewDirs    = wordSet("components component ui widgets layouts partials views templates pages")
)

// kinds are those of files that are told, in their order; a file is of the first that
// takes it, the tests before all others.
var kinds = []struct {
	name string
	is   func(dirs []string, base, ext string) bool
}{
	{"API", func(dirs []string, _, ext string) bool { return code[ext] && below(dirs, apiDirs) }},
	{"UI components", func(dirs []string, _, ext string) bool {
		return markup[ext] && below(dirs, viewDirs) || ext == ".vue" || ext == ".svelte"
	}},
	{"Styles", func(_ []string, base, ext string) bool {
		return styles[ext] || strings.HasPrefix(base, "tailwind.config.")
	}},
	{"Data", func(_ []string, base, ext string) bool {
		return data[ext] || base == "models.py" || base == "schema.ts"
	}},
	{"Config", func(_ []string, base, _ string) bool { return strings.Contains(base, ".config.") || configFiles[base] }},
	{"Source", func(_ []string, _, ext string) bool { return code[ext] }},
	{"Texts", func(_ []string, _, ext string) bool { return prose[ext] }},
	{"Tests", isTest},
}

func isTest(dirs []string, base, ext string) bool {
	stem := strings.TrimSuffix(base, ext)
	named := strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") || strings.HasPrefix(base, "test_")
	return code[ext] && (named || below(dirs, testDirs))
}

// below reports whether one of dirs, the names in a path, is in set.
func below(dirs []string, set map[string]bool) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return set[d] })
}

// kindOf returns the index of a file's kind, -1 for a file that is not told.
func kindOf(file string) int {
	dirs, base := strings.Split(path.Dir(file), "/"), path.Base(file)
	ext := strings.ToLower(path.Ext(base))
	if isTest(dirs, base, ext) {
		return len(kinds) - 1
	}
	for i, k := range kinds {
		if k.is(dirs, base, ext) {
			return i
		}
	}
	return -1
}

var languageOf = map[string]string{
	".py": "Python", ".go": "Go", ".rs": "Rust", ".rb": "Ruby", ".php": "PHP", ".java": "Java", ".kt": "Kotlin", ".swift": "Swift", ".c": "C", ".cc": "C++", ".cpp": "C++",
	".cs": "C#", ".ts": "TypeScript", ".tsx": "TypeScript", ".jsx": "JavaScript", ".sh": "shell", ".lua": "Lua", ".scala": "Scala", ".dart": "Dart", ".ex": "Elixir",
}

// plainPart tells of a deed without a manifest: a static site, texts, or scripts.
func (t *listing) plainPart() part {
	p := part{dir: ".", entries: t.entries(".", plainEntries), made: "none"}
	var languages []string
	var pages, texts []item
	for _, f := range t.files {
		ext := strings.ToLower(path.Ext(f))
		switch l := languageOf[ext]; {
		case l != "" && !slices.Contains(languages, l):
			languages = append(languages, l)
		case ext == ".html" || ext == ".htm":
			pages = append(pages, item{f, "page"})
		case prose[ext]:
			texts = append(texts, item{f, ""})
		}
	}
	slices.Sort(languages)
	switch {
	case len(languages) > 0:
		p.made = "none, " + strings.Join(languages[:min(len(languages), 4)], ", ") + " without a manifest"
	case len(pages) > 0:
		p.made = "none, a static site (" + counted(len(pages), "page") + ")"
		p.entries = once(append(p.entries, pages...))
	case len(texts) > 0:
		p.made = "none, prose (" + counted(len(texts), "text") + ")"
		p.entries = once(append(p.entries, texts...))
	}
	return p
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
