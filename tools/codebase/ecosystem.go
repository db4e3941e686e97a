package codebase

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ecosystem is how programs of one kind are known by their manifests. What is read of
// one is versions, and names that stand in this table.
type ecosystem struct {
	name      string
	manifests []string // base names
	version   pattern  // its group is the language's version
	needs     pattern  // its first group is a package, the next that matched its version
	libraries []string // pairs of a package and what it is called, the frameworks first
	locks     []string // pairs of a lockfile and a package manager; the first manager is the usual one
	entries   []rule
}

// pattern is a regular expression, compiled when it is used first: most starts of the
// program need none.
type pattern func() *regexp.Regexp

func lazily(expr string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// rule says what the files are whose whole paths match.
type rule struct {
	match pattern
	what  string
}

// rules makes them of pairs of an expression and what its files are.
func rules(pairs ...string) (all []rule) {
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, rule{lazily("^(?:" + pair[0] + ")$"), pair[1]})
	}
	return all
}

// plainEntries are those of a deed without a manifest, and of ecosystems without their own.
var plainEntries = rules(
	`(?:src/|public/)?index\.(?:html?|php)`, "home page",
	`(?:src/)?(?:main|app|index|run|program)\.(?:py|rb|php|js|ts|java|c|cc|cpp|lua|sh|swift|kt|dart|ex|cs)`, "start",
	`config/routes\.rb|routes/web\.php`, "routes",
	`main\.(?:tex|typ|md)|book\.(?:md|tex)|(?:src/)?SUMMARY\.md`, "main text",
	`(?:content/|docs/)?_?index\.md|README(?:\.md|\.txt)?`, "overview",
)

var plainPages = rules(`.*\.html?`, "page")

