package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is a machine in small: a root with two projects, a state dir, a home.
type world struct {
	dir, root, project, deed, other, state, home string
}

// newWorld makes one where private folders of the walls do not hide it.
func newWorld(t testing.TB) world {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil || os.MkdirAll(cache, 0o700) != nil {
		cache = ""
	}
	dir, err := os.MkdirTemp(cache, "vibey-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir, _ = filepath.EvalSymlinks(dir)
	w := world{
		dir: dir, root: dir + "/root", project: dir + "/root/book", deed: dir + "/root/book/deed", other: dir + "/root/other",
		state: dir + "/state", home: dir + "/state/home/book",
	}
	for _, d := range []string{w.deed, w.other, w.home} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.write(t, "root/book/doc-main.md", "# Book\n")
	w.write(t, "root/book/dialog-20260101-000000-a-waiting.md", "# Dialog\n")
	w.write(t, "root/other/doc-main.md", "other's secret\n")
	w.write(t, "state/key", "install key\n")
	w.write(t, "state/token", "the token\n")
	return w
}

func (w world) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w world) spec(command string) Spec {
	return Spec{Command: command, Dir: w.project, Home: w.home, Deed: w.deed}
}

func (w world) config(l ...Level) Config {
	return Config{Levels: l, Hide: []string{w.root, w.state}, Path: os.Getenv("PATH"), Limit: 20 * time.Second}
}

// levelsHere are the levels that this machine can do, by name, with walls.
func levelsHere(t testing.TB, w world) map[Level]*Runner {
	found := map[Level]*Runner{}
	for _, l := range []Level{Bwrap, Landlock} {
		if r := Probe(w.config(l)); r.Level() == l {
			found[l] = r
		} else {
			t.Logf("level %s is not to be had here", l)
		}
	}
	return found
}

func TestTry(t *testing.T) {
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		for _, c := range strings.Split(os.Getenv("TRY"), "\n") {
			o := r.Command(t.Context(), w.spec(c))
			t.Logf("%s: %s\n%d %v %v %s\n%s\n%s", l, c, o.ExitCode, o.Err, o.Notes, o.Exceeded, o.Stdout.Text, o.Stderr.Text)
		}
	}
}
