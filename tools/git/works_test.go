package git

import (
	"strings"
	"testing"
)

// gitWorks are what a command, or one after another, may do without being told of
// anything, and what a human finds then.
var gitWorks = []struct {
	name     string
	commands []string
	human    string
	want     string
}{
	{"init, commit, a remote, a name", []string{
		"git init -q x; cd x; git config user.name agent; git remote add origin https://example.org/a.git; git commit -q --allow-empty -m one",
		"cd x; git config user.email a@b; git remote set-url origin git@example.org:a.git; git checkout -q -b work; git config branch.work.remote origin; git config branch.work.merge refs/heads/work",
	}, "cd x; git config user.name; git remote get-url origin; git log --format=%s; git config branch.work.remote", "agent\ngit@example.org:a.git\none\norigin\n"},
	{"a worktree", []string{
		"git init -q x; cd x; git commit -q --allow-empty -m one; git worktree add -q ../y",
		"cd y; echo a > a; git add a; git commit -qm two",
		"cd x; git worktree remove ../y; git worktree add -q ../z y",
	}, "cd z; git log --format=%s", "two\none\n"},
	{"a bare repository and a clone", []string{
		"git init -q --bare r; git clone -q r x 2>/dev/null; cd x; git remote remove origin; git commit -q --allow-empty -m one",
	}, "cd r; git rev-parse --is-bare-repository; cd ../x; git log --format=%s", "true\none\n"},
	{"a sparse checkout", []string{
		"git init -q x; cd x; mkdir a b; touch a/f b/f; git add .; git commit -qm one; git sparse-checkout set a",
	}, "cd x; ls; git status --short", "a\n"},
	{"a worktree of a human's", []string{
		"git -C h worktree add -q ../w", "cd w; git checkout -q --detach; git commit -q --allow-empty -m c",
	}, "cd w; git log --format=%s -1; git status --short; git -C ../h worktree list | wc -l", "c\n2\n"},
	{"a submodule of a human's config", []string{
		"git init -q lib; git -C lib commit -q --allow-empty -m l; cd h2; git -c protocol.file.allow=always submodule --quiet add ../lib lib",
	}, "cd h2; git status --short; git submodule --quiet init 2>/dev/null; cat lib/.git; git -C lib log --format=%s", "A  .gitmodules\nA  lib\ngitdir: ../.git/modules/lib\nl\n"},
	{"made and removed", []string{"git init -q x", "rm -rf x; mkdir x; echo mine > x/config"}, "cat x/config", "mine\n"},
	{"a rebase that stands", []string{
		"git init -q x; cd x; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1",
		"cd x; git rebase --continue",
	}, "cd x; git log --format=%s", "b\na\n"},
	{"a rebase and picks with a strategy", []string{
		"git init -q -b main x; cd x; echo 1 > f; git add f; git commit -qm a; git checkout -q -b work; echo 2 > g; git add g; git commit -qm b; echo 3 > f; git commit -qam c; " +
			"git checkout -q main; echo 4 > h; git add h; git commit -qm d; git checkout -q work; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -s resolve -i main",
		"cd x; git rebase --continue; git checkout -q main; git remote add o https://h/x; echo 5 > f; git commit -qam e; git cherry-pick -s --strategy ort work work~1",
		"cd x; echo 6 > f; git add f; git cherry-pick --continue",
	}, "cd x; git log --format=%s main | sort | tr '\\n' ' '", "a b c d e "},
	{"a rebase of a human's goes on", []string{
		"cd h; git rebase --continue",
	}, "cd h; git log --format=%s; ls steps", "b\na\nsteps\n"},
	{"what a human's config and hooks do", []string{
		"cd h2; git commit -q --allow-empty -m more; git config user.name agent; git config remote.o.url https://example.org/x",
		"rm h2/.git/hooks/pre-commit",
		"git -C h2 config alias.y '!echo no'",
	}, "cd h2; git hello; git config alias.y || git config user.name; git commit -q --allow-empty -m x; git log --format=%s", "hello\nhook\nx\nmore\n"},
}

// humans is what a human has made before.
const humansRepositories = `git init -q h; cd h; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b
GIT_SEQUENCE_EDITOR='printf "break\npick $(git rev-parse HEAD)\nexec touch steps\n" >' git rebase -q -i HEAD~1; cd ..
git init -q h2; git -C h2 config alias.hello '!echo hello'; printf '#!/bin/sh\necho hook\n' > h2/.git/hooks/pre-commit; chmod +x h2/.git/hooks/pre-commit`

func TestWorks(t *testing.T) {
	for _, c := range gitWorks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			if strings.Contains(c.name, "human") {
				g.sh(humansRepositories)
			}
			said := ""
			for _, command := range c.commands {
				s, told := g.command(command)
				said += s
				if told != "" && !strings.Contains(c.name, "human's config") {
					t.Errorf("%s: told %q", command, told)
				}
			}
			if got := g.sh(c.human); got != c.want {
				t.Errorf("%q, want %q; %s", got, c.want, said)
			}
		})
	}
}
