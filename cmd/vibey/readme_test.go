package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibey/tools"
)

var (
	verbWord   = regexp.MustCompile("`(?:bin/)?vibey ([a-z]+)")
	flagWord   = regexp.MustCompile(`(?:^|[^{])--([a-z][a-z-]+)`) // {--words--} are taken out of a text
	envWord    = regexp.MustCompile(`VIBEY_[A-Z]+`)
	recipeWord = regexp.MustCompile(`rust-just ([a-z][a-z ]*)`)
	toolWord   = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+|checkpoint)`")
	linkTarget = regexp.MustCompile(`\]\(([^)#]+)\)`)
)

func topFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// matches are the first groups of all matches, each once.
func matches(re *regexp.Regexp, text string) (out []string) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		if w := m[len(m)-1]; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// What README names is there, and it names every verb and every tool.
func TestReadmeNamesWhatIsThere(t *testing.T) {
	readme, just := topFile(t, "README.md"), topFile(t, "justfile")
	var verbs, flags, envs []string
	for g, i := grammar(), 0; i < len(g.Verbs); i++ {
		verbs = append(verbs, g.Verbs[i].Name)
		for _, f := range g.Fields(&g.Verbs[i]) {
			flags, envs = append(flags, f.Name), append(envs, f.Env)
		}
	}
	for _, v := range matches(verbWord, readme) {
		if !slices.Contains(verbs, v) {
			t.Errorf("there is no `vibey %s`", v)
		}
	}
	for _, v := range verbs {
		if !slices.Contains(matches(verbWord, readme), v) {
			t.Errorf("`vibey %s` is not told", v)
		}
	}
	for _, f := range matches(flagWord, readme) {
		if !slices.Contains(flags, f) {
			t.Errorf("no verb has --%s", f)
		}
	}
	for _, e := range matches(envWord, readme) {
		if !slices.Contains(envs, e) {
			t.Errorf("nobody reads %s", e)
		}
	}
	for _, rs := range matches(recipeWord, readme) {
		for _, r := range strings.Fields(rs) {
			if !regexp.MustCompile(`(?m)^` + r + `( [^:=]*)?:`).MatchString(just) {
				t.Errorf("the justfile has no recipe %s", r)
			}
		}
	}
	var names []string
	for _, s := range tools.NewSet(tools.AllSets()...).Specs() {
		names = append(names, s.Name)
	}
	told := matches(toolWord, readme)
	slices.Sort(told)
	slices.Sort(names)
	if !slices.Equal(told, names) {
		t.Errorf("README tells of the tools %q, there are %q", told, names)
	}
	for _, to := range matches(linkTarget, readme) {
		if _, err := os.Stat(filepath.Join("..", "..", to)); err != nil && !strings.HasPrefix(to, "https://") {
			t.Error(err)
		}
	}
}

// The two commands that a fresh clone is promised to work with.
func TestReadmeCommands(t *testing.T) {
	readme, ci := topFile(t, "README.md"), topFile(t, ".ci/run")
	for _, c := range []string{"npx -y rust-just run", "npx -y rust-just test"} {
		if !strings.Contains(readme, c) {
			t.Errorf("README does not tell %q", c)
		}
	}
	if !strings.Contains(ci, "just gotests") || !strings.Contains(ci, "just window") || !strings.Contains(ci, "just lint") {
		t.Error(".ci/run does not run what README promises")
	}
}

// The pictures that README shows are small, and there are no others.
func TestReadmePictures(t *testing.T) {
	files, err := filepath.Glob("../../.github/pictures/*")
	if err != nil || len(files) != 4 {
		t.Errorf("%v, %v", files, err)
	}
	readme := topFile(t, "README.md")
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Size() > 120<<10 {
			t.Errorf("%s: %v, or over 120 KB", f, err)
		}
		if !strings.Contains(readme, "](.github/pictures/"+filepath.Base(f)+")") {
			t.Errorf("README does not show %s", f)
		}
	}
}
