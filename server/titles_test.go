package server

import (
	_ "embed"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/markdown"
	"vibey/server/project"
)

// humanTitles are what people call their pages, one a line; in quotation marks where a
// reader would not see what is there.
//
//go:embed testdata/titles.txt
var humanTitles string

func readTitles(t *testing.T) (all []string) {
	for line := range strings.Lines(humanTitles) {
		title := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(title, `"`) {
			var err error
			if title, err = strconv.Unquote(title); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		all = append(all, title)
	}
	if len(all) < 300 {
		t.Fatalf("%d titles", len(all))
	}
	return all
}

// Each title makes a page and a project of its own that the list tells by it. A title is
// data: no page leads out of its folder, opens a section, sets a rule or wants a permission.
func TestTitlesOfPeople(t *testing.T) {
	testenv.Slow(t)
	s := newShop(t)
	around := filepath.Dir(s.root)
	before, err := os.ReadDir(around)
	if err != nil {
		t.Fatal(err)
	}
	pages, projects := map[string]string{"doc-main.md": "p"}, map[string]string{"p": "p"}
	for i, title := range readTitles(t) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		want := strings.TrimSpace(title)
		page := decode[project.Titled](t, s.json("POST", "/project/p/file", object("title", title), 201))
		made := decode[project.Titled](t, s.json("POST", "/projects", object("title", title), 201))
		if page.Title != want || made.Title != want {
			t.Errorf("%q: answered %+v, %+v", title, page, made)
		}
		for name, in := range map[string]map[string]string{page.Name: pages, made.Name: projects} {
			for other := range in {
				if strings.EqualFold(name, other) {
					t.Errorf("%q: %s is there as %s", title, name, other)
				}
			}
			in[name] = want
		}
		if !dialog.ValidFile(page.Name) || !strings.HasPrefix(page.Name, "doc-") || !project.ValidProject(made.Name) {
			t.Errorf("%q: %s, %s", title, page.Name, made.Name)
		}
		for _, file := range []string{"p/" + page.Name, made.Name + "/doc-main.md"} {
			text := s.text(file)
			if d := dialog.Parse(text); len(d.Sections) > 0 {
				t.Errorf("%q: %s has sections: %q", title, file, text)
			}
			if rules, problems := grant.ParseRules(text, grant.Known{}); len(rules.At) > 0 || len(problems) > 0 {
				t.Errorf("%q: %s has rules: %+v %v", title, file, rules, problems)
			}
			if w, ok := grant.FindWish(text); ok {
				t.Errorf("%q: %s has a wish: %+v", title, file, w)
			}
		}
	}
	for path, want := range map[string]map[string]string{"/project/p/files?titles=1": pages, "/projects?titles=1": projects} {
		got := map[string]string{}
		for _, one := range get[[]project.Titled](s, path) {
			got[one.Name] = one.Title
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %d of %d", path, len(got), len(want))
			for name, title := range want {
				if got[name] != title {
					t.Errorf("%s is listed as %q, not %q", name, got[name], title)
				}
			}
		}
	}
	if after, err := os.ReadDir(around); err != nil || len(after) != len(before) {
		t.Errorf("beside the projects: %v, %v", after, err)
	}
}

// What is said with marks comes back as it was said.
func TestTitleOfMarks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"*", "_", "`", "~", "[", "]", "(", ")", "<", ">", "&", ";", "#", "\\", "!", "|", "a", "1", "ä", " ", "https://x.org", "amp", "-", ".", "="}
	for range 50_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		title, problem := dialog.CheckTitle(b.String())
		if problem != "" || title == "" {
			continue
		}
		heading := dialog.DocTitle("# " + dialog.EscapeTitle(title) + "\n\n")
		if got := dialog.LineOf(markdown.Plain("# "+heading), dialog.TitleMax); got != title {
			t.Fatalf("%q is read as %q", title, got)
		}
	}
}

