package commit

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

// repository reports by its error where no commit can be made.
func (c *committer) repository() error {
	git := filepath.Join(c.spec.Deed, ".git")
	info, err := os.Lstat(git)
	switch {
	case err != nil:
		return &Error{None, "the deed is no git work tree of its own."}
	case !info.IsDir():
		return &Error{Outside, "deed/.git is a link or names a repository elsewhere, which the sandbox does not write. Commit with your own git, or link deed to the top of a plain repository."}
	}
	for _, at := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"} {
		if _, err := os.Lstat(filepath.Join(git, at)); err == nil {
			return &Error{Conflict, "a merge, rebase, cherry-pick or revert is not finished in the deed. Finish or abort it; the turn's files are in the deed, not committed."}
		}
	}
	return nil
}

const (
	lockPause = 20 * time.Millisecond
	lockWait  = 2 * time.Second // for another git, which has the index for a moment
)

// alone waits until no other commit of ours is made in this deed, by whatever dialog or
// program, and no other git has the index.
func (c *committer) alone() (unlock func(), err error) {
	git := filepath.Join(c.spec.Deed, ".git")
	f, err := lockable(c.spec.Deed)
	if err != nil {
		return nil, &Error{None, "the deed is no git work tree of its own."}
	}
	for {
		taken, err := disk.TryLock(f)
		if err != nil {
			f.Close()
			return nil, &Error{Failed, "deed/.git can't be locked: " + disk.Cause(err).Error() + ". The turn's files are in the deed, not committed."}
		}
		if !taken {
			break
		}
		if err := c.pause(); err != nil {
			f.Close()
			return nil, err
		}
	}
	// What can't be mended stands in the way below, and is told there.
	_ = recoverLocks(c.spec.Deed, c.runner.Level() == sandbox.Bwrap)
	for until := time.Now().Add(lockWait); ; {
		if _, err := os.Lstat(filepath.Join(git, indexLock)); err != nil {
			return func() { disk.Unlock(f) }, nil
		}
		err := c.pause()
		if err == nil && time.Now().After(until) {
			err = &Error{Busy, "deed/.git/index.lock is there: another git is at work, or one was killed. Where none runs, remove that file."}
		}
		if err != nil {
			disk.Unlock(f)
			return nil, err
		}
	}
}

// pause waits a moment, and reports by its error that no time is left.
func (c *committer) pause() error {
	select {
	case <-c.ctx.Done():
	case <-time.After(lockPause):
	}
	return c.over(false)
}

// fixed are the settings that hold whatever the repository's own say. They are given
// as of the command line, which wins over every file.
var fixed = [][2]string{
	{"core.hooksPath", "/dev/null"}, {"core.fsmonitor", "false"}, {"core.attributesFile", "/dev/null"}, {"core.excludesFile", "/dev/null"}, {"core.editor", ":"}, {"core.pager", "cat"},
	{"core.sshCommand", "false"}, {"core.gitProxy", ""}, {"core.askPass", ":"}, {"core.safecrlf", "false"}, {"core.quotePath", "false"},
	{"commit.gpgSign", "false"}, {"gpg.program", "false"}, {"gpg.ssh.program", "false"}, {"gpg.x509.program", "false"}, {"commit.template", ""}, {"commit.verbose", "false"}, {"commit.status", "false"}, {"commit.cleanup", "verbatim"},
	{"credential.helper", ""}, {"protocol.allow", "never"}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"submodule.recurse", "false"}, {"diff.ignoreSubmodules", "all"}, {"diff.external", ""}, {"status.submoduleSummary", "false"},
	{"i18n.commitEncoding", "UTF-8"}, {"i18n.logOutputEncoding", "UTF-8"}, {"log.showSignature", "false"}, {"advice.addEmptyPathspec", "false"},
}

// author makes the commits of a repository that names none.
var author = [][2]string{{"user.name", "Vibey"}, {"user.email", "vibey@localhost"}}

