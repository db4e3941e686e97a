package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"vibey/cmd/tally/testenv"
	"vibey/dialog/change"
	"vibey/tools/sandbox"
)

func TestRunCommand(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		command        string
		exit           float64
		stdout, stderr string
	}{
		{"true", 0, "", ""},
		{"echo hi", 0, "hi\n", ""},
		{"echo oops >&2; exit 3", 3, "", "oops\n"},
		{"printf 'no end'", 0, "no end", ""},
		{"false", 1, "", ""},
		{"kill -TERM $$", 143, "", ""},
		{"exec 2>&1; echo both >&2", 0, "both\n", ""},
		{"cat", 0, "", ""}, // stdin is empty: nothing waits for input
		{"pwd", 0, "$DIR\n", ""},
		{"cat doc-main.md", 0, "# Mine\n", ""},
		{"echo \"$HOME\"", 0, "$HOME\n", ""},
		{"test -d \"$HOME\" && echo there", 0, "there\n", ""},
		{"echo '<b>&amp;</b>' \"$((1+2))\"", 0, "<b>&amp;</b> 3\n", ""},
		{"printf 'a\\0b'", 0, "a\x00b", ""},
		{"echo one; echo two", 0, "one\ntwo\n", ""},
		{"exit 256", 0, "", ""},
		{"exit 255", 255, "", ""},
		{"true | false", 1, "", ""},
		{"echo $0 $#", 0, "/bin/sh 0\n", ""},
		{"test -t 0 || test -t 1 || (exec < /dev/tty) 2>/dev/null || echo no terminal", 0, "no terminal\n", ""},
	} {
		w := newWorld(t)
		fill := strings.NewReplacer("$DIR", w.dir, "$HOME", w.env.Home).Replace
		r, m := w.call("run_command", "command", c.command)
		if m["exitCode"] != c.exit || m["stdout"] != fill(c.stdout) || m["stderr"] != c.stderr {
			t.Errorf("%s: %s", c.command, r.JSON)
		}
		if r.Success != (c.exit == 0) || r.Failure != "" || r.Sandbox != "none" || m["sandbox"] != "none" {
			t.Errorf("%s: success %v, failure %q, sandbox %q: %s", c.command, r.Success, r.Failure, r.Sandbox, r.JSON)
		}
		if list, ok := m["changed"].([]any); !ok || len(list) != 0 {
			t.Errorf("%s: changed %v", c.command, m["changed"])
		}
		if m["note"] != nil || m["droppedBytes"] != nil {
			t.Errorf("%s: %s", c.command, r.JSON)
		}
	}
}

func TestRunCommandUnknownProgram(t *testing.T) {
	w := newWorld(t)
	r, m := w.call("run_command", "command", "no-such-program")
	if m["exitCode"] != 127.0 || r.Failure != "" || !strings.Contains(fmt.Sprint(m["stderr"]), "not found") {
		t.Error(r.JSON)
	}
}

func TestRunCommandEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "VIBEY_STATE", "SOME_OTHER", "SSH_AUTH_SOCK", "LD_PRELOAD_X"} {
		t.Setenv(name, "from the server")
	}
	w := newWorld(t)
	_, m := w.call("run_command", "command", "env")
	allowed := map[string]bool{"PATH": true, "HOME": true, "LANG": true, "TERM": true, "PWD": true, "TOOL_CALL": true, "OLDPWD": true, "_": true, "SHLVL": true, "EMAIL": true}
	for line := range strings.Lines(m["stdout"].(string)) {
		if name, _, _ := strings.Cut(line, "="); !allowed[name] {
			t.Errorf("a command sees %q", line)
		}
	}
	_, again := w.call("run_command", "command", "env")
	if m["stdout"] != again["stdout"] {
		t.Errorf("the same command shows another environment: %q, %q", m["stdout"], again["stdout"])
	}
}

func TestRunCommandCannotStart(t *testing.T) {
	w := newWorld(t)
	if r, _ := w.call("run_command", "command", "true "+strings.Repeat("x", 200<<10)); r.Failure != ExecError || !strings.Contains(r.JSON, "too long for this system") {
		t.Errorf("%.300s", r.JSON)
	}
	if r, _ := w.callArgs("run_command", `{"command":"a\u0000b"}`); r.Failure != Schema {
		t.Error(r.JSON)
	}
	w.env.ProjectDir += "-gone"
	if r, m := w.call("run_command", "command", "true"); r.Failure != ExecError || m["exitCode"] != nil {
		t.Error(r.JSON)
	}
}