var ecosystems = []ecosystem{
	{
		name: "Node.js", manifests: []string{"package.json"},
		libraries: []string{
			"next", "Next.js", "nuxt", "Nuxt", "@remix-run/react", "Remix", "@react-router/dev", "React Router", "@sveltejs/kit", "SvelteKit", "astro", "Astro", "gatsby", "Gatsby",
			"@angular/core", "Angular", "@11ty/eleventy", "Eleventy", "vitepress", "VitePress", "@docusaurus/core", "Docusaurus", "expo", "Expo", "electron", "Electron",
			"react-scripts", "Create React App", "vite", "Vite", "@nestjs/core", "NestJS", "express", "Express", "fastify", "Fastify", "koa", "Koa", "hono", "Hono", "parcel", "Parcel", "webpack", "webpack",
			"react", "React", "vue", "Vue", "svelte", "Svelte", "solid-js", "Solid", "preact", "Preact", "three", "three.js", "phaser", "Phaser", "tailwindcss", "Tailwind CSS",
			"typescript", "TypeScript", "prisma", "Prisma", "drizzle-orm", "Drizzle", "@sentry/nextjs", "Sentry", "vitest", "Vitest", "jest", "Jest", "@playwright/test", "Playwright",
		},
		locks: []string{"package-lock.json", "npm", "npm-shrinkwrap.json", "npm", "pnpm-lock.yaml", "pnpm", "yarn.lock", "yarn", "bun.lock", "bun", "bun.lockb", "bun"},
		entries: rules(
			`(?:src/)?app/(?:\([^/]*\)/)*page\.\w+|(?:src/|app/)?pages/index\.\w+|src/routes/\+page\.\w+|app/routes/_index\.\w+|(?:app/)?app\.vue`, "home page",
			`(?:src/)?app/layout\.\w+|src/routes/\+layout\.\w+|app/root\.\w+`, "root layout",
			`(?:src/)?pages/_app\.\w+`, "root of all pages",
			`(?:src/)?(?:middleware|proxy|instrumentation)\.\w+`, "runs before requests",
			`index\.html`, "page",
			`(?:src/)?(?:index|main|server|app|cli)\.(?:js|mjs|cjs|ts|tsx|jsx)|(?:src/)?(?:server|cli)/(?:index|main)\.(?:js|mjs|cjs|ts)`, "start",
			`src/App\.(?:tsx|jsx|vue|svelte|ts|js)|src/app/app\.(?:component|routes)\.ts`, "root component",
			`bin/[^/]+\.(?:js|mjs|cjs|ts)`, "command",
			`(?:src/)?app/.+/page\.\w+|(?:src/)?pages/(?:[^/]+/)*[^/_][^/]*\.(?:tsx|jsx|ts|js|mdx?)|(?:[^/]+/)*[^/]+\.html`, "page",
			`(?:src/)?app/.+/layout\.\w+`, "layout",
		),
	},
	{
		name: "Go", manifests: []string{"go.mod"},
		version: lazily(`(?m)^go[ \t]+(\d[\w.]{0,15})`), needs: lazily(`(?m)^\s*(?:require\s+)?([\w./~-]+)[ \t]+(v\d[\w.+-]{0,40})`),
		libraries: []string{
			"github.com/gin-gonic/gin", "Gin", "github.com/labstack/echo/v4", "Echo", "github.com/gofiber/fiber/v2", "Fiber", "github.com/gofiber/fiber/v3", "Fiber",
			"github.com/go-chi/chi/v5", "chi", "github.com/gorilla/mux", "gorilla/mux", "github.com/a-h/templ", "templ", "github.com/spf13/cobra", "Cobra",
			"github.com/alecthomas/kong", "Kong", "github.com/charmbracelet/bubbletea", "Bubble Tea", "github.com/hajimehoshi/ebiten/v2", "Ebitengine",
			"google.golang.org/grpc", "gRPC", "gorm.io/gorm", "GORM", "entgo.io/ent", "ent",
		},
		locks:   []string{"go.sum", "Go modules"},
		entries: rules(`(?:[^/]+/)*main\.go`, "program", `doc\.go`, "what the package is", `[^/]+\.go`, "package at the top"),
	},
	{
		name: "Rust", manifests: []string{"Cargo.toml"},
		version: lazily(`(?m)^\s*edition\s*=\s*"(\d{4})"`), needs: lazily(`(?m)^\s*([\w-]+)(?:\.version)?\s*=\s*(?:"([^"\n]*)"|\{[^}\n]*?version\s*=\s*"([^"\n]*)")`),
		libraries: []string{
			"axum", "axum", "actix-web", "Actix Web", "rocket", "Rocket", "warp", "warp", "tauri", "Tauri", "leptos", "Leptos", "yew", "Yew", "dioxus", "Dioxus", "bevy", "Bevy",
			"tokio", "Tokio", "clap", "clap", "serde", "Serde", "sqlx", "SQLx", "diesel", "Diesel",
		},
		locks:   []string{"Cargo.lock", "Cargo"},
		entries: rules(`src/main\.rs`, "program", `src/lib\.rs`, "library", `src/bin/[^/]+(?:\.rs|/main\.rs)`, "program", `build\.rs`, "build script"),
	},
	{
		name: "Python", manifests: []string{"pyproject.toml", "requirements.txt", "Pipfile", "setup.py", "setup.cfg"},
		version: lazily(`(?m)^\s*(?:requires-python|python|python_version)\s*=\s*["'][^0-9"'\n]*([0-9][0-9.]*)`),
		needs:   lazily(`(?mi)(?:^|["'])\s*([a-z][\w.-]*)\s*(?:\[[\w, -]*\])?\s*(?:(?:===?|>=|~=|<=?|>)\s*([0-9][\w.]*)|=\s*["'][\^~>=]*([0-9][\w.]*)["']|["']|$|[;#])`),
		libraries: []string{
			"django", "Django", "flask", "Flask", "fastapi", "FastAPI", "starlette", "Starlette", "aiohttp", "aiohttp", "streamlit", "Streamlit", "gradio", "Gradio", "pygame", "Pygame",
			"typer", "Typer", "click", "Click", "scrapy", "Scrapy", "torch", "PyTorch", "tensorflow", "TensorFlow", "pandas", "pandas", "numpy", "NumPy", "sqlalchemy", "SQLAlchemy", "pytest", "pytest",
		},
		locks: []string{"requirements.txt", "pip", "uv.lock", "uv", "poetry.lock", "Poetry", "pdm.lock", "PDM", "Pipfile.lock", "Pipenv"},
		entries: rules(
			`manage\.py`, "Django's commands",
			`(?:src/)?(?:[^/]+/)?(?:main|app|run|server|cli|wsgi|asgi|streamlit_app)\.py`, "start",
			`(?:src/)?[^/]+/__main__\.py`, "program",
			`(?:[^/]+/)*settings\.py`, "settings",
			`(?:src/)?[^/]+/urls\.py`, "routes",
			`(?:src/)?[^/]+/__init__\.py`, "package",
		),
	},
	{name: "PHP (Composer)", manifests: []string{"composer.json"}}, {name: "Ruby (Bundler)", manifests: []string{"Gemfile"}}, {name: "Elixir (Mix)", manifests: []string{"mix.exs"}},
	{name: "Java (Maven)", manifests: []string{"pom.xml"}}, {name: "Java (Gradle)", manifests: []string{"build.gradle"}}, {name: "Kotlin (Gradle)", manifests: []string{"build.gradle.kts"}},
	{name: "Swift (SwiftPM)", manifests: []string{"Package.swift"}}, {name: "Dart (pub)", manifests: []string{"pubspec.yaml"}}, {name: "Deno", manifests: []string{"deno.json", "deno.jsonc"}},
	{name: "C/C++ (CMake)", manifests: []string{"CMakeLists.txt"}}, {name: "Hugo site", manifests: []string{"hugo.toml", "hugo.yaml"}}, {name: "Jekyll site", manifests: []string{"_config.yml"}},
	{name: "MkDocs site", manifests: []string{"mkdocs.yml"}}, {name: "mdBook book", manifests: []string{"book.toml"}}, {name: "Quarto project", manifests: []string{"_quarto.yml"}},
}

