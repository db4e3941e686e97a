package codebase

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// packageJSON is what is read of one. Fields of other types than these are as if they
// were not there.
type packageJSON struct {
	main, manager string
	deps          map[string]string
	scripts       []string
	bins          []string
	workspaces    bool
}

func readPackage(text string) (p packageJSON) {
	var raw map[string]json.RawMessage
	json.Unmarshal([]byte(text), &raw) // a file that is being written, or none
	json.Unmarshal(raw["main"], &p.main)
	json.Unmarshal(raw["packageManager"], &p.manager)
	p.deps = map[string]string{}
	for _, field := range []string{"peerDependencies", "devDependencies", "dependencies"} {
		for name, v := range readStrings(raw[field]) {
			p.deps[name] = v
		}
	}
	for name := range readStrings(raw["scripts"]) {
		p.scripts = append(p.scripts, name)
	}
	var one string
	if json.Unmarshal(raw["bin"], &one) == nil && one != "" {
		p.bins = []string{one}
	}
	for _, file := range readStrings(raw["bin"]) {
		p.bins = append(p.bins, file)
	}
	slices.Sort(p.bins)
	p.workspaces = len(raw["workspaces"]) > 0
	return p
}

// readStrings returns the strings of an object.
func readStrings(raw json.RawMessage) map[string]string {
	var all map[string]json.RawMessage
	json.Unmarshal(raw, &all)
	out := map[string]string{}
	for k, v := range all {
		var s string
		if json.Unmarshal(v, &s) == nil {
			out[k] = s
		}
	}
	return out
}

// workspace reports whether the package in dir holds others.
func (t *listing) workspace(dir string) bool {
	return t.has[path.Join(dir, "pnpm-workspace.yaml")] || t.has[path.Join(dir, "lerna.json")] || readPackage(t.text[path.Join(dir, "package.json")]).workspaces
}

// library is a package by which a deed is known, and what it is called.
type library struct{ pkg, name string }

// Of frameworks the first is told; of the others each.
var (
	nodeFrameworks = []library{
		{"next", "Next.js"}, {"nuxt", "Nuxt"}, {"@remix-run/react", "Remix"}, {"@react-router/dev", "React Router"}, {"@sveltejs/kit", "SvelteKit"}, {"astro", "Astro"}, {"gatsby", "Gatsby"},
		{"@angular/core", "Angular"}, {"@11ty/eleventy", "Eleventy"}, {"vitepress", "VitePress"}, {"@docusaurus/core", "Docusaurus"}, {"expo", "Expo"}, {"electron", "Electron"},
		{"react-scripts", "Create React App"}, {"vite", "Vite"}, {"@nestjs/core", "NestJS"}, {"express", "Express"}, {"fastify", "Fastify"}, {"koa", "Koa"}, {"hono", "Hono"}, {"parcel", "Parcel"}, {"webpack", "webpack"},
	}
	nodeLibraries = []library{
		{"react", "React"}, {"vue", "Vue"}, {"svelte", "Svelte"}, {"solid-js", "Solid"}, {"preact", "Preact"}, {"three", "three.js"}, {"phaser", "Phaser"}, {"tailwindcss", "Tailwind CSS"},
		{"typescript", "TypeScript"}, {"prisma", "Prisma"}, {"drizzle-orm", "Drizzle"}, {"@sentry/nextjs", "Sentry"}, {"vitest", "Vitest"}, {"jest", "Jest"}, {"@playwright/test", "Playwright"},
	}
)

var nextEntries = rules(
	`(?:src/)?app/(?:\([^/]*\)/)*page\.\w+`, "home page",
	`(?:src/)?app/layout\.\w+`, "root layout",
	`(?:src/)?pages/index\.\w+`, "home page",
	`(?:src/)?pages/_app\.\w+`, "root of all pages",
	`(?:src/)?pages/_document\.\w+`, "document",
	`(?:src/)?(?:middleware|proxy|instrumentation)\.\w+`, "runs before requests",
	`(?:src/)?app/(.+)/page\.\w+`, "page /$1",
	`(?:src/)?pages/((?:[^/]+/)*[^_/][^/]*)\.(?:tsx|jsx|ts|js|mdx?)`, "page /$1",
	`(?:src/)?app/(.+)/layout\.\w+`, "layout of /$1",
)

