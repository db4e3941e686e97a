package turn

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/hub"
)

// plants are files by which programs take up code or settings from the folder that they
// start in. PLANT is a program that writes the mark of the test.
var plants = map[string]string{
	"planted":                           "#!/bin/sh\nexec PLANT\n",
	"node_modules/.bin/planted":         "#!/bin/sh\nexec PLANT\n",
	"node_modules/planted/package.json": `{"name":"planted","version":"1.0.0","bin":"run.js","main":"run.js"}`,
	"node_modules/planted/run.js":       "#!/usr/bin/env node\nrequire('child_process').execFileSync('PLANT')\n",
	".npmrc":                            "script-shell=PLANT\n",
	"planted.py":                        "import os\nos.system('PLANT')\n",
	"json.py":                           "import os\nos.system('PLANT')\n",
	"Makefile":                          "all:\n\tPLANT\n",
	".git/HEAD":                         "ref: refs/heads/main\n",
	".git/config":                       "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = PLANT\n[alias]\n\tplanted = !PLANT\n",
	".git/objects/keep":                 "",
	".git/refs/keep":                    "",
}

// An agent starts beside nothing that a command or a tool has put into the deed, whatever
// its program takes up from the folder that it starts in, and by whatever list of folders.
func TestAgentStartsBesideNothing(t *testing.T) {
	testenv.Slow(t)
	ran := filepath.Join(t.TempDir(), "ran")
	plant := filepath.Join(t.TempDir(), "plant")
	if err := os.WriteFile(plant, []byte("#!/bin/sh\necho ran >>'"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "PYTHONPATH": ".", "NODE_PATH": "node_modules", "PATH": "node_modules/.bin::" + os.Getenv("PATH"),
		"npm_config_offline": "true", "npm_config_cache": filepath.Join(home, "npm"), "npm_config_update_notifier": "false", "npm_config_yes": "true",
	} {
		t.Setenv(name, value)
	}
	step := testenv.Stride(t, 3)
	for i, args := range [][]string{
		{"npx", "-y", "planted"}, {"npm", "exec", "-c", "true"}, {"node", "-e", "require('planted')"}, {"node", "node_modules/planted/run.js"},
		{"python3", "-m", "planted"}, {"python3", "-c", "import json"}, {"make"}, {"git", "status"}, {"git", "planted"},
		{"planted"}, {"./planted"}, {"node_modules/.bin/planted"}, {"sh", "-c", "planted; ./planted"}, {"sh", "planted"},
	} {
		if i%step != 0 {
			continue
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			if _, err := exec.LookPath(args[0]); errors.Is(err, exec.ErrNotFound) && plants[args[0]] == "" {
				brings := map[string]string{"node": "nodejs", "npx": "npm"}
				testenv.Lacks(t, testenv.Need(args[0]+" (apt install "+cmp.Or(brings[args[0]], args[0])+")"))
			}
			a := newAgentWorld(t, "")
			for name, text := range plants {
				a.write(name, strings.ReplaceAll(text, "PLANT", plant))
			}
			deed := filepath.Join(a.dir, "root/p/deed")
			for _, name := range []string{"planted", "node_modules/.bin/planted", "node_modules/planted/run.js"} {
				if err := os.Chmod(filepath.Join(deed, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			agents := acp.New([]acp.Agent{{Name: "mock", Args: args}}, a.idle)
			a.run.w.Provider = func(string) (provider.Provider, bool) { return agents, true }
			id, es := a.ask("go")
			if last := es[len(es)-1]; strings.Contains(last.Message, "settings") {
				es = a.put(Input{DialogID: id, Continue: true}) // as a human who has read them
			}
			if last := es[len(es)-1]; last.Type != hub.ErrorEvent || !strings.Contains(last.Message, "could not be started") && !strings.Contains(last.Message, "did not begin") {
				t.Errorf("ends with %+v", last)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("what was planted in the deed ran")
				os.Remove(ran)
			}
			c := exec.Command("sh", append([]string{"-c", `exec "$@"`, "sh"}, args...)...)
			c.Dir = deed
			out, _ := c.CombinedOutput() // most of them fail behind the plant
			if _, err := os.Stat(ran); err != nil {
				t.Errorf("started in the deed it runs nothing, so this proves nothing: %s", out)
			}
			os.Remove(ran)
		})
	}
}

// The folder that an agent starts in is empty and its own, and gone when it has ended.
func TestAgentStartsInAFolderOfItsOwn(t *testing.T) {
	a := newAgentWorld(t, "prompt\n")
	out := filepath.Join(a.dir, "out")
	args := []string{"/bin/sh", "-c", `{ pwd; ls -A; echo "PWD=$PWD"; } >"$0"; touch left; exec "$@"`, out}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agents := acp.New([]acp.Agent{{Name: "mock", Args: append(args, self, "play-agent", a.file, a.log)}}, a.idle)
	a.run.w.Provider = func(string) (provider.Provider, bool) { return agents, true }
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", last)
	}
	dir := filepath.Join(a.dir, "agent-cwd/p", id)
	if b, err := os.ReadFile(out); err != nil || string(b) != dir+"\nPWD="+dir+"\n" {
		t.Errorf("it starts in %q, %v", b, err)
	}
	if !strings.Contains(a.came(), `"cwd":"`+filepath.Join(a.dir, "root/p/deed")+`"`) {
		t.Errorf("the session's folder is not the deed: %s", a.came())
	}
	a.run.Shutdown(context.Background())
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}