// ecosystemOf returns the ecosystem in which a file is a manifest, nil if it is none.
func ecosystemOf(file string) *ecosystem {
	base := path.Base(file)
	i := slices.IndexFunc(ecosystems, func(e ecosystem) bool { return slices.Contains(e.manifests, base) })
	if i < 0 {
		return nil
	}
	return &ecosystems[i]
}

// part is the folder of a manifest, and what is told of it. Several parts may be in one
// deed, and in one folder.
type part struct {
	dir     string // "web/", "" is the deed's top
	made    string // "Next.js 16.2.0 (App Router), React 19.2.0"
	manager string // "npm (deed/package-lock.json)"
	scripts string
	entries []item
}

// item is a file that is told, and what it is.
type item struct{ path, what string }

// maxLibraries is how many libraries of a part are told.
const maxLibraries = 6

// part describes the part in dir.
func (t *listing) part(e *ecosystem, dir string) part {
	p := part{dir: dir, made: e.name}
	if e.entries == nil {
		p.entries = t.entries(dir, plainEntries)
		return p
	}
	var made, scripts []string
	needs := map[string]string{} // package to version
	declared := ""               // the package manager
	for _, name := range e.manifests {
		text := t.text[dir+name]
		if name == "package.json" {
			var raw struct {
				Main, PackageManager                                     string
				Scripts, Dependencies, DevDependencies, PeerDependencies map[string]string
			}
			json.Unmarshal([]byte(text), &raw) // what is of another type is as if it were not there
			for _, more := range []map[string]string{raw.PeerDependencies, raw.DevDependencies, raw.Dependencies} {
				maps.Copy(needs, more)
			}
			scripts = slices.DeleteFunc(strings.Fields("dev start build test lint typecheck"), func(s string) bool { return raw.Scripts[s] == "" })
			declared = raw.PackageManager
			if file := path.Join(dir, raw.Main); raw.Main != "" && slices.Contains(t.files, file) {
				p.entries = []item{{file, "main"}}
			}
			continue
		}
		if v := e.version().FindStringSubmatch(text); v != nil && p.made == e.name {
			p.made += version(v[1])
		}
		for _, need := range e.needs().FindAllStringSubmatch(text, -1) {
			if pkg, v := strings.ToLower(need[1]), strings.Join(need[2:], ""); needs[pkg] == "" {
				needs[pkg] = v
			}
		}
	}
	for l := range slices.Chunk(e.libraries, 2) {
		v, ok := needs[l[0]]
		if ok && len(made) < maxLibraries {
			made = append(made, l[1]+version(v))
		}
		if ok && l[0] == "next" {
			made[0] += t.routers(dir)
		}
	}
	if e.version != nil || made == nil { // a library of Node.js says that it is
		made = slices.Insert(made, 0, p.made)
	}
	p.made, p.scripts = strings.Join(made, ", "), strings.Join(scripts, ", ")
	p.manager = t.manager(e, dir, declared)
	p.entries = once(append(p.entries, t.entries(dir, e.entries)...))
	return p
}

