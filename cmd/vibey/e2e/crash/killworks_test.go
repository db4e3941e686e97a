package crash

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// work is a command that the model calls. Each leaves a line in the deed and one in its
// HOME whenever it runs, and the same in the end whatever ran before.
type work struct{ id, command string }

// seeded makes what stands in a deed before the first command.
const seeded = `cd deed && mkdir -p many dir/sub folder shut && echo x >dir/sub/x && echo f >folder/f && echo old >replaced && : >count
echo '#!/bin/sh' >script; chmod 644 script; ln -s replaced link; echo s >shut/s; chmod 555 shut
for i in $(seq 60); do echo $i >many/$i; done`

// works are by name what commands do. ID is the call's.
var works = map[string]string{
	"small":   `echo new >new-ID; echo longer text of ID >replaced; chmod 755 script; ln -sfn count link`,
	"delete":  `rm -rf dir link; chmod 755 shut; rm -rf shut; rm -f many/5*`,
	"folders": `mkdir -p a-ID/b/c e-ID dir; echo 1 >a-ID/b/c/f; echo 2 >a-ID/g; ln -s g a-ID/h; chmod 700 e-ID; echo 3 >dir/in-ID`,
	"swap":    `rm -rf folder; echo a file >folder; rm -rf replaced; mkdir -p replaced/in; echo ID >replaced/in/y`,
	"home":    `mkdir -p ~/d-ID/e; echo h >~/d-ID/e/f; echo h >~/shared; rm -f ~/old; echo o >~/old-ID; echo new >new-ID`,
	"large": `mkdir -p big-ID/in; for i in $(seq 220); do echo $i ID >big-ID/in/$i; done; for i in $(seq 60); do echo ID $i >>many/$i; done; ` +
		`rm -f many/1? many/2?; for i in $(seq 100 220); do echo ID >many/n-$i; done; rm -rf dir`,
	"blob":  `head -c 5000000 /dev/zero | tr '\0' x >blob; echo ID >>blob`,
	"slow":  `echo 1 >slow-ID; sleep 300 & sleep 0.05; echo 2 >>slow-ID; mv many kept-ID; mkdir -p many`,
	"fails": `echo tried >new-ID; false`,
}

// pick takes one to three of them.
func pick(random *rand.Rand) (all []work) {
	names := []string{"small", "delete", "folders", "swap", "home", "home", "large", "large", "large", "blob", "slow", "fails"}
	for i := range 1 + random.IntN(3) {
		name := names[random.IntN(len(names))]
		id := fmt.Sprintf("%s_%d", name, i)
		command := fmt.Sprintf("echo %s >>~/runs; cd deed && echo %[1]s >>count && { %s; }", id, works[name])
		all = append(all, work{id, strings.ReplaceAll(command, "ID", id)})
	}
	return all
}

func (w work) call() providertest.Call {
	args, _ := json.Marshal(map[string]string{"command": w.command})
	return providertest.Call{ID: w.id, Name: "run_command", Args: providertest.Args(args)}
}

// inShell runs a command as one within walls, but for the walls.
func inShell(t *testing.T, command, dir, home string) {
	t.Helper()
	command = strings.ReplaceAll(command, "sleep 300 & ", "") // which walls end
	c := exec.Command("/bin/sh", "-c", "("+command+") >/dev/null 2>&1; true")
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", command, err, out)
	}
}

// lies is all that stands below a folder: by name its kind, permissions, and bytes or
// target.
func lies(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += " " + dialog.SHA256(b)[:12]
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			what += " " + to
		}
		all[name] = what
		return nil
	})
	if err != nil {
		t.Errorf("look at %s: %v", dir, err)
	}
	return all
}

// wanted is what stands in deed and HOME when these commands counted and no other.
func wanted(t *testing.T, counted []work) (deed, home map[string]string) {
	dir := t.TempDir()
	for _, name := range []string{"deed", "home"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := filepath.Join(dir, "home")
	inShell(t, seeded, dir, at)
	for _, w := range counted {
		inShell(t, w.command, dir, at)
	}
	return lies(t, filepath.Join(dir, "deed")), lies(t, at)
}