// script begins every shell command: git with no settings but the repository's own, and
// those above over them.
func (c *committer) script(body string) string {
	var b strings.Builder
	b.WriteString("cd " + sandbox.Quote(c.spec.Deed) + " || exit 99\ncommand -v git >/dev/null 2>&1 || exit 98\n")
	b.WriteString("export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_EDITOR=: GIT_ASKPASS=: SSH_ASKPASS=: " +
		"GIT_SSH_COMMAND=false GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 GIT_LITERAL_PATHSPECS=1 GIT_PAGER=cat LC_ALL=C GIT_CEILING_DIRECTORIES=" + sandbox.Quote(filepath.Dir(c.spec.Deed)) + "\n")
	all := slices.Concat(fixed, c.configs)
	b.WriteString("export GIT_CONFIG_COUNT=" + strconv.Itoa(len(all)) + "\n")
	for i, kv := range all {
		n := strconv.Itoa(i)
		b.WriteString("export GIT_CONFIG_KEY_" + n + "=" + sandbox.Quote(kv[0]) + " GIT_CONFIG_VALUE_" + n + "=" + sandbox.Quote(kv[1]) + "\n")
	}
	b.WriteString(body)
	return b.String()
}

// run runs a script in the sandbox and returns what it printed.
func (c *committer) run(body string) (string, error) {
	o := c.runner.Command(c.ctx, sandbox.Spec{Command: c.script(body), Dir: c.spec.Project, Home: c.spec.Home, Deed: c.spec.Deed, Git: true})
	if err := c.over(o.TimedOut || o.Stopped || o.ExitCode == 128+15); err != nil {
		return "", err
	}
	switch {
	case o.Err != nil:
		return "", &Error{Failed, "git could not be started in the sandbox: " + c.words(o.Err.Error()) + ". The turn's files are in the deed, not committed."}
	case o.ExitCode == 98:
		return "", &Error{NoGit, "git is not installed here. The turn's files are in the deed, not committed."}
	case o.ExitCode != 0 || o.Exceeded != "":
		return "", &Error{Failed, "git says: " + c.words(string(o.Stderr.Text)) + ". The turn's files are in the deed, not committed."}
	case o.Stdout.Dropped > 0:
		return "", &Error{Failed, "git had too much to say. The turn's files are in the deed, not committed."}
	}
	return string(o.Stdout.Text), nil
}

// over reports by its error that the commit has no time left, or that late is true.
func (c *committer) over(late bool) error {
	switch {
	case c.parent.Err() != nil:
		return &Error{Stopped, "the turn was stopped before its files were committed. They are in the deed."}
	case late || c.ctx.Err() != nil:
		return &Error{Timeout, "git did not end in time. The turn's files are in the deed, not committed."}
	}
	return nil
}

// words returns the first line of what git says, without paths of the machine.
func (c *committer) words(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.NewReplacer(c.spec.Deed, "deed", c.spec.Project, "the project's folder").Replace(s)
	s = strings.TrimSpace(strings.Map(plain, strings.ToValidUTF8(s, " ")))
	if s == "" {
		return "nothing"
	}
	return strings.TrimRight(clip(s), ".")
}

// readConfig checks that the deed is the top of a work tree, takes away the programs
// that its filters name, and finds out whether it names an author.
func (c *committer) readConfig() error {
	out, err := c.run("git rev-parse --is-inside-work-tree --show-toplevel && printf '\\0' && git config --null --list")
	if err != nil {
		return err
	}
	where, list, _ := strings.Cut(out, "\x00")
	if where != "true\n"+c.spec.Deed+"\n" {
		return &Error{Outside, "the work tree of deed/.git is another folder. Commit with your own git."}
	}
	if last := strings.LastIndex(list, "core.hookspath\n"); last < 0 || !strings.HasPrefix(list[last:], "core.hookspath\n/dev/null\x00") {
		return &Error{Failed, "this git is older than 2.31 and can't be kept from running hooks. The turn's files are in the deed, not committed."}
	}
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(list, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		seen[key] = seen[key] || value != ""
		rest, ok := strings.CutPrefix(key, "filter.")
		if i := strings.LastIndexByte(rest, '.'); ok && i >= 0 && !seen["filter\x00"+rest[:i]] {
			driver := key[:len("filter.")+i]
			seen["filter\x00"+rest[:i]] = true
			c.configs = append(c.configs, [2]string{driver + ".clean", ""}, [2]string{driver + ".smudge", ""}, [2]string{driver + ".process", ""}, [2]string{driver + ".required", "false"})
		}
	}
	if len(c.configs) > maxConfigs {
		return &Error{Failed, "the repository's config names too many filters. Commit with your own git."}
	}
	for _, kv := range author {
		if !seen[kv[0]] {
			c.configs = append(c.configs, kv)
		}
	}
	return nil
}