func TestRunCommandLimit(t *testing.T) {
	w := newWorld(t)
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Limit: 200 * time.Millisecond})
	begin := time.Now()
	r, m := w.call("run_command", "command", "echo begun; echo x > deed/x; sleep 1000")
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if r.Success || r.Failure != "" || m["stdout"] != "begun\n" || m["exitCode"] != 137.0 || !strings.Contains(r.JSON, "stopped after 200ms") {
		t.Error(r.JSON)
	}
	if named := change.Named(r.JSON); len(named) != 1 || named[0].Path != "deed/x" {
		t.Errorf("what it changed is not told: %s", r.JSON)
	}
}

func TestRunCommandStopped(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := syscall.Mkfifo(w.path("deed/begun"), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		w.get("deed/begun") // comes back once the command has written
		cancel()
	}()
	begin := time.Now()
	r := w.set.Call(ctx, w.env, "run_command", arguments("command", "echo x > deed/begun; sleep 1000"))
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if !r.Interrupted || r.Success || r.JSON != `{"success":false,"error":"interrupted: stopped by user"}` || r.Sandbox != "none" {
		t.Errorf("%+v", r)
	}
}

func TestRunCommandOutput(t *testing.T) {
	testenv.Slow(t)
	w := newWorld(t)
	const mib = 1 << 20
	r, m := w.call("run_command", "command", fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", mib))
	if len(m["stdout"].(string)) != mib || m["droppedBytes"] != nil {
		t.Errorf("a MiB was cut: %d bytes, %v dropped", len(m["stdout"].(string)), m["droppedBytes"])
	}
	_, m = w.call("run_command", "command", fmt.Sprintf("echo first; head -c %d /dev/zero | tr '\\0' x; echo; echo last; echo beside >&2", 3*mib))
	out := m["stdout"].(string)
	dropped := int64(m["droppedBytes"].(float64))
	marker := fmt.Sprintf("\n[… %d bytes dropped here …]\n", dropped)
	if !strings.HasPrefix(out, "first\nxxx") || !strings.HasSuffix(out, "xxx\nlast\n") || m["stderr"] != "beside\n" {
		t.Errorf("head and tail: %.20q … %q", out, out[len(out)-20:])
	}
	if whole := int64(len("first\n\nlast\n") + 3*mib); int64(len(out)-len(marker))+dropped != whole || strings.Count(out, marker) != 1 {
		t.Errorf("%d kept and %d dropped are not %d", len(out)-len(marker), dropped, whole)
	}
	if kept := len(out) - len(marker) + len("beside\n"); kept > mib {
		t.Errorf("%d bytes kept", kept)
	}

	_, m = w.call("run_command", "command", `printf 'a\377\376b\303'`)
	if m["stdout"] != "a\uFFFDb\uFFFD" || !strings.Contains(fmt.Sprint(m["note"]), "stdout was not UTF-8") {
		t.Errorf("%q, %v", m["stdout"], m["note"])
	}
	// Characters of three bytes, cut in the middle: no half of one is left.
	r, m = w.call("run_command", "command", "yes 日本語日本語日本語 | head -c 3000000")
	if strings.Contains(m["stdout"].(string)[:len(m["stdout"].(string))-10], "\uFFFD") || !utf8.ValidString(r.JSON) {
		t.Error("a character was cut in two")
	}
}

func TestRunCommandFlood(t *testing.T) {
	w := newWorld(t)
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Limit: 300 * time.Millisecond})
	r, m := w.call("run_command", "command", "yes & yes >&2")
	if r.Success || !strings.HasPrefix(m["stdout"].(string)+m["stderr"].(string), "y\n") {
		t.Errorf("%.300s", r.JSON)
	}
	if kept := len(m["stdout"].(string)) + len(m["stderr"].(string)); kept > 1<<20+200 {
		t.Errorf("%d bytes kept", kept)
	}
}