// What can't be a title is refused before anything is made, in words.
func TestTitleThatCannotBe(t *testing.T) {
	s := newShop(t)
	before := treeHash(t, s.root)
	for title, want := range map[string]string{
		"": "empty", "  ": "empty", "\u200b": "empty", "two\nlines": "U+000A", "a\rb": "U+000D", "a\tb": "U+0009", "nul\x00": "U+0000", "\x1b[2J": "U+001B", "a\u2028b": "U+2028", "a\u0085b": "U+0085", "\u202egpj": "U+202E",
		strings.Repeat("ж", 201): "201 characters",
	} {
		for _, path := range []string{"/project/p/file", "/projects"} {
			if got := s.json("POST", path, object("title", title), 400); !strings.Contains(got, want) || !strings.Contains(got, "Nothing was done") {
				t.Errorf("%s %q: %s", path, title, got)
			}
		}
	}
	for path, bodies := range map[string][]string{
		"/projects":       {`{"name":"q","title":"Q"}`, `{}`, `{"title":7}`, `{"title":null}`},
		"/project/p/file": {`{"name":"doc-q.md","title":"Q"}`, `{}`, `{"title":7}`, `{"title":"Q","content":"x"}`},
	} {
		for _, body := range bodies {
			s.json("POST", path, body, 400)
		}
	}
	s.json("POST", "/projects", `{"title":"Q","deed":"relative"}`, 400)
	s.json("POST", "/project/none/file", `{"title":"Q"}`, 404)
	for _, path := range []string{"/projects?titles=yes", "/projects?needs=1&titles=2", "/project/p/files?titles=true"} {
		s.json("GET", path, "", 400)
	}
	if treeHash(t, s.root) != before {
		t.Error("a refused title changed a file")
	}
}

// Who makes pages of one title at the same moment gets one each.
func TestMakersOfOneTitle(t *testing.T) {
	s := newShop(t)
	const makers = 8
	var names [2 * makers]string
	var all sync.WaitGroup
	for i := range names {
		path := []string{"/project/p/file", "/projects"}[i%2]
		all.Go(func() {
			res, body := s.do(s.request("POST", path, strings.NewReader(`{"title":"Die Lampe"}`), "Content-Type", "application/json"))
			if res.StatusCode == http.StatusCreated {
				names[i] = decode[project.Titled](t, body).Name
			}
		})
	}
	all.Wait()
	slices.Sort(names[:])
	if got := strings.Join(names[:], " "); got != "die-lampe die-lampe-2 die-lampe-3 die-lampe-4 die-lampe-5 die-lampe-6 die-lampe-7 die-lampe-8 "+
		"doc-die-lampe-2.md doc-die-lampe-3.md doc-die-lampe-4.md doc-die-lampe-5.md doc-die-lampe-6.md doc-die-lampe-7.md doc-die-lampe-8.md doc-die-lampe.md" {
		t.Errorf("made: %s", got)
	}
}

// A title is that of the text as it is now, and who asks for none gets the names alone.
func TestTitlesFollowTheText(t *testing.T) {
	s := newShop(t)
	list := func() string {
		var all []string
		for _, f := range get[[]project.Titled](s, "/project/p/files?titles=1") {
			all = append(all, f.Name+"="+f.Title)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	s.write("p/doc-a.md", "# One\n")
	s.write("p/dialog-20260216-201100-x-done.md", "# Dialog\n> Title: T\n")
	const rest = " doc-main.md=p"
	for _, c := range [][2]string{{"# Two\n", "Two"}, {"# The *lamp* &amp; [more](x)", "The lamp & more"}, {"words", "doc-a.md"}, {"# Six\n", "Six"}, {"\xff\xfe#\x00 \x00", "doc-a.md"}, {"# \x1b[2J\u202ex", "[2Jx"}} {
		s.write("p/doc-a.md", c[0])
		if got := list(); got != "dialog-20260216-201100-x-done.md=dialog-20260216-201100-x-done.md doc-a.md="+c[1]+rest {
			t.Errorf("%q: %s", c[0], got)
		}
	}
	if got := strings.TrimSpace(s.json("GET", "/projects", "", 200)); got != `["p"]` {
		t.Errorf("projects: %s", got)
	}
	s.write("p/doc-main.md", "# Der Leuchtturm am Meer\n")
	if got := strings.TrimSpace(s.json("GET", "/projects?titles=1", "", 200)); got != `[{"name":"p","title":"Der Leuchtturm am Meer"}]` {
		t.Errorf("with titles: %s", got)
	}
	for path, has := range map[string]bool{"/projects?needs=1": false, "/projects?needs=1&titles=1": true} {
		if got := s.json("GET", path, "", 200); strings.Contains(got, "Leuchtturm") != has {
			t.Errorf("%s: %s", path, got)
		}
	}
	live := s.live("n/projects")
	live.projects("n", `{"type":"projects","projects":[{"name":"p","waiting":0,"active":0,"title":"Der Leuchtturm am Meer"}]}`)
	s.write("p/doc-main.md", "# 灯台\n")
	live.projects("n", `{"type":"projects","projects":[{"name":"p","waiting":0,"active":0,"title":"灯台"}]}`)
}