// maxConfigs keeps the settings within one command.
const maxConfigs = 400

// unmerged are the marks of a path that a merge has left undecided.
var unmerged = strings.Fields("DD AU UD UA DU AA UU")

// status finds which of the paths the repository has in another version, or not at all.
// Ignored files are neither.
func (c *committer) status() error {
	out, err := c.run("export GIT_OPTIONAL_LOCKS=0\ngit status --porcelain=v1 -z --untracked-files=all --ignored=no --no-renames --ignore-submodules=all -- " + sandbox.Quote(c.paths...) +
		" && printf '\\0' && git check-attr -z filter -- " + sandbox.Quote(c.paths...))
	if err != nil {
		return err
	}
	entries := strings.Split(out, "\x00")
	end := slices.Index(entries, "") // an entry has a mark and a name
	large := keptByLFS(entries[end+1:])
	for _, entry := range entries[:end] {
		if len(entry) < 4 || !slices.Contains(c.paths, entry[3:]) {
			continue
		}
		switch mark, name := entry[:2], entry[3:]; {
		case slices.Contains(unmerged, mark):
			return &Error{Conflict, "a file of this turn has a conflict that is not resolved. Resolve it; the turn's files are in the deed, not committed."}
		case mark[0] != ' ' && mark[0] != '?' && mark[1] != ' ':
			c.left = append(c.left, LeftOut{"deed/" + name, "a part of what stands in it is staged, which the commit would take along"})
			continue
		case large[name]:
			c.left = append(c.left, LeftOut{"deed/" + name, "it is kept by git-lfs, whose filter does not run here"})
			continue
		case mark == "??":
			c.new = append(c.new, name)
			fallthrough
		default:
			c.changed = append(c.changed, name)
		}
	}
	return nil
}

// own leaves out the files in which lines stand that are not the agents': what the last
// commit has of them is nothing that an agent's change began with. A human's lines that
// were not committed would go into the commit, under the agent's message. So would they in
// new files with the same bytes, which are left out, too.
func (c *committer) own() error {
	theirs := map[string]bool{}
	maps.Copy(theirs, c.spec.Theirs)
	if err := c.compare(theirs); err != nil {
		return err
	}
	delete(theirs, "")
	delete(theirs, noBytes)
	for _, f := range c.spec.Files {
		name := strings.TrimPrefix(f.Path, "deed/")
		if slices.Contains(c.new, name) && (theirs[f.SHA256] || slices.ContainsFunc(f.From, func(sha string) bool { return theirs[sha] })) {
			c.leave(name, notOwn)
		}
	}
	return nil
}

// compare leaves out the files of which the last commit has other bytes than they came from,
// and adds what they hold, and held, to theirs.
func (c *committer) compare(theirs map[string]bool) error {
	var compared []string
	from := map[string][]string{}
	for _, f := range c.spec.Files {
		if name := strings.TrimPrefix(f.Path, "deed/"); f.From != nil && slices.Contains(c.changed, name) {
			compared, from[name] = append(compared, name), f.From
		}
	}
	if len(compared) == 0 {
		return nil
	}
	out, err := c.run("sum() { if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi; }\nfor f in " + sandbox.Quote(compared...) +
		"; do if git cat-file -e \"HEAD:$f\" 2>/dev/null; then git cat-file --filters \"HEAD:$f\" | sum || exit 1; else echo; fi; done")
	if err != nil {
		return err
	}
	lines := strings.Split(out, "\n")
	for i, name := range compared {
		last, _, _ := strings.Cut(lines[min(i, len(lines)-1)], " ")
		if slices.Contains(from[name], last) || c.spec.More != nil && slices.Contains(c.spec.More("deed/"+name, from[name]), last) {
			continue
		}
		why := notOwn
		if len(from[name]) == 0 {
			why = notKnown
		}
		c.leave(name, why)
		for _, sha := range from[name] {
			theirs[sha] = true
		}
	}
	return nil
}

