package governor

import (
	"encoding/json"
	"testing"
)

// TestChecks: the declared check was run where the exit code of the line is its own.
func TestChecks(t *testing.T) {
	for command, declared := range map[string]string{
		"go test ./...": "go test ./...", "  go \t test ./... ": "go test ./...", "go test ./...\n": "go test  ./...",
		"go test ./... 2>&1": "go test ./...", "npm test 2>&1": "npm test 2>&1", "npm test": "npm test 2>&1",
		"cd deed && npm test": "npm test", "cd deed/app && npm test 2>&1": "npm test", "cd \"my app\" && npm test": "npm test", "cd deed&& npm test": "npm test",
		"CI=1 npm test": "npm test", "cd deed && CI=1 NODE_ENV=test npm test": "npm test",
		"npm ci && npm test": "npm test", "npm ci 2>&1 && npm run build && npm test": "npm test", "echo 'a; b | c' && npm test": "npm test",
		". .venv/bin/activate && pytest -q": "pytest -q", "! grep -rn TODO deed && npm test": "npm test", "export V=$(pwd) && npm test": "npm test",
		"cd deed && go vet ./... && go test ./...": "go vet ./... && go test ./...", "make check | tee log": "make check | tee log",
		"grep -q 'a  b' f": "grep -q 'a  b' f", "set -e && npm test": "npm test", "echo go >&2 && npm test": "npm test",
	} {
		if !ran(t, command, declared) {
			t.Errorf("%q is not taken for %q", command, declared)
		}
	}
	for command, declared := range map[string]string{
		"go\ntest ./...": "go test ./...", "go test\n./...": "go test ./...", "go test\r./...": "go test ./...", "go\vtest ./...": "go test ./...", "go\u00a0test ./...": "go test ./...",
		"echo\ngo test ./...": "go test ./...", "true\nnpm test": "npm test", "npm test\ntrue": "npm test",
		"npm test || true": "npm test", "npm test | cat": "npm test", "npm test; true": "npm test", "true || npm test": "npm test", "false; npm test": "npm test", "npm test &": "npm test",
		"sleep 1 & npm test": "npm test", "true || true && npm test": "npm test", "cat x | npm test": "npm test", "npm test && true": "npm test", "! npm test": "npm test",
		"npm test -- --grep nothing": "npm test", "xnpm test": "npm test", "cd deed &&npm testx": "npm test", "echo npm test": "npm test", "# npm test": "npm test", "true # && npm test": "npm test",
		"exit 0 && npm test": "npm test", "cd deed && exit && npm test": "npm test", "\"exit\" && npm test": "npm test", "ex\\it && npm test": "npm test", "$X && npm test": "npm test", "exec true && npm test": "npm test",
		"trap 'exit 0' EXIT && npm test": "npm test", "npm() (true) && npm test": "npm test", "npm ( ) (true) && npm test": "npm test", "eval exit && npm test": "npm test", "{ exit && npm test": "npm test",
		"X=$(true) npm test; true": "npm test", "grep -q 'a b' f": "grep -q 'a  b' f", "": "npm test", "npm  test'": "npm test",
		"PATH=deed/bin npm test": "npm test", "cd deed && LD_PRELOAD=./x.so npm test": "npm test", "LD_LIBRARY_PATH=. npm test": "npm test", "BASH_ENV=x npm test": "npm test", "ENV=x CI=1 npm test": "npm test", "SHELLOPTS=noexec npm test": "npm test", "IFS=t npm test": "npm test", "NODE_OPTIONS=-r./x npm test": "npm test", "PYTHONPATH=x npm test": "npm test", "GIT_DIR=x npm test": "npm test", "npm_config_script_shell=/bin/true npm test": "npm test", "MAKEFLAGS=-n make check": "make check",
		"export PATH=deed/bin && npm test": "npm test", "PATH=deed/bin:$PATH && npm test": "npm test", "export \"PATH=deed/bin\" && npm test": "npm test", "PATH+=:x && npm test": "npm test", "set -n && npm test": "npm test", "alias npm=true && npm test": "npm test", "hash -p /bin/true npm && npm test": "npm test", "echo 'x && npm test": "npm test", "npm test ": "",
	} {
		if ran(t, command, declared) {
			t.Errorf("%q is taken for %q", command, declared)
		}
	}
}

func ran(t *testing.T, command, declared string) bool {
	in, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	return checks(&call{tool: "run_command", input: string(in)}, declared)
}

// TestAnswers: an exit code of 1 is an answer where only a command that answers can give it.
func TestAnswers(t *testing.T) {
	for _, line := range []string{
		"grep x f", "cd deed && grep -rnE 'a|b;c' .", "cat f | grep x", "test -f a && echo yes", "[ -d x ]", "which node", "diff a b", "cmp a b", "rg x", "cd x; grep y z", "LC_ALL=C grep x f", "make; grep x log", "! grep -q x f", "ps aux | grep -v grep | grep next\n",
		"/bin/grep x f", "/usr/bin/env grep x f", "timeout 5 grep x f", "timeout -k 1s 5s grep x f", "ls deed && grep x f", "pwd && ls; ls -l && rg x", "git grep x", "git -C deed --no-pager grep x", "git diff --quiet", "cd deed && git diff --cached --quiet", "git diff --exit-code HEAD~1", "git diff --no-index a b", "git merge-base --is-ancestor a b", "[[ -f x ]]", "[ -f x ]", "zgrep x f.gz", "command -v node", "command grep x f", "pgrep next", "cd deed && ! LC_ALL=C /usr/bin/grep x f",
	} {
		if !isAnswer(line) {
			t.Errorf("%q answers nothing", line)
		}
	}
	for _, line := range []string{
		"npm test", "grep x f && npm test", "npm test && grep x f", "grep x f | sh", "grep x f; false", "sh -c 'grep x f'", "", "greps x", "echo grep", "grep 'x", "test -f a || npm test", "pkill grep", "git diff", "git commit -m grep", "git -C grep", "git", "./grep x", "deed/bin/grep x f", "timeout 5 npm test", "cat a && grep x f", "command npm test", "timeout 5",
	} {
		if isAnswer(line) {
			t.Errorf("%q is taken for an answer", line)
		}
	}
}
