package git

import (
	"os/exec"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

// TestGitPrograms: a program that a human's config names is told of once it is not
// what it was, and left alone.
func TestGitPrograms(t *testing.T) {
	for _, c := range []struct{ name, before, command, want string }{
		{"fsmonitor", "echo a > x/m.sh; git -C x config core.fsmonitor ./m.sh", "echo evil > x/m.sh", "x/m.sh (core.fsmonitor)"},
		{"a filter with arguments", "mkdir x/t; echo a > x/t/f; git -C x config filter.f.clean 'python3 t/f %f'", "echo evil > x/t/f", "x/t/f (filter.clean)"},
		{"an alias of the shell", "echo a > x/m.sh; git -C x config alias.t '!sh \"m.sh\"; true'", "echo evil > x/m.sh", "x/m.sh (alias.t)"},
		{"absolute", "echo a > m.sh; git -C x config core.editor {deed}/m.sh", "echo evil > m.sh", "m.sh (core.editor)"},
		{"in a worktree", "git -C x commit -q --allow-empty -m x; git -C x worktree add -q ../y; git -C x config core.pager ./m.sh", "echo evil > y/m.sh", "y/m.sh (core.pager)"},
		{"in an included config", "echo '[core] pager = ./m.sh' > x/i; git -C x config include.path ../i", "echo evil > x/m.sh", "x/m.sh (core.pager)"},
		{"in the human's own settings", "git config --global gpg.program {deed}/m.sh", "echo evil > m.sh", "m.sh (gpg.program)"},
		{"in the human's own settings and no repository there", "rm -r x; git config --global gpg.program {deed}/m.sh", "echo evil > m.sh", "m.sh (gpg.program)"},
		{"what was not there", "git -C x config core.sshCommand ./m.sh", "echo evil > x/m.sh", "x/m.sh (core.sshcommand)"},
		{"a folder on the way", "mkdir x/t; echo a > x/t/f; git -C x config diff.d.textconv t/f", "mkdir e; echo evil > e/f; mv x/t x/u; ln -s ../e x/t", "e/f (diff.textconv) x/t (diff.textconv)"},
		{"a link out", "echo a > x/f; git -C x config diff.d.textconv ./f", "echo evil > {out}/f; ln -sf {out}/f x/f", "x/f (diff.textconv)"},
		{"the same size and time", "echo a > x/m.sh; git -C x config core.fsmonitor ./m.sh", "touch -r x/m.sh {out}/t; echo b > x/m.sh; touch -r {out}/t x/m.sh", "x/m.sh (core.fsmonitor)"},
		{"nothing of it", "echo a > x/m.sh; git -C x config core.fsmonitor ./m.sh", "echo evil > x/n.sh; touch x/m.sh", ""},
		{"written anew as it was", "echo a > x/m.sh; git -C x config core.fsmonitor ./m.sh", "rm x/m.sh; echo a > x/m.sh", ""},
		{"what git does not run", "echo a > x/m; git -C x config core.excludesFile m", "echo evil > x/m", ""},
		{"a config of the command's", "", "echo evil > x/m.sh; git -C x config core.fsmonitor ./m.sh", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			g.sh("git init -q x;" + c.before)
			before := g.stand()
			g.sh(c.command)
			told := g.mend(before, Mending{})
			got := ""
			for line := range strings.Lines(told) {
				if name, by, ok := strings.Cut(line, ": a human's git runs it, as "); ok {
					got = strings.TrimSpace(got + " " + name + " (" + strings.Split(by, ":")[0] + ")")
				}
			}
			if got != c.want || c.want != "" && strings.Count(told, "\n") != strings.Count(c.want, ") ") {
				t.Errorf("told %q, want %q", told, c.want)
			}
			if c.want != "" && !strings.Contains(g.sh("cat x/t/f "+strings.Fields(c.want)[0]), "evil") && c.name != "the same size and time" {
				t.Error("it was undone")
			}
			if told := g.mend(before, Mending{}); told != "" {
				t.Errorf("told a second time: %q", told)
			}
		})
	}
}

// TestDisarmTakesPrograms: no config that a command writes keeps a setting by which
// git runs anything.
func TestDisarmTakesPrograms(t *testing.T) {
	more := "include.path includeif.path core.hookspath core.attributesfile core.worktree core.excludesfile init.templatedir remote.vcs remote.proxy protocol.allow url.insteadof " +
		"url.pushinsteadof http.proxy http.sslcert web.browser diff.tool merge.tool gpg.format gpg.ssh.program receive.denycurrentbranch extensions.partialclone alias.x pager.x " +
		"instaweb.browser gui.x sendemail.x core.notesref safe.directory transfer.credentialsinurl"
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Lacks(t, testenv.Git)
	}
	for name := range programSettings {
		if strings.Contains(name, ".") {
			more += " " + name
		}
	}
	for _, key := range strings.Fields(more) {
		section, name, _ := strings.Cut(key, ".")
		for _, head := range []string{"[" + section + "]", "[" + section + " \"d\"]"} {
			name := name[strings.LastIndexByte(name, '.')+1:]
			if safe, taken := Disarm(head + "\n\t" + name + " = evil\n"); strings.Contains(safe, "evil") || len(taken) != 1 {
				t.Errorf("%s %s: stays %q, told %q", head, name, safe, taken)
			}
		}
	}
}
