package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/provider/providertest"
)

// TestStateIsForItsOwnerAlone runs each verb under three umasks, on a state dir that is
// not there and on one that others may write: nothing that a verb makes there can be read
// or written by anybody else, also while a command, an agent and a tool server run, and
// nobody else can enter the folder.
func TestStateIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, umask string
		wide        bool
	}{{"for all", "000", false}, {"usual", "022", false}, {"for one", "077", false}, {"a wide folder", "000", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, providertest.Script{
				Cases: []providertest.Case{{When: "please run", Replies: []providertest.Reply{
					does("I wait.", command("wait", "until [ -e ~/stop ]; do sleep 0.02; done")), {Text: "Done."},
				}}},
				Replies: []providertest.Reply{does("I look.", command("look", "true"), command("not", "false")), {Text: "Done."}},
			})
			p.home, p.umask = t.TempDir(), c.umask
			var old []string
			if c.wide {
				old = wideState(t, p.state)
			}
			var made []string
			alone := func(when string) {
				t.Helper()
				for _, name := range openToOthers(t, p.state, &made) {
					if !slices.Contains(old, name) {
						t.Errorf("%s: %s", when, name)
					}
				}
			}
			p.verbs(alone)
			p.whileServing(alone)
			for _, want := range []string{"key", "token", "codes/", "address", "keys.json", "commands/", "home/p", "home-network/", "agent-cwd/"} {
				if !slices.ContainsFunc(made, func(name string) bool { return strings.HasPrefix(name, want) }) {
					t.Errorf("no verb made %s, only %q", want, made)
				}
			}
		})
	}
}

// wideState makes a state dir that others may write, and returns what is in it.
func wideState(t *testing.T, dir string) []string {
	t.Helper()
	files := []string{"providers", "agents"}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("# none\n"), 0o600), os.Chmod(path, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return files
}

// openToOthers returns what in a state dir others may use, and adds all that is there to
// made.
func openToOthers(t *testing.T, dir string, made *[]string) (open []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // what runs has removed it
		}
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		*made = append(*made, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSymlink && info.Mode().Perm()&0o077 != 0 {
			open = append(open, name)
		}
		if closed, _ := filepath.Match("commands/*.d", name); closed {
			return fs.SkipDir // in it lies what a command is given, with the modes that it is to see
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return open
}

// verbs runs each verb that ends by itself.
func (p *place) verbs(alone func(when string)) {
	p.t.Helper()
	id := ""
	for _, v := range []struct {
		code int
		args []string
	}{
		{3, []string{"run", "-p", "p", "--new", "--provider", "claude", "--slug", "pages", "look"}},
		{3, []string{"approve", "ID", "look"}},
		{0, []string{"deny", "ID", "not"}},
		{0, []string{"tail", "ID"}}, {0, []string{"explain", "ID"}},
		{0, []string{"check", "--state", p.state, p.dir}}, {0, []string{"repair", p.dir}}, {0, []string{"fmt", p.dir}},
		{0, []string{"export", "-p", "p", "p.zip"}}, {0, []string{"import", "p.zip", "q"}},
		{0, []string{"acp"}}, {0, []string{"mcp"}},
	} {
		for i, word := range v.args {
			if word == "ID" {
				v.args[i] = id
			}
		}
		if out, log, code := p.vibey(v.args...); code != v.code {
			p.t.Errorf("%s: exit %d\n%s%s", v.args, code, out, log)
		}
		if id == "" {
			id = p.onlyDialog()
		}
		alone(v.args[0])
	}
}

// whileServing looks while a server runs a command and an agent, before and behind a key
// that is typed in and a code.
func (p *place) whileServing(alone func(when string)) {
	p.t.Helper()
	h := serve(p.t, p, "--agent", "hangs=sleep 60")
	h.ask("POST", "/keys", body{"provider": "claude", "key": "sk-typed-in"}).is(204)
	alone("a key")
	if _, log, code := p.vibey("login"); code != 0 {
		p.t.Errorf("login: exit %d, %s", code, log)
	}
	alone("a code")
	f := h.post(dialogPath, body{"provider": "claude", "prompt": "please run"}).ends("tool_request")
	runs := h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": approve(f.data.ToolCalls...) + "allow network\n"})
	runs.until(0, func(f frame) bool { return f.kind == "section" && f.data.Section.Meta["Kind"] == "started" })
	hangs := h.post(dialogPath, body{"provider": "acp", "model": "hangs", "prompt": "hello"})
	hangs.kind("section")
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		_, agent := os.Stat(filepath.Join(p.state, "agent-cwd", "p"))
		_, home := os.Stat(filepath.Join(p.state, "home-network", "p"))
		if agent == nil && home == nil {
			break
		}
		if time.Since(start) > patience {
			p.t.Fatalf("there is no agent's folder, or no HOME: %v, %v", agent, home)
		}
	}
	alone("a command and an agent")
	if err := os.WriteFile(filepath.Join(p.state, "home-network", "p", "stop"), nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
	runs.ends("done")
	hangs.close()
	h.kill(syscall.SIGTERM)
	alone("the end")
}
