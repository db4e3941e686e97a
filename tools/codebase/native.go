package codebase

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Go, Rust and Python are known by lines of their manifests; these are read line by
// line, since no more than names and versions is wanted of them.

var (
	goVersion   = regexp.MustCompile(`(?m)^go[ \t]+(\d[\w.]{0,15})`)
	goRequire   = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([\w./~-]+)[ \t]+(v\d[\w.+-]{0,40})`)
	goLibraries = []library{
		{"github.com/gin-gonic/gin", "Gin"}, {"github.com/labstack/echo/v4", "Echo"}, {"github.com/gofiber/fiber/v2", "Fiber"}, {"github.com/gofiber/fiber/v3", "Fiber"},
		{"github.com/go-chi/chi/v5", "chi"}, {"github.com/gorilla/mux", "gorilla/mux"}, {"github.com/a-h/templ", "templ"}, {"github.com/spf13/cobra", "Cobra"},
		{"github.com/alecthomas/kong", "Kong"}, {"github.com/charmbracelet/bubbletea", "Bubble Tea"}, {"github.com/hajimehoshi/ebiten/v2", "Ebitengine"},
		{"google.golang.org/grpc", "gRPC"}, {"gorm.io/gorm", "GORM"}, {"entgo.io/ent", "ent"},
	}
	goTop     = rules(`[^/]+\.go`, "package at the top")
	goEntries = rules(
		`main\.go`, "program",
		`cmd/([^/]+)/main\.go`, "program $1",
		`cmd/main\.go`, "program",
		`((?:[^/]+/)+)main\.go`, "program in $1",
		`doc\.go`, "what the package is",
	)
)

func goPart(t *listing, dir string) part {
	text := t.text[path.Join(dir, "go.mod")]
	made := []string{"Go"}
	if m := goVersion.FindStringSubmatch(text); m != nil {
		made[0] += " " + m[1]
	}
	required := map[string]string{}
	for _, m := range goRequire.FindAllStringSubmatch(text, -1) {
		required[m[1]] = m[2]
	}
	for _, l := range goLibraries {
		if v, ok := required[l.pkg]; ok {
			made = append(made, l.name+version(v))
		}
	}
	if len(made) == 1 {
		made[0] += ", standard library or small modules"
	}
	p := part{dir: dir, made: strings.Join(made, ", "), manager: t.locked(dir, "go.sum", "Go modules"), entries: t.entries(dir, goEntries)}
	if p.manager == "" {
		p.manager = "Go modules (no go.sum)"
	}
	if len(p.entries) == 0 {
		p.entries = slices.DeleteFunc(t.entries(dir, goTop), func(i item) bool { return strings.HasSuffix(i.path, "_test.go") })
	}
	return p
}

var (
	rustEdition   = regexp.MustCompile(`(?m)^\s*edition\s*=\s*"(\d{4})"`)
	rustNeeds     = regexp.MustCompile(`(?m)^\s*([\w-]+)(?:\.version)?\s*=\s*(?:"([^"\n]*)"|\{[^}\n]*?version\s*=\s*"([^"\n]*)")`)
	rustLibraries = []library{
		{"axum", "axum"}, {"actix-web", "Actix Web"}, {"rocket", "Rocket"}, {"warp", "warp"}, {"tauri", "Tauri"}, {"leptos", "Leptos"}, {"yew", "Yew"}, {"dioxus", "Dioxus"}, {"bevy", "Bevy"},
		{"tokio", "Tokio"}, {"clap", "clap"}, {"serde", "Serde"}, {"sqlx", "SQLx"}, {"diesel", "Diesel"},
	}
	rustEntries = rules(
		`src/main\.rs`, "program",
		`src/lib\.rs`, "library",
		`src/bin/([^/]+)(?:\.rs|/main\.rs)`, "program $1",
		`build\.rs`, "build script",
	)
)

func rustPart(t *listing, dir string) part {
	text := t.text[path.Join(dir, "Cargo.toml")]
	made := []string{"Rust"}
	if m := rustEdition.FindStringSubmatch(text); m != nil {
		made[0] += " (edition " + m[1] + ")"
	}
	if strings.Contains(text, "[workspace]") {
		made[0] += ", holds a workspace"
	}
	needs := map[string]string{}
	for _, m := range rustNeeds.FindAllStringSubmatch(text, -1) {
		needs[m[1]] = m[2] + m[3]
	}
	for _, l := range rustLibraries {
		if v, ok := needs[l.pkg]; ok {
			made = append(made, l.name+version(v))
		}
	}
	p := part{dir: dir, made: strings.Join(made, ", "), manager: t.locked(dir, "Cargo.lock", "Cargo"), entries: t.entries(dir, rustEntries)}
	if p.manager == "" {
		p.manager = "Cargo (no Cargo.lock)"
	}
	return p
}

var (
	pythonNeeds     = regexp.MustCompile(`(?mi)(?:^|["'])\s*([a-z][\w.-]*)\s*(?:\[[\w, -]*\])?\s*(?:(?:===?|>=|~=|<=?|>)\s*([0-9][\w.]*)|=\s*["'][\^~>=]*([0-9][\w.]*)["']|["']|$|[;#])`)
	pythonVersion   = regexp.MustCompile(`(?m)^\s*(?:requires-python|python|python_version)\s*=\s*["'][^0-9"'\n]*([0-9][0-9.]*)`)
	pythonLibraries = []library{
		{"django", "Django"}, {"flask", "Flask"}, {"fastapi", "FastAPI"}, {"starlette", "Starlette"}, {"aiohttp", "aiohttp"}, {"streamlit", "Streamlit"}, {"gradio", "Gradio"}, {"pygame", "Pygame"},
		{"typer", "Typer"}, {"click", "Click"}, {"scrapy", "Scrapy"}, {"torch", "PyTorch"}, {"tensorflow", "TensorFlow"}, {"pandas", "pandas"}, {"numpy", "NumPy"}, {"sqlalchemy", "SQLAlchemy"}, {"pytest", "pytest"},
	}
	pythonEntries = rules(
		`manage\.py`, "Django's commands",
		`(?:src/|app/)?(?:main|app|run|server|cli|wsgi|asgi|streamlit_app)\.py`, "start",
		`(?:src/)?([^/]+)/__main__\.py`, "program $1",
		`(?:src/)?([^/]+)/(?:main|app|cli)\.py`, "start of $1",
		`(?:[^/]+/)*settings\.py`, "settings",
		`(?:src/)?[^/]+/urls\.py`, "routes",
		`(?:src/)?([^/]+)/__init__\.py`, "package $1",
	)
)

func pythonPart(t *listing, dir string) part {
	made := []string{"Python"}
	needs := map[string]string{}
	for _, name := range []string{"setup.cfg", "setup.py", "Pipfile", "requirements.txt", "pyproject.toml"} {
		text := t.text[path.Join(dir, name)]
		for _, m := range pythonNeeds.FindAllStringSubmatch(text, -1) {
			if pkg, v := strings.ToLower(m[1]), m[2]+m[3]; v != "" || needs[pkg] == "" {
				needs[pkg] = v
			}
		}
		if m := pythonVersion.FindStringSubmatch(text); m != nil {
			made[0] = "Python" + version(m[1])
		}
	}
	for _, l := range pythonLibraries {
		if v, ok := needs[l.pkg]; ok {
			made = append(made, l.name+version(v))
		}
	}
	p := part{dir: dir, made: strings.Join(made, ", "), entries: t.entries(dir, pythonEntries)}
	p.manager = t.locked(dir, "uv.lock", "uv", "poetry.lock", "Poetry", "pdm.lock", "PDM", "Pipfile.lock", "Pipenv", "requirements.txt", "pip")
	if p.manager == "" {
		p.manager = "pip (no lockfile)"
	}
	return p
}