func TestNote(t *testing.T) {
	for command, want := range map[string]bool{
		"echo x > y.txt":                         true,
		"echo x >> y.txt":                        true,
		"mkdir -p src && touch src/a":            true,
		"cat doc-main.md | tee copy.txt":         true,
		"cp doc-main.md doc-copy.md":             true,
		"sed -i s/a/b/ doc-main.md":              true,
		"sh -c 'echo x > hidden.txt'":            true, // seen by what it left
		"false || mv a b":                        true,
		"echo x > /nonexistent/y":                true,
		"ls":                                     false,
		"ls > /dev/null 2>&1":                    false,
		"cat doc-main.md 2>/dev/null":            false,
		"grep -r '> mv cp' .":                    false,
		"echo \"a > b\"":                         false,
		"test 2 -gt 1":                           false,
		"cd deed && touch x":                     false,
		"touch deed/x":                           false,
		"(cd ./deed; mkdir y)":                   false,
		"echo x > \"deed/y\"":                    false,
		"git log --oneline 2>&1 | head -3; true": false,
	} {
		w := newWorld(t)
		_, m := w.call("run_command", "command", command)
		note, _ := m["note"].(string)
		if strings.HasPrefix(note, "[NOTE] ") != want {
			t.Errorf("%s: note %q", command, note)
		}
		if want && (!strings.Contains(note, "project folder") || !strings.Contains(note, "cd deed && ")) {
			t.Errorf("%s: note %q", command, note)
		}
	}
}

func TestNoteOnce(t *testing.T) {
	w := newWorld(t)
	r, _ := w.call("run_command", "command", "echo x > a.txt")
	if !change.Noted(r.JSON) {
		t.Fatal(r.JSON)
	}
	w.env.Noted = true
	if r, _ := w.call("run_command", "command", "echo x > b.txt"); change.Noted(r.JSON) {
		t.Error(r.JSON)
	}
	w.env.Noted = false
	r, _ = w.call("run_command", "command", `echo '"note":"[NOTE]"'`)
	if change.Noted(r.JSON) {
		t.Errorf("output is taken for a note: %s", r.JSON)
	}
}

