package git

import (
	"strconv"
	"strings"
	"unicode"
)

// hookNames are the names of hooks. Source: githooks(5), git 2.51.
var hookNames = wordSet(`
	applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
	post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout
	pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit
	post-index-change
`)

// programSettings are the settings whose values git runs, by section and name, or
// by section. Source: git-config(1) of git 2.51.
var programSettings = wordSet(`
	alias pager hook.command core.fsmonitor core.editor core.pager core.sshcommand core.askpass core.gitproxy core.alternaterefscommand
	sequence.editor filter.clean filter.smudge filter.process diff.external diff.command diff.textconv merge.driver
	mergetool.cmd mergetool.path difftool.cmd difftool.path guitool.cmd browser.cmd browser.path man.cmd man.path instaweb.httpd
	gpg.program gpg.defaultkeycommand credential.helper interactive.difffilter trailer.command trailer.cmd tar.command
	remote.uploadpack remote.receivepack uploadpack.packobjectshook submodule.update
	sendemail.tocmd sendemail.cccmd sendemail.headercmd sendemail.sendmailcmd sendemail.smtpserver
`)

func (s setting) program() bool {
	return programSettings[s.section+"."+s.name] || programSettings[s.section]
}

func notInWord(r rune) bool {
	return unicode.IsSpace(r) || r == 0 || strings.ContainsRune(`'"`+"`;|&()<>!=$,", r)
}

// list lists what a command wrote, in a bounded number of words that can't
// look like anything else.
func list(words []string) string {
	const most, long = 8, 60
	var out []string
	for i, w := range words {
		if i == most {
			return strings.Join(out, ", ") + " and " + strconv.Itoa(len(words)-most) + " more"
		}
		if r := []rune(w); len(r) > long {
			w = string(r[:long]) + "…"
		}
		out = append(out, strings.Map(visible, w))
	}
	return strings.Join(out, ", ")
}

// visible draws what would look like nothing, or like something else.
func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '\uFFFD'
}
