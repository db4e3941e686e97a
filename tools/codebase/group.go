package codebase

import (
	"path"
	"slices"
	"strings"
)

// groups of files, in the order in which they are told; a file belongs to the first
// that takes it.
var groups = []struct {
	name string
	is   func(file, dirs, base, ext string) bool
}{
	{"Tests", func(file, dirs, base, ext string) bool { return code[ext] && isTest(dirs, base, ext) }},
	{"API", func(_, dirs, base, ext string) bool {
		return code[ext] && below(dirs, "api", "routes", "routers", "controllers", "handlers", "endpoints")
	}},
	{"UI components", func(_, dirs, base, ext string) bool {
		return markup[ext] && (below(dirs, "components", "component", "ui", "widgets", "layouts", "partials", "views", "templates", "pages") || ext == ".vue" || ext == ".svelte")
	}},
	{"Styles", func(_, _, base, ext string) bool {
		return slices.Contains([]string{".css", ".scss", ".sass", ".less", ".styl"}, ext) || strings.HasPrefix(base, "tailwind.config.")
	}},
	{"Data", func(_, _, base, ext string) bool {
		return ext == ".sql" || ext == ".prisma" || ext == ".proto" || ext == ".graphql" || base == "models.py" || base == "schema.ts"
	}},
	{"Config", func(_, _, base, ext string) bool {
		return strings.Contains(base, ".config.") || configFiles[base]
	}},
	{"Source", func(_, _, _, ext string) bool { return code[ext] }},
	{"Texts", func(_, _, _, ext string) bool { return prose[ext] }},
}

var (
	code        = wordSet(".js .jsx .ts .tsx .mjs .cjs .mts .cts .go .py .rs .rb .php .java .kt .swift .c .cc .cpp .h .cs .ex .exs .vue .svelte .dart .lua .sh .scala .clj .zig")
	markup      = wordSet(".jsx .tsx .js .ts .vue .svelte .astro .html .htm .gohtml .tmpl .hbs .ejs .njk .liquid .jinja .j2 .erb")
	prose       = wordSet(".md .mdx .markdown .txt .rst .adoc .tex .typ .org .docx .odt .rtf .epub .fountain")
	configFiles = wordSet("tsconfig.json Dockerfile docker-compose.yml compose.yaml Makefile justfile CMakeLists.txt go.work")
)

// below reports whether one of dirs, a folder's path, is among names.
func below(dirs string, names ...string) bool {
	return slices.ContainsFunc(strings.Split(dirs, "/"), func(d string) bool { return slices.Contains(names, d) })
}

func isTest(dirs, base, ext string) bool {
	stem := strings.TrimSuffix(base, ext)
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") ||
		strings.HasPrefix(base, "test_") || below(dirs, "test", "tests", "__tests__", "e2e", "spec")
}

// group sorts the files that no part tells into groups.
func (s *summary) group() {
	found := make([]group, len(groups))
	for _, f := range s.t.files {
		if s.listed[f] || ecosystemOf[path.Base(f)] != "" {
			continue
		}
		for i, g := range groups {
			base := path.Base(f)
			if g.is(f, path.Dir(f), base, strings.ToLower(path.Ext(base))) {
				found[i].name, found[i].wide = g.name, g.name == "Source" || g.name == "Tests" || g.name == "Texts"
				found[i].files = append(found[i].files, f)
				s.listed[f] = true
				break
			}
		}
	}
	// What a reader looks for first stands first; the tests, which must claim their
	// files before the others do, stand behind.
	tests := found[0]
	found = append(found[1:], tests)
	s.groups = slices.DeleteFunc(found, func(g group) bool { return len(g.files) == 0 })
}