const (
	notKnown = "it is not known what stood there before a command or a server changed it; commit it with your own git"
	notOwn   = "it had changes that were not committed, and that no call of an agent is known to have made; commit it with your own git"
	noBytes  = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // the SHA-256 of nothing
)

// keptByLFS returns the files, of triples of path, attribute and value, that git-lfs keeps
// elsewhere: without its filter all their bytes would go into the repository.
func keptByLFS(attributes []string) map[string]bool {
	large := map[string]bool{}
	for i := 0; i+2 < len(attributes); i += 3 {
		if attributes[i+2] == "lfs" {
			large[attributes[i]] = true
		}
	}
	return large
}

// grace is how long git has to put its locks away once it is told to end.
const grace = time.Second

// commit makes the commit and returns its hash. A new file is added as a name alone
// first, for --only takes what is known to the index; where there is no commit in the
// end, the name is taken away again. Where git made the commit and could not write the
// index after it, the index takes the files from the commit.
func (c *committer) commit() (string, error) {
	git, err := openGit(c.spec.Deed)
	if err == nil {
		defer git.Close()
		err = mark(git)
	}
	if err != nil {
		return "", &Error{Failed, "deed/.git can't be written: " + disk.Cause(err).Error() + ". The turn's files are in the deed, not committed."}
	}
	defer git.Remove(markName)
	locks := nextLocks(git)
	left := max(time.Until(c.end)-grace, 100*time.Millisecond).Seconds()
	body := fmt.Sprintf(`limited() {
	git "$@" >&2 & p=$!
	( sleep %.2f; kill -TERM $p ) >/dev/null 2>&1 </dev/null & w=$!
	wait $p; s=$?
	kill $w 2>/dev/null
	return $s
}
`, left)
	if len(c.new) > 0 {
		body += "limited add --intent-to-add -- " + sandbox.Quote(c.new...) + " || exit $?\n"
	}
	body += "before=$(git rev-parse --quiet --verify HEAD)\nlimited commit --quiet --only --no-verify --no-gpg-sign --cleanup=verbatim -m " + sandbox.Quote(c.message()) + " -- " + sandbox.Quote(c.changed...) + "\ns=$?\n" +
		"if [ $s = 0 ]; then git rev-parse HEAD; exit $?; fi\n" +
		"after=$(git rev-parse --quiet --verify HEAD)\n" +
		"if [ \"$after\" != \"$before\" ] && [ \"$(git rev-parse --quiet --verify HEAD^)\" = \"$before\" ] && [ \"$(git log -1 --format=%B)\" = " + sandbox.Quote(c.message()) + " ]; then\n" +
		"\tgit diff-tree --root --no-commit-id --name-only -r -z HEAD | git reset --quiet --pathspec-from-file=- --pathspec-file-nul >/dev/null 2>&1\n\techo \"$after\"\n\texit 0\nfi\n"
	if len(c.new) > 0 {
		body += "git rm --cached --quiet --force -- " + sandbox.Quote(c.new...) + " >/dev/null 2>&1\n"
	}
	out, err := c.run(body + "exit $s")
	if err != nil {
		unlock(git, locks)
		return "", err
	}
	return strings.TrimSpace(out), nil
}

func (c *committer) message() string {
	if m := strings.TrimSpace(strings.Map(plain, c.spec.Message)); m != "" {
		return clip(m)
	}
	return defaultMessage
}

// unlock removes the locks of our git where it was killed: those that were not there
// before.
func unlock(git *os.Root, before []string) {
	next := slices.DeleteFunc(nextLocks(git), func(name string) bool { return slices.Contains(before, name) })
	if len(next) == 1 && git.Remove(next[0]) == nil {
		git.Remove(indexLock)
	}
}
