package sandbox

import (
	"path/filepath"
	"strings"
	"unicode"
)

// A human's config may name programs that lie in the folder: a filter, an alias, a
// test before a commit. The config is the human's word, and a command that works
// on such a file does its work, so it stays. But the human is told, for what git
// runs is no longer what they read.

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

func (s gitSetting) program() bool {
	return programSettings[s.section+"."+s.name] || programSettings[s.section]
}

// programs goes after the files of the folder that a setting's command names:
// the words of it, as a shell has them, that lead to one.
func (g *gathering) programs(s gitSetting, at gitOrigin) {
	for _, word := range strings.FieldsFunc(s.value, notInWord) {
		word = g.human.expand(word)
		dirs := []string{"/"}
		if !filepath.IsAbs(word) {
			dirs = at.works()
		}
		for _, dir := range dirs {
			if len(g.words) >= maxItems { // they are told of, not undone
				return
			}
			key := dir + "\x00" + word
			if g.words[key] {
				continue
			}
			g.words[key] = true
			name := s.section + "." + s.name
			w := g.way(dir, word, func(link, _ string) bool {
				g.program(link, name)
				return false
			})
			if file, in := g.below(w.end); in && !w.dir {
				g.program(file, name)
			}
		}
	}
}

func notInWord(r rune) bool {
	return unicode.IsSpace(r) || r == 0 || strings.ContainsRune(`'"`+"`;|&()<>!=$,", r)
}

// readProgram returns what tells a program, or a link to one, from another.
func (v *gitVisit) readProgram(name string, left *budget) (gitItem, bool) {
	item, f, err := v.open(name, roleProgram)
	if err != nil {
		v.fail(name, err)
	}
	item.Named = true
	if f != nil {
		defer f.Close()
		item.Big = true
		if size := item.Stamp.Size; size <= sumLimit && size <= left.sum && item.sum(f) {
			left.sum -= size
		}
	}
	return item, item.Role != "" && err == nil
}

// noteProgram takes down what stands there before a command.
func (g *gathering) noteProgram(name, _ string) {
	if g.roles[name] != "" || g.found[name].Role != "" {
		return // it is put back
	}
	if item, ok := g.readProgram(name, &g.left); ok {
		g.found[name] = item
	}
}

// tellProgram takes down that a program is not what it was, once.
func (m *mending) tellProgram(name, setting string) {
	was, old := m.before[name]
	if m.before == nil || m.roles[name] != "" || old && was.Role != roleProgram {
		return
	}
	is, here := m.readProgram(name, &budget{keepAll, sumAll})
	if !here || old && was.same(is) {
		return
	}
	m.before[name] = is
	if len(m.told) < maxUndone {
		m.told = append(m.told, strings.Map(visible, name)+" ("+setting+")")
	}
}

// tellPrograms says which programs of a human's were changed.
func tellPrograms(told []string) string {
	return "A human's git config names what was changed or made meanwhile, and so git runs it the next time: " + inDeed(told, ", ") + ". It was left as it is; tell the human."
}
