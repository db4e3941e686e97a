package git

// bareRepository makes a repository without a work tree out of what git is told of one.
const bareRepository = `mkdir -p $r/objects $r/refs; echo "ref: refs/heads/main" > $r/HEAD; `

// gitPlant is what a command does, and what a human does then, by which the
// human's git would run the command's program.
type gitPlant struct {
	name, before, command, human string
}

var gitPlants = []gitPlant{
	{"a hook in a new repository", "", "git init -q x; cp {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"a hook in a repository that was there", "git init -q x", "cp {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"fsmonitor", "", "git init -q x; git -C x config core.fsmonitor {ran}", "cd x && git status"},
	{"fsmonitor, in capitals on one line", "", "git init -q x; printf '[CORE] FSMonitor = {ran}\\n' >> x/.git/config", "cd x && git status"},
	{"fsmonitor behind a line that goes on", "", `git init -q x; printf '[user]\n\tname = "a\\\nb"\n[core]\n\tfsmonitor = {ran}\n' >> x/.git/config`, "cd x && git status"},
	{"an alias", "", "git init -q x; git -C x config alias.st '!{ran}'", "cd x && git st"},
	{"a pager", "", "git init -q x; git -C x commit -q --allow-empty -m x; git -C x config core.pager {ran}", "cd x && script -qc 'git log' /dev/null"},
	{"a pager for one command", "", "git init -q x; git -C x config pager.status {ran}", "cd x && script -qc 'git status' /dev/null"},
	{"an editor", "", "git init -q x; git -C x config core.editor {ran}", "cd x && env -u EDITOR git commit --allow-empty"},
	{"textconv on git log -p", "", "git init -q x; cd x; echo '* diff=d' > .gitattributes; echo a > a; git add .; git commit -qm x; git config diff.d.textconv {ran}", "cd x && git log -p"},
	{"a diff of its own", "", "git init -q x; cd x; echo a > a; git add .; git commit -qm x; echo b > a; git config diff.external {ran}", "cd x && git diff"},
	{"a filter", "", "git init -q x; cd x; echo '* filter=f' > .gitattributes; echo a > a; git config filter.f.clean {ran}", "cd x && git add a"},
	{"an ssh of its own", "", "git init -q x; git -C x config core.sshCommand {ran}; git -C x remote add o git@localhost:x", "cd x && git fetch o"},
	{"a remote on this machine", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; git remote add o {out}/evil", "cd x && git push o HEAD:refs/heads/y"},
	{"a branch on a folder of this machine", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; git config branch.$(git symbolic-ref --short HEAD).remote {out}/evil; git config push.default current", "cd x && git push"},
	{"a credential helper", "", "git init -q x; git -C x config credential.helper '!{ran}'", "cd x && printf 'protocol=https\\nhost=h\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill"},
	{"attributes, for a filter that is the human's", "git config --global filter.h.clean {ran}; git init -q x; echo a > x/a", "mkdir -p x/.git/info; echo '* filter=h' > x/.git/info/attributes", "cd x && git add a"},
	{"an address that is another", "", "git init -q x; cd x; git config protocol.ext.allow always; git config 'url.ext::{ran} .insteadOf' https://h/; git remote add o https://h/x", "cd x && git fetch o"},
	{"a remote that is a program", "", "git init -q x; cd x; git config protocol.ext.allow always; git remote add o 'ext::{ran} x'", "cd x && git fetch o"},
	{"a hook, where a human fetches from", "git init -q me", "git init -q --bare r; git -C r config uploadpack.packObjectsHook {ran}; cp {ran} r/hooks/post-update; cp {ran} r/hooks/reference-transaction", "git -C me commit -q --allow-empty -m x; git -C me fetch -q ../r; git -C me push -q ../r HEAD:refs/heads/x"},
	{"include.path", "", "git init -q x; printf '[core]\\nfsmonitor={ran}\\n' > x/more; git -C x config include.path ../more", "cd x && git status"},
	{"config.worktree", "", "git init -q x; git -C x config extensions.worktreeConfig true; git -C x config --worktree core.fsmonitor {ran}", "cd x && git status"},
	{"hooksPath", "", "git init -q x; mkdir x/h; cp {ran} x/h/pre-commit; git -C x config core.hooksPath h", "cd x && git commit -q --allow-empty -m x"},
	{"a config that is a link", "", "git init -q x; printf '[core]\\nfsmonitor={ran}\\n' > {out}/c; ln -sf {out}/c x/.git/config", "cd x && git status"},
	{"hooks that are a link", "", "git init -q x; rm -r x/.git/hooks; mkdir {out}/h; cp {ran} {out}/h/pre-commit; ln -s {out}/h x/.git/hooks", "cd x && git commit -q --allow-empty -m x"},
	{"a hook that is a link", "", "git init -q x; ln -s {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"a repository without a work tree", "", "r=x/y; " + bareRepository + "git config -f x/y/config alias.st '!{ran}'", "cd x/y && git st"},
	{"the deed itself as a repository", "", "r=.; " + bareRepository + "git config -f config alias.st '!{ran}'", "git st"},
	{"in node_modules", "", "mkdir -p node_modules/a; git init -q node_modules/a/b; git -C node_modules/a/b config core.fsmonitor {ran}", "cd node_modules/a/b && git status"},
	{"a .git that is a file", "", "mkdir -p x store; r=store; " + bareRepository + "git config -f store/config core.fsmonitor {ran}; echo 'gitdir: ../store' > x/.git", "cd x && git status"},
	{"a .git that leads outside", "", "mkdir x; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; echo 'gitdir: {out}/store' > x/.git", "cd x && git status"},
	{"a .git that leads outside through a link", "", "mkdir x; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; ln -s {out} x/l; echo 'gitdir: l/store' > x/.git", "cd x && git status"},
	{"a .git that leads outside through a link and back", "", "mkdir -p x {out}/d; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; ln -s {out}/d x/l; echo 'gitdir: l/../store' > x/.git", "cd x && git status"},
	{"a .git that is a link", "", "mkdir x; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; ln -s {out}/store x/.git", "cd x && git status"},
	{"a .git file whose way is changed later", "git init -q s/store; mkdir x; echo 'gitdir: ../s/store/.git' > x/.git", "mv s t; mkdir -p {out}/s; git init -q {out}/s/store; git -C {out}/s/store config core.fsmonitor {ran}; ln -s {out}/s s", "cd x && git status"},
	{"a common folder", "", "mkdir -p x/.git c/objects c/refs; echo 'ref: refs/heads/main' > x/.git/HEAD; echo ../../c > x/.git/commondir; git config -f c/config core.fsmonitor {ran}", "cd x && git status"},
	{"a common folder of a repository that was there", "git init -q x", "mkdir -p c/objects c/refs; echo ../../c > x/.git/commondir; git config -f c/config core.fsmonitor {ran}", "cd x && git status"},
	{"a submodule's repository", "git init -q .", "mkdir -p .git/modules; git init -q x; mv x/.git .git/modules/x; echo 'gitdir: ../.git/modules/x' > x/.git; git -C x config core.fsmonitor {ran}", "cd x && git status"},
	{"a submodule, by git status above it", "git init -q .; git commit -q --allow-empty -m x", "git init -q x; git -C x commit -q --allow-empty -m x; git add x 2>/dev/null; git -C x config core.fsmonitor {ran}", "git status"},
	{"a worktree", "git init -q .; git commit -q --allow-empty -m x", "git worktree add -q x; mkdir .git/worktrees/x/hooks; git config extensions.worktreeConfig true; git -C x config --worktree core.fsmonitor {ran}", "cd x && git status"},
	{"hidden among git's objects", "git init -q .", "git init -q .git/objects/ab/x; git -C .git/objects/ab/x config core.fsmonitor {ran}; mkdir y; echo 'gitdir: ../.git/objects/ab/x/.git' > y/.git", "cd y && git status"},
	{"a step of a rebase", "", "git init -q x; cd x; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR='printf \"break\\nexec {ran}\\n\" >' git rebase -q -i HEAD~1", "cd x && git rebase --continue"},
	{"a step of a rebase behind a link", "", "git init -q x; cd x; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR='echo break >' git rebase -q -i HEAD~1; mv .git/rebase-merge st; ln -s ../st .git/rebase-merge; echo 'exec {ran}' > st/git-rebase-todo", "cd x && git rebase --continue"},
	{"the strategy of a rebase", "", conflict + "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i main; echo x/y > .git/rebase-merge/strategy", "cd x && git rebase --continue"},
	{"the strategy of a sequence", "", conflict + "git checkout -q main; git cherry-pick work~1 work; printf '[options]\\n\\tstrategy = x/y\\n' > .git/sequencer/opts", "cd x && git checkout -q --theirs . ; git add f && git cherry-pick --continue"},
	{"a remote as they were before configs", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; mkdir .git/remotes; echo 'URL: {out}/evil' > .git/remotes/origin", "cd x && git push origin HEAD:refs/heads/y"},
	{"a branch's remote as they were before configs", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; mkdir -p .git/branches; echo '{out}/evil' > .git/branches/origin", "cd x && git push origin HEAD:refs/heads/y"},
	{"a hook that was there is changed", "git init -q x; echo '#!/bin/sh' > x/.git/hooks/pre-commit; chmod +x x/.git/hooks/pre-commit", "cp {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"a hook that was off is turned on", "git init -q x; cp {ran} x/.git/hooks/pre-commit; chmod -x x/.git/hooks/pre-commit", "chmod +x x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"hooks that a human's config names", "git init -q x; mkdir x/h; git -C x config core.hooksPath h", "cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"a config that a human's config includes", "git init -q x; git -C x config include.path ../c; echo '[user]' > x/c", "git config -f x/c core.fsmonitor {ran}", "cd x && git status"},
	{"hooks that a human's config names with a comment", "git init -q x; mkdir x/h; printf '[core]\\n\\tsshCommand = ssh -o \"a b\"\\n[core] hooksPath = h # ours\\n' >> x/.git/config", "cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"a config that a human's config includes in an odd way", "git init -q x; printf '[include]path = ../c ; ours\\n' >> x/.git/config; echo '[user]' > x/c", "git config -f x/c core.fsmonitor {ran}", "cd x && git status"},
	{"the repository of the deed", "git init -q .", "git config core.fsmonitor {ran}", "git status"},
	{"a folder that can't be listed", "", "mkdir d; git init -q d/x; git -C d/x config core.fsmonitor {ran}; chmod 111 d", "cd d/x && git status"},
	{"a folder that can't be written", "", "git init -q x; git -C x config core.fsmonitor {ran}; chmod 555 x/.git", "cd x && git status"},
	{"a config of another name", "git init -q x", "git -C x config core.fsmonitor {ran}; mv x/.git/config x/c; ln x/c x/.git/config", "cd x && git status"},
}

// conflict makes two branches with changes that don't merge by themselves, and a
// program that a strategy could name.
const conflict = "git init -q -b main x; cd x; echo 1 > f; git add f; git commit -qm a; git checkout -q -b work; echo 2 > f; git commit -qam b; echo 3 > f; git commit -qam c; " +
	"git checkout -q main; echo 4 > f; git commit -qam d; git checkout -q work; mkdir git-merge-x; cp {ran} git-merge-x/y; "

// evilConfig makes a config {1} that runs the program at git status.
const evilConfig = "printf '[core]\\nfsmonitor={ran}\\n' > "

// gitLeads are plants on the way by which a human's git comes to what a human's
// config, link or file named .git names: the path is what it was, and leads
// elsewhere.
var gitLeads = []gitPlant{
	{"include.path: its folder is replaced by a link", included, "cd x; mkdir e; " + evilConfig + "e/i; mv c c2; ln -s e c", "cd x && git status"},
	{"include.path: its folder is replaced by a link out", included, "cd x; " + evilConfig + "{out}/i; mv c c2; ln -s {out} c", "cd x && git status"},
	{"include.path: a folder further up is replaced by a link", "git init -q x; mkdir -p x/c/d; echo '[user]' > x/c/d/i; git -C x config include.path ../c/d/i", "cd x; mkdir -p e/d; " + evilConfig + "e/d/i; mv c c2; ln -s e c", "cd x && git status"},
	{"include.path: two folders are replaced by links", "git init -q x; mkdir -p x/c x/d; ln -s ../d x/c/l; echo '[user]' > x/d/i; git -C x config include.path ../c/l/i", "cd x; mkdir e; " + evilConfig + "e/i; mv d d2; ln -s e d; mv c c2; mkdir f; ln -s ../e f/l; ln -s f c", "cd x && git status"},
	{"include.path: a human's link leads elsewhere", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/i; ln -sfn e c", "cd x && git status"},
	{"include.path: a human's link is replaced by a folder", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", "cd x; rm c; mkdir c; " + evilConfig + "c/i", "cd x && git status"},
	{"include.path: the folder that a human's link leads to is replaced", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/i; mv d d2; ln -s e d", "cd x && git status"},
	{"include.path: the file behind a human's link is written", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", evilConfig + "x/d/i", "cd x && git status"},
	{"include.path: the file that a human's link leads to is written", "git init -q x; echo '[user]' > x/d; ln -s d x/c; git -C x config include.path ../c", evilConfig + "x/d", "cd x && git status"},
	{"include.path: what was not there comes by a link", "git init -q x; git -C x config include.path ../c/i", "cd x; " + evilConfig + "{out}/i; ln -s {out} c", "cd x && git status"},
	{"include.path: what was not there is made", "git init -q x; git -C x config include.path ../c/i", "mkdir x/c; " + evilConfig + "x/c/i", "cd x && git status"},
	{"include.path: absolute", "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config include.path {deed}/x/c/i", "cd x; mkdir e; " + evilConfig + "e/i; mv c c2; ln -s e c", "cd x && git status"},
	{"include.path: below the human's home", "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config include.path '~/../deed/x/c/i'", evilConfig + "x/c/i", "cd x && git status"},
	{"include.path: a file that an included one includes", "git init -q x; mkdir x/c x/d; echo '[user]' > x/d/j; printf '[include]\\npath=../d/j\\n' > x/c/i; git -C x config include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/j; mv d d2; ln -s e d", "cd x && git status"},
	{"include.path: a file that one behind a link includes", "git init -q x; mkdir -p x/c x/d/d; echo '[user]' > x/c/j; printf '[include]\\npath=j\\n' > x/d/d/i; ln -s ../d/d/i x/c/i; git -C x config include.path ../c/i", evilConfig + "x/c/j", "cd x && git status"},
	{"include.path: in config.worktree", "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config extensions.worktreeConfig true; git -C x config --worktree include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/i; mv c c2; ln -s e c", "cd x && git status"},
	{"includeIf.onbranch", "git init -q -b main x; mkdir x/c; echo '[user]' > x/c/i; git -C x config includeIf.onbranch:evil.path ../c/i", "cd x; " + evilConfig + "c/i; git symbolic-ref HEAD refs/heads/evil", "cd x && git status"},
	{"includeIf.hasconfig", "git init -q x; git -C x config remote.o.url https://h/x; mkdir x/c; echo '[user]' > x/c/i; git -C x config 'includeIf.hasconfig:remote.*.url:https://h/**.path' ../c/i", evilConfig + "x/c/i", "cd x && git status"},
	{"includeIf in the human's own settings", "git init -q x; echo '[user]' > g; git config --global includeIf.gitdir:{deed}/.path {deed}/g", evilConfig + "g", "cd x && git status"},
	{"the human's own settings are a link", "git init -q x; mkdir dot; echo '[user]' > dot/g; ln -s ../deed/dot/g ../home/.gitconfig", evilConfig + "dot/g", "cd x && git status"},
	{"the human's own settings are a link: its folder is replaced by a link", "git init -q x; mkdir dot; echo '[user]' > dot/g; ln -s {deed}/dot/g ../home/.gitconfig", "mkdir e; " + evilConfig + "e/g; mv dot d2; ln -s e dot", "cd x && git status"},
	{"the human's own settings are a link to nothing", "git init -q x; ln -s {deed}/dot/g ../home/.gitconfig", "mkdir dot; " + evilConfig + "dot/g", "cd x && git status"},
	{"the human's own settings are a link to nothing: a link comes", "git init -q x; ln -s {deed}/dot/g ../home/.gitconfig", evilConfig + "{out}/g; ln -s {out} dot", "cd x && git status"},
	{"the human's own settings are a link to a file with an include", "git init -q x; mkdir dot; printf '[include]\\npath=~/../deed/dot/i\\n' > dot/g; ln -s {deed}/dot/g ../home/.gitconfig", evilConfig + "dot/i", "cd x && git status"},
	{"the human's own settings lie behind a link", "git init -q x; mkdir -p dot/git; echo '[user]' > dot/git/config; ln -s {deed}/dot ../home/.config", evilConfig + "dot/git/config", "cd x && git status"},
	{"the human's own settings lie behind a link, and are made", "git init -q x; mkdir dot; ln -s {deed}/dot ../home/.config", "mkdir dot/git; " + evilConfig + "dot/git/config", "cd x && git status"},
	{"the config of the repository in which the deed lies is a link", "git init -q ..; mv ../.git/config c; ln -s ../deed/c ../.git/config", "git config -f c core.fsmonitor {ran}", "git status"},
	{"hooksPath in the human's own settings", "git init -q x; git config --global core.hooksPath .h", "mkdir x/.h; cp {ran} x/.h/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"templateDir: its config", template + "mkdir t; echo '[user]' > t/config", evilConfig + "t/config", newFromTemplate},
	{"templateDir: a config comes", template, "mkdir t; " + evilConfig + "t/config", newFromTemplate},
	{"templateDir: a config of a worktree comes", template + "mkdir t; git config -f t/config extensions.worktreeConfig true", evilConfig + "t/config.worktree", newFromTemplate},
	{"templateDir: a commondir comes", template, "git init -q --bare {out}/c; git config -f {out}/c/config core.fsmonitor {ran}; git config -f {out}/c/config core.bare false; mkdir t; echo {out}/c > t/commondir", newFromTemplate},
	{"templateDir: a hook comes", template, "mkdir -p t/hooks; cp {ran} t/hooks/pre-commit", "git init -q ../new && cd ../new && git commit -q --allow-empty -m x"},
	{"a pipe where a config is included", "git init -q x; git -C x config include.path ../i", "mkfifo x/i", hangs + "test ! -p x/i || {ran}"},
	{"a pipe where the human's own settings are", "git init -q x; ln -s {deed}/g ../home/.gitconfig", "mkfifo g", hangs + "test ! -p g || {ran}"},
	{"a pipe where a config was", included, "rm x/c/i; mkfifo x/c/i", hangs + "test ! -p x/c/i || {ran}"},
	{"a pipe where a repository's config was", "git init -q x", "rm x/.git/config; mkfifo x/.git/config", hangs + "test ! -p x/.git/config || {ran}"},
	{"a pipe where a repository's other config is", "git init -q x; git -C x config extensions.worktreeConfig true", "mkfifo x/.git/config.worktree", hangs + "test ! -p x/.git/config.worktree || {ran}"},
	{"a pipe where a commondir is", "git init -q x", "mkfifo x/.git/commondir", hangs + "test ! -p x/.git/commondir || {ran}"},
	{"hooksPath in the human's own settings, with no repository there", "git init -q ../new; git config --global core.hooksPath {deed}/h", "mkdir h; cp {ran} h/pre-commit", "cd ../new && git commit -q --allow-empty -m x"},
	{"hooksPath: its folder is replaced by a link", "git init -q x; mkdir -p x/a/h; git -C x config core.hooksPath a/h", "cd x; mkdir -p e/h; cp {ran} e/h/pre-commit; mv a a2; ln -s ../x/e a", "cd x && git commit -q --allow-empty -m x"},
	{"hooksPath: in an included config", "git init -q x; mkdir x/h x/c; git config -f x/c/i core.hooksPath h; git -C x config include.path ../c/i", "cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"hooksPath: in a worktree", committed + "git -C x config core.hooksPath h; git -C x worktree add -q ../y", "mkdir y/h; cp {ran} y/h/pre-commit", "cd y && git commit -q --allow-empty -m x"},
	{"hooksPath: in a submodule", "git init -q .; git init -q x; mkdir .git/modules; mv x/.git .git/modules/x; echo 'gitdir: ../.git/modules/x' > x/.git; git -C x config core.worktree ../../../x; git -C x config core.hooksPath h", "mkdir x/h; cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"hooksPath: in a worktree of a repository outside", "git init -q {out}/m; git -C {out}/m commit -q --allow-empty -m x; git -C {out}/m config core.hooksPath h; git -C {out}/m worktree add -q {deed}/y", "mkdir y/h; cp {ran} y/h/pre-commit", "cd y && git commit -q --allow-empty -m x"},
	{"hooksPath: of the repository in which the deed lies", "git init -q ..; git config core.hooksPath deed/h", "mkdir h; cp {ran} h/pre-commit", "git commit -q --allow-empty -m x"},
	{"include.path: of the repository in which the deed lies", "git init -q ..; git config include.path ../deed/i; echo '[user]' > i", evilConfig + "i", "git status"},
	{"a hook that is a link: its folder is replaced by a link", "git init -q x; mkdir x/s; printf '#!/bin/sh\\n' > x/s/p; chmod +x x/s/p; ln -s ../../s/p x/.git/hooks/pre-commit", "cd x; mkdir e; cp {ran} e/p; mv s s2; ln -s e s", "cd x && git commit -q --allow-empty -m x"},
	{"a hook in hooksPath that is a link: its folder is replaced", "git init -q x; mkdir x/s x/h; printf '#!/bin/sh\\n' > x/s/p; chmod +x x/s/p; ln -s ../s/p x/h/pre-commit; git -C x config core.hooksPath h", "cd x; mkdir e; cp {ran} e/p; mv s s2; ln -s e s", "cd x && git commit -q --allow-empty -m x"},
	{"a hook of a repository outside that is a link into the deed", "git init -q ..; printf '#!/bin/sh\\n' > p; chmod +x p; ln -s ../../deed/p ../.git/hooks/pre-commit", "cp {ran} p", "git commit -q --allow-empty -m x"},
	{"hooks that are a link: the folder above is replaced", "git init -q x; mkdir -p x/s/h; rm -r x/.git/hooks; ln -s ../s/h x/.git/hooks", "cd x; mkdir -p e/h; cp {ran} e/h/pre-commit; mv s s2; ln -s e s", "cd x && git commit -q --allow-empty -m x"},
	{"a config that is a link: its folder is replaced", "git init -q x; mkdir x/s; mv x/.git/config x/s/c; ln -s ../s/c x/.git/config", "cd x; mkdir e; cp s/c e/c; git config -f e/c core.fsmonitor {ran}; mv s s2; ln -s e s", "cd x && git status"},
	{"a common folder of a human's: its config", common, "git config -f s/c/config core.fsmonitor {ran}", "cd x && git status"},
	{"a common folder of a human's: its hooks", common, "mkdir s/c/hooks; cp {ran} s/c/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x"},
	{"a common folder of a human's: the folder above is replaced", common, "cp -r s e; git config -f e/c/config core.fsmonitor {ran}; mv s s2; ln -s e s", "cd x && git status"},
	{"the folder of worktrees is replaced", committed + "git -C x worktree add -q ../y", "cp -r x/.git/worktrees {out}/w; cp -r x/.git {out}/c; git config -f {out}/c/config core.fsmonitor {ran}; echo {out}/c > {out}/w/y/commondir; mv x/.git/worktrees w; ln -s {out}/w x/.git/worktrees", "cd y && git status"},
	{"the folder of submodules is replaced", "git init -q .; git init -q x; mkdir .git/modules; mv x/.git .git/modules/x; echo 'gitdir: ../.git/modules/x' > x/.git", "cp -r .git/modules {out}/m; git config -f {out}/m/x/config core.fsmonitor {ran}; mv .git/modules m; ln -s {out}/m .git/modules", "cd x && git status"},
	{"a repository is replaced by a link out", "git init -q x", "mv x x2; git init -q {out}/x; git -C {out}/x config core.fsmonitor {ran}; ln -s {out}/x x", "cd x && git status"},
	{"a folder above a repository is replaced by a link out", "mkdir a; git init -q a/x", "mv a a2; git init -q {out}/x; git -C {out}/x config core.fsmonitor {ran}; ln -s {out} a", "cd a/x && git status"},
	{"a remote on this machine: its folder is replaced by a link", committed + "mkdir r; git init -q --bare r/o; git -C x remote add o ../r/o", "git init -q --bare {out}/o; cp {ran} {out}/o/hooks/pre-receive; mv r r2; ln -s {out} r", "cd x && git push -q o HEAD:refs/heads/y"},
}

const (
	// included is a config that includes x/c/i.
	included = "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config include.path ../c/i; "
	// committed is a repository with a commit.
	committed = "git init -q x; git -C x commit -q --allow-empty -m x; "
	// template lets what a human makes anew begin as t.
	template        = "git config --global init.templateDir {deed}/t; "
	newFromTemplate = "git init -q ../new && cd ../new && git status"
	// hangs is a git that may not end.
	hangs = "timeout 0.5 git -C x status || "
	// common is a repository whose config and hooks are in s/c.
	common = "git init -q x; mkdir -p s/c; mv x/.git/objects x/.git/refs x/.git/config s/c; rm -r x/.git/hooks; echo ../../s/c > x/.git/commondir; "
)