func TestChanged(t *testing.T) {
	for _, c := range []struct {
		name, before, command, want string
	}{
		{"new", "", "echo a > deed/a", "a=a\n"},
		{"same size, same mtime", "echo a > deed/a; touch -d 2020-01-01 deed/a", "echo b > deed/a; touch -d 2020-01-01 deed/a", "a=b\n"},
		{"touched only", "echo a > deed/a; touch -d 2020-01-01 deed/a", "touch deed/a", "a=a\n"},
		{"mode", "echo a > deed/a", "chmod +x deed/a", "a=a\n"},
		{"gone", "echo a > deed/a", "rm deed/a", "a gone"},
		{"renamed", "echo a > deed/a", "mv deed/a deed/b", "a gone|b=a\n"},
		{"replaced by rename", "echo a > deed/a; echo b > deed/b", "mv deed/b deed/a", "a=b\n|b gone"},
		{"below", "mkdir -p deed/x/y", "echo a > deed/x/y/z", "x/y/z=a\n"},
		{"sorted", "", "for i in c a b; do echo $i > deed/$i; done", "a=a\n|b=b\n|c=c\n"},
		{"folder gone", "mkdir deed/x; echo a > deed/x/a", "rm -r deed/x", "x/a gone"},
		{"file to folder", "echo a > deed/x", "rm deed/x; mkdir deed/x; echo b > deed/x/b", "x gone|x/b=b\n"},
		{"git and node_modules", "mkdir -p deed/.git deed/n/node_modules", "echo a > deed/.git/x; echo a > deed/n/node_modules/x; echo a > deed/n/y", "n/y=a\n"},
		{"link", "", "ln -s a deed/l", "l -> a"},
		{"link out", "", "ln -s /etc deed/l", "l -> /etc"},
		{"link turned", "ln -s a deed/l", "rm deed/l; ln -s b deed/l", "l -> b"},
		{"empty folder", "", "mkdir deed/x", ""},
		{"beside", "", "echo a > beside", ""},
		{"pipe", "", "mkfifo deed/p", ""},
		{"failing", "", "echo a > deed/a; exit 1", "a=a\n"},
		{"odd name", "", `echo a > 'deed/a "b"'`, `a "b"=` + "a\n"},
		{"not UTF-8", "", `echo a > "$(printf 'deed/a\377')"`, "a\uFFFD=a\n"},
		{"nothing", "echo a > deed/a", "cat deed/a", ""},
	} {
		w := newWorld(t)
		if c.before != "" {
			w.call("run_command", "command", c.before)
		}
		r, m := w.call("run_command", "command", c.command)
		var got []string
		for _, x := range m["changed"].([]any) {
			f := x.(map[string]any)
			name := strings.TrimPrefix(f["path"].(string), "deed/")
			switch {
			case f["deleted"] == true:
				got = append(got, name+" gone")
			case f["link"] != nil:
				got = append(got, name+" -> "+f["link"].(string))
			default:
				for _, text := range []string{"a\n", "b\n", "c\n"} {
					if f["sha256"] == shaOf(text) {
						got = append(got, name+"="+text)
					}
				}
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q: %s", c.name, strings.Join(got, "|"), c.want, r.JSON)
		}
	}
}

func TestChangedMany(t *testing.T) {
	w := newWorld(t)
	r, m := w.call("run_command", "command", "cd deed; for i in $(seq 300); do : > f$i; done")
	if n := len(m["changed"].([]any)); n != listLimit || m["changedMore"] != float64(300-listLimit) {
		t.Errorf("%d listed, %v more: %.200s", n, m["changedMore"], r.JSON)
	}
}

func TestChangedUnknown(t *testing.T) {
	w := newWorld(t)
	w.call("run_command", "command", "cd deed; mkdir a b .git; for i in $(seq 10); do : > a/$i; : > .git/$i; done")
	deed, err := openDeed(w.env, true)
	if err != nil {
		t.Fatal(err)
	}
	defer deed.Close()
	// a, b, .git and the ten in a: what is left out is not counted.
	if survey(deed, 12) != nil || len(survey(deed, 13)) != 10 {
		t.Errorf("%d files, %d within 12 entries", len(survey(deed, 13)), len(survey(deed, 12)))
	}
	closed, err := openDeed(w.env, true)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	// Without a first survey there is no second one, which would fail without a deed.
	for _, c := range []changes{Sight(nil).until(t.Context(), nil), Sight{}.until(t.Context(), closed)} {
		r := Result{body: &ran{Changed: c}}.sealed()
		if !strings.Contains(r.JSON, `"changed":"unknown"`) || change.Named(r.JSON) != nil {
			t.Error(r.JSON)
		}
	}
	if walkLimit != 20_000 {
		t.Error("the spec says 20,000")
	}
}

func TestChangedLarge(t *testing.T) {
	w := newWorld(t)
	_, m := w.call("run_command", "command", fmt.Sprintf("truncate -s %d deed/huge; echo a > deed/small", hashLimit+1))
	list := m["changed"].([]any)
	huge, small := list[0].(map[string]any), list[1].(map[string]any)
	if huge["bytes"] != float64(hashLimit+1) || huge["sha256"] != nil || small["sha256"] != shaOf("a\n") {
		t.Errorf("%v", list)
	}
}

func TestCommandsTogether(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r := w.set.Call(t.Context(), w.env, "run_command", arguments("command", fmt.Sprintf("echo %d; (setsid sleep 1000 &) ; echo x > deed/%d", i, i)))
			if m := fieldsOfResult(t, r); !r.Success || m["stdout"] != fmt.Sprintf("%d\n", i) {
				t.Error(r.JSON)
			}
		})
	}
	all.Wait()
}

func TestMissingHomeIsMade(t *testing.T) {
	w := newWorld(t)
	w.call("run_command", "command", "true")
	if fi, err := os.Stat(w.env.Home); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", fi, err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.env.Home = filepath.Join(w.dir, "file", "home")
	if r, _ := w.call("run_command", "command", "true"); r.Failure != ExecError || strings.Contains(r.JSON, w.dir) {
		t.Error(r.JSON)
	}
}

// Above a HOME nothing is made: the state dir that it lies in may have been moved just now.
func TestHomeOfWhatWentAway(t *testing.T) {
	w := newWorld(t)
	gone := filepath.Join(w.dir, "gone")
	w.env.Home = filepath.Join(gone, "home")
	if r, _ := w.call("run_command", "command", "true"); r.Failure != ExecError {
		t.Error(r.JSON)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("it was made")
	}
}