// routers says which of its two routers a Next.js deed uses.
func (t *listing) routers(dir string) string {
	var found []string
	for _, r := range [][2]string{{"app/", "App Router"}, {"pages/", "Pages Router"}} {
		if slices.ContainsFunc(t.files, func(f string) bool { return strings.HasPrefix(f, dir+r[0]) || strings.HasPrefix(f, dir+"src/"+r[0]) }) {
			found = append(found, r[1])
		}
	}
	if found == nil {
		return ""
	}
	return " (" + strings.Join(found, " and ") + ")"
}

// manager names a part's package manager: by its lockfile, in dir or in a folder above,
// or by what its manifest declares, such as "pnpm@9.1.0".
func (t *listing) manager(e *ecosystem, dir, declared string) string {
	for at := dir; ; at, _ = path.Split(strings.TrimSuffix(at, "/")) {
		for lock := range slices.Chunk(e.locks, 2) {
			if file := at + lock[0]; slices.Contains(t.files, file) {
				if name, ok := quote(file); ok {
					return lock[1] + " (" + name + ")"
				}
			}
		}
		if at == "" {
			break
		}
	}
	name, _, _ := strings.Cut(declared, "@")
	if !slices.Contains(e.locks, name) {
		name = e.locks[1]
	}
	return name + " (no lockfile)"
}

// entries lists the files of a part that are entry points, in the order of the rules.
func (t *listing) entries(dir string, all []rule) (found []item) {
	for _, r := range all {
		for _, f := range t.files {
			if rel, ok := strings.CutPrefix(f, dir); ok && r.match().MatchString(rel) && !strings.HasSuffix(rel, "_test.go") && !strings.Contains(rel, "pages/api/") {
				found = append(found, item{f, r.what})
			}
		}
	}
	return once(found)
}

var plainVersion = lazily(`^[\^~>=<v! ]*([0-9][0-9A-Za-z.+-]{0,23})(?:[ ,].*)?$`)

// version returns the version that a requirement names, with a blank in front, or "".
func version(requirement string) string {
	m := plainVersion().FindStringSubmatch(strings.TrimSpace(requirement))
	if m == nil {
		return ""
	}
	return " " + strings.TrimRight(m[1], ".-+")
}

// once keeps the first item of each path.
func once(items []item) []item {
	seen := map[string]bool{}
	return slices.DeleteFunc(items, func(i item) bool {
		was := seen[i.path]
		seen[i.path] = true
		return was
	})
}
