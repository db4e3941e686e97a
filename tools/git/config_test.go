package git

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// configs are seeds: what git reads in more than one line, or in another way
// than it looks.
var configs = []string{
	"", "\n", "[core]\n\tbare = false\n", "[core]\n\tfsmonitor = evil\n", "[CORE]\n\tFsMonitor=evil\n", "[core] fsmonitor = evil\n",
	"[core]\n# comment \\\n\tfsmonitor = evil\n", "[user]\n\tname = a\\\n[core]\n\tfsmonitor = evil\n", "[user]\n\tname = \"a\\\nb\"\n[core]\nfsmonitor=x\n",
	"[core]\rfsmonitor = evil\n", "[core]\r\n\tbare = false\r\n", "\ufeff[core]\n\tfsmonitor = evil\n", "[core \"x\"]\n\tbare = false\n",
	"[core.x]\n\tfsmonitor = evil\n", "fsmonitor = evil\n", "[alias]\n\tx = !evil\n", "[alias \"a]b\"]\n\tx = !evil\n", "[user]\n\tname = a \" b\n[core]\n\tfsmonitor = evil\n\" c\n",
	"[user]\n\tname = \"a\\\\\"\n\temail = \"q\\\"\"\n", "[user]\n\tname = \"\\\"\n[core]\n\tfsmonitor = evil\n\"\n", "[user]\n\tname = x ; y\n", "[core]\n\tbare\n",
	"[remote \"o\"]\n\turl = https://x/y\n\turl = /tmp/z\n\tfetch = +refs/*:refs/*\n\tvcs = evil\n\tuploadpack = evil\n[branch \"m\"]\n\tremote = o\n\tmerge = refs/heads/m\n[branch \"n\"]\n\tremote = p\n",
	"[remote \"o\"]\n\turl = ext::sh -c evil\n", "[remote \"o\"]\n\turl = ssh://-oProxyCommand=evil/x\n", "[remote \"o\"]\n\turl = -evil:x\n", "[remote \"o\"]\n\turl = file:///tmp/x\n",
	"[url \"ext::sh -c evil #\"]\n\tinsteadOf = https://\n", "[include]\n\tpath = x\n", "[includeIf \"gitdir:/\"]\n\tpath = x\n", "[core]\n\tworktree = /home\n",
	"[core] hooksPath = h # ours\n", "[a]x=\\\n1\\\n2\n[b] c = \"q ; \\\"\" r ;s\n", "[a]\nb = c \\\\\n[d]\ne= \"x  \" y  \n",
	"[BrAnCh \"\"]\nmerge\n", "[a]\nb = c\\", "[a]\nb = \"c", "[a \"b\\\"]\nc = d\n", "[core]\n\x00fsmonitor = evil\n", "[core]\n\tbare = false\x00\n\tfsmonitor = evil\n", "[core]\n\vfsmonitor = evil\n", "\x0c[core]\n\tfsmonitor = evil\n",
}

func FuzzDisarmConfig(f *testing.F) {
	for _, c := range configs {
		f.Add(c)
	}
	git, _ := exec.LookPath("git")
	f.Fuzz(func(t *testing.T, text string) {
		safe, taken := Disarm(text)
		if again, more := Disarm(safe); again != safe || len(more) > 0 {
			t.Errorf("%q becomes %q, and that %q", text, safe, again)
		}
		if len(taken) == 0 && strings.TrimSuffix(safe, "\n") != strings.TrimSuffix(text, "\n") {
			t.Errorf("%q became %q untold", text, safe)
		}
		if git == "" {
			return
		}
		cmd := exec.Command(git, "config", "--null", "--no-includes", "--file", "-", "--list")
		cmd.Stdin = strings.NewReader(safe)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git does not read %q, made of %q: %v", safe, text, err)
		}
		want := []string{}
		for _, l := range parseConfig(safe) {
			if l.name != "" {
				want = append(want, l.key())
			}
		}
		got := []string{}
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if key, _, _ := strings.Cut(entry, "\n"); key != "" {
				got = append(got, key)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("git reads %q, we read %q, of %q", got, want, safe)
		}
	})
}

func TestDisarmConfig(t *testing.T) {
	for text, want := range map[string]string{
		"[core]\n\tbare = false\n\tfsmonitor = evil\n[alias]\n\tx = !evil\n\ty = z\n": "core.fsmonitor alias.x alias.y",
		configs[22]:                       "remote.o.url remote.o.vcs remote.o.uploadpack branch.n.remote",
		"[user]\n\tname = Some \"One\"\n": "a line that can be read in two ways",
		"[user]\n\tname = \"Some; One\"\n\temail = a@b\n[remote \"x\"]\n\turl = git@host:a/b.git\n": "",
	} {
		if _, taken := Disarm(text); strings.Join(taken, " ") != want {
			t.Errorf("%q: taken %q, want %q", text, taken, want)
		}
	}
}

// programSettings are those whose values git runs. Source: git-config(1) of git 2.51.
const programSettings = `
	hook.command core.fsmonitor core.editor core.pager core.sshcommand core.askpass core.gitproxy core.alternaterefscommand
	sequence.editor filter.clean filter.smudge filter.process diff.external diff.command diff.textconv merge.driver
	mergetool.cmd mergetool.path difftool.cmd difftool.path guitool.cmd browser.cmd browser.path man.cmd man.path instaweb.httpd
	gpg.program gpg.defaultkeycommand credential.helper interactive.difffilter trailer.command trailer.cmd tar.command
	remote.uploadpack remote.receivepack uploadpack.packobjectshook submodule.update
	sendemail.tocmd sendemail.cccmd sendemail.headercmd sendemail.sendmailcmd sendemail.smtpserver
`

// TestDisarmTakesPrograms: no config that a command writes keeps a setting by which
// git runs anything.
func TestDisarmTakesPrograms(t *testing.T) {
	more := "include.path includeif.path core.hookspath core.attributesfile core.worktree core.excludesfile init.templatedir remote.vcs remote.proxy protocol.allow url.insteadof " +
		"url.pushinsteadof http.proxy http.sslcert web.browser diff.tool merge.tool gpg.format gpg.ssh.program receive.denycurrentbranch extensions.partialclone alias.x pager.x " +
		"instaweb.browser gui.x sendemail.x core.notesref safe.directory transfer.credentialsinurl " + programSettings
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
