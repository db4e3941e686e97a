package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// paths are what stood before (names with a "/" at their end are folders), what a command
// adds or, with "-", removes, and what is refused of that.
var paths = []struct{ name, before, touched, refused string }{
	{"hooks of a new repository", "", ".git/ .git/HEAD .git/hooks/ .git/hooks/pre-commit .git/hooks/a/ .git/hooks/a/b .git/hooks/update.sample", ".git/hooks/a .git/hooks/a/b .git/hooks/pre-commit .git/hooks/update.sample"},
	{"spellings", "", ".GIT/ .GIT/Hooks/x git~1/ git~1/config/ git~1/hooks./x .git.\u200c/ .git.\u200c/hoo\u212as/x .git/hook\u017f/x .gitx/hooks/x", ".GIT/Hooks/x .git.\u200c/hoo\u212as/x .git/hook\u017f/x git~1/hooks./x"},
	{"a bare one, deep below", "", "a/b/HEAD a/b/objects/ a/b/refs/ a/b/hooks/x a/b/config", "a/b/hooks/x"},
	{"one half before, one half now", "a/HEAD a/refs/", "a/objects/ a/hooks/x a/config", "a/hooks/x"},
	{"a folder with a hook becomes one", "a/hooks/update a/refs/ a/objects/", "a/HEAD", "a/HEAD"},
	{"a folder with objects to come becomes one", "a/HEAD a/refs/ a/info/attributes", "a/objects/ a/objects/x", "a/objects a/objects/x"},
	{"no repository", "", "a/hooks/x a/config a/refs/ a/HEAD b/objects/ b/refs/", ""},
	{"what a human's holds", "x.git/HEAD x.git/objects/ x.git/refs/ x.git/config x.git/hooks/post-update x.git/info/attributes", "-x.git/config -x.git/hooks/post-update -x.git/info/attributes -x.git/HEAD -x.git/objects x.git/refs/heads/a", "x.git/HEAD x.git/config x.git/hooks/post-update x.git/info/attributes x.git/objects"},
	{"a human's that goes", ".git/HEAD .git/config .git/hooks/x", "-.git -.git/HEAD -.git/config -.git/hooks -.git/hooks/x", ""},
	{"a human's that becomes a file", ".git/HEAD .git/config", "-.git/HEAD -.git/config .git", ""},
	{"an empty one is none", ".git/", ".git/HEAD .git/config .git/hooks/a.sample", ".git/hooks/a.sample"},
	{"info", ".git/HEAD", ".git/info/exclude .git/info/attributes .git/info/sparse-checkout", ".git/info/attributes"},
	{"files in the place of folders", ".git/HEAD", ".git/hooks .git/info .git/objects", ".git/hooks .git/info"},
	{"modules and worktrees", ".git/HEAD .git/config .git/modules/a/HEAD .git/modules/a/objects/ .git/modules/a/refs/ .git/modules/a/config .git/worktrees/w/HEAD .git/worktrees/w/commondir",
		".git/modules/a/config .git/modules/a/hooks/x .git/worktrees/w/config.worktree .git/worktrees/w/hooks/x .git/worktrees/w/commondir .git/worktrees/w/gitdir .git/worktrees/w/index .git/modules/b/HEAD .git/modules/b/objects/ .git/modules/b/refs/ .git/modules/b/config .git/modules/b/hooks/x",
		".git/modules/a/config .git/modules/a/hooks/x .git/modules/b/hooks/x .git/worktrees/w/commondir .git/worktrees/w/config.worktree .git/worktrees/w/hooks/x"},
}

// TestPaths: each file holds its own name.
func TestPaths(t *testing.T) {
	for _, c := range paths {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			up := g.dir + "/up"
			g.fill(g.deed, c.before)
			g.run("cp", "-a", g.deed, up)
			g.fill(up, c.touched)
			before, after := g.root(g.deed), g.root(up)
			defer before.Close()
			defer after.Close()
			var touched []Touched
			for _, name := range strings.Fields(c.touched) {
				name, gone := strings.CutPrefix(strings.TrimSuffix(name, "/"), "-")
				touched = append(touched, Touched{name, gone})
			}
			var refused []string
			for name, v := range Judge(touched, Views{Before: before, After: after, Dir: g.deed}) {
				if v.Refused {
					refused = append(refused, name)
				}
			}
			if slices.Sort(refused); strings.Join(refused, " ") != c.refused {
				t.Errorf("refused %q, want %q", refused, c.refused)
			}
		})
	}
}

func (g ground) fill(dir, names string) {
	for _, name := range strings.Fields(names) {
		at := filepath.Join(dir, strings.TrimPrefix(name, "-"))
		switch {
		case name[0] == '-':
			os.RemoveAll(at)
		case strings.HasSuffix(name, "/"):
			os.MkdirAll(at, 0o755)
		default:
			os.MkdirAll(filepath.Dir(at), 0o755)
			os.RemoveAll(at)
			if err := os.WriteFile(at, []byte("# "+name+"\n"), 0o755); err != nil {
				g.t.Fatal(err)
			}
		}
	}
}

// TestInSteps: what one command may leave, the next must not make whole.
func TestInSteps(t *testing.T) {
	for name, c := range map[string]struct{ before, first, second, human string }{
		"HEAD comes last":          {"", "mkdir -p x/objects x/refs x/hooks; git config -f x/config alias.st '!{ran}'", "echo 'ref: refs/heads/main' > x/HEAD", "cd x && git st"},
		"HEAD goes and comes back": {"git init -q x; git -C x config alias.st '!{ran}'; git -C x config user.name human", "rm x/.git/HEAD", "echo 'ref: refs/heads/main' > x/.git/HEAD; git -C x config user.name agent", "cd x && test \"$(git config user.name)\" = human || {ran}"},
		"a config of two names":    {"", "git init -q x; ln x/.git/config x/c", "git config -f x/c core.fsmonitor {ran}", "cd x && git status"},
		"made, then armed":         {"", "git init -q x", "git -C x config user.name agent; git -C x config alias.st '!{ran}'", "cd x && git st"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			g.sh(c.before)
			g.command(c.first)
			g.command(c.second)
			if said := g.sh(c.human); g.ran() {
				t.Errorf("it ran: %s", said)
			}
		})
	}
}