var nodeEntries = rules(
	`index\.html`, "page",
	`src/(?:main|index)\.(?:tsx|jsx|ts|js|mjs)`, "start",
	`src/(?:App|app)\.(?:tsx|jsx|vue|svelte|ts|js)`, "root component",
	`src/routes/\+page\.\w+|(?:src/|app/)?pages/index\.\w+|app/routes/_index\.\w+|app/app\.vue|app\.vue`, "home page",
	`src/routes/\+layout\.\w+|app/root\.\w+`, "root layout",
	`(?:index|main|server|app|cli)\.(?:js|mjs|cjs|ts)`, "start",
	`(?:src/)?(?:server|cli)(?:/(?:index|main))?\.(?:js|mjs|cjs|ts)`, "start",
	`src/app/app\.(?:component|routes)\.ts`, "root component",
	`((?:[^/]+/)*[^/]+)\.html`, "page",
)

func nodePart(t *listing, dir string) part {
	p := readPackage(t.text[path.Join(dir, "package.json")])
	out := part{dir: dir, scripts: scriptNames(p.scripts)}
	out.manager = t.locked(dir, "pnpm-lock.yaml", "pnpm", "yarn.lock", "yarn", "bun.lock", "bun", "bun.lockb", "bun", "package-lock.json", "npm", "npm-shrinkwrap.json", "npm")
	if out.manager == "" {
		out.manager = declaredManager(p.manager) + " (no lockfile)"
	}
	if !json.Valid([]byte(t.text[path.Join(dir, "package.json")])) {
		out.made = "Node.js; what it is made with can't be read from its package.json"
		out.entries = t.entries(dir, nodeEntries)
		return out
	}
	out.made = t.nodeMade(dir, p.deps)
	if _, next := p.deps["next"]; next {
		out.entries = t.nextPages(dir)
	} else {
		out.entries = once(append(t.declared(dir, p), t.entries(dir, nodeEntries)...))
	}
	return out
}

// nodeMade names what a package is made with: its framework and its libraries.
func (t *listing) nodeMade(dir string, deps map[string]string) string {
	made := []string{"Node.js without a framework"}
	for _, l := range nodeFrameworks {
		if v, ok := deps[l.pkg]; ok {
			made[0] = l.name + version(v)
			if l.pkg == "next" {
				made[0] += t.router(dir)
			}
			break
		}
	}
	if t.workspace(dir) {
		made[0] += ", holds workspaces"
	}
	for _, l := range nodeLibraries {
		if v, ok := deps[l.pkg]; ok {
			made = append(made, l.name+version(v))
		}
	}
	return strings.Join(made, ", ")
}

// routeGroup is a folder that stands in no address.
var routeGroup = regexp.MustCompile(`\([^/()]*\)/?`)

// nextPages are the entry points of a Next.js deed, each page with its address.
func (t *listing) nextPages(dir string) (all []item) {
	for _, i := range t.entries(dir, nextEntries) {
		if strings.HasPrefix(strings.TrimPrefix(relative(i.path, dir), "src/"), "pages/api/") {
			continue
		}
		i.what = routeGroup.ReplaceAllString(i.what, "")
		all = append(all, i)
	}
	return all
}

// declared are the entry points that a package names itself, where they are files of
// the deed.
func (t *listing) declared(dir string, p packageJSON) (all []item) {
	if main := path.Join(dir, p.main); p.main != "" && t.has[main] {
		all = append(all, item{main, "main"})
	}
	for _, b := range p.bins {
		if file := path.Join(dir, b); t.has[file] {
			all = append(all, item{file, "command"})
		}
	}
	return all
}

// router says which of its two routers a Next.js deed uses.
func (t *listing) router(dir string) string {
	app, pages := false, false
	for _, f := range t.files {
		rel := strings.TrimPrefix(relative(f, dir), "src/")
		app = app || strings.HasPrefix(rel, "app/")
		pages = pages || strings.HasPrefix(rel, "pages/")
	}
	switch {
	case app && pages:
		return " (App Router and Pages Router)"
	case app:
		return " (App Router)"
	case pages:
		return " (Pages Router)"
	}
	return ""
}

// declaredManager is the name in a packageManager field such as "pnpm@9.1.0".
func declaredManager(field string) string {
	name, _, _ := strings.Cut(field, "@")
	if slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		return name
	}
	return "npm"
}

var plainScript = regexp.MustCompile(`^[a-z][a-z0-9:_-]{0,19}$`)

// scriptNames lists the scripts that are run most, then others by name.
func scriptNames(all []string) string {
	first := []string{"dev", "start", "build", "test", "lint", "typecheck"}
	rank := func(s string) int {
		if i := slices.Index(first, s); i >= 0 {
			return i
		}
		return len(first)
	}
	all = slices.DeleteFunc(all, func(s string) bool { return !plainScript.MatchString(s) })
	slices.SortFunc(all, func(a, b string) int {
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return strings.Join(all[:min(len(all), 6)], ", ")
}
