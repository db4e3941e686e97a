package sandbox

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vibey/tools/disk/tree"
)

var repository = flag.String("repository", "", "a copy of Vibey's source, with the window's modules, to be built as a deed")

// TestRepositoryAsDeed: this program can be worked on by its own agents. What was compiled
// for this test is in their cache, as after a first build; a line is added, so that all that
// rests on the package dialog is compiled anew. It takes minutes, so it runs where -repository
// says so, as `just deed` does.
func TestRepositoryAsDeed(t *testing.T) {
	if *repository == "" {
		return
	}
	w := newWorld(t)
	modules, _, _, err := tree.Follow(filepath.Join(*repository, "client/node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	copied := exec.Command("/bin/sh", "-ec", `cd "$1"; git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$2"; mkdir "$2/client/node_modules"; cp -a "$3/." "$2/client/node_modules/"`, "sh", *repository, w.deed, modules)
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seed := exec.Command("/bin/sh", "-ec", `mkdir -p "$1/.cache"; cp -al "$(go env GOCACHE)" "$1/.cache/go-build"`, "sh", w.home)
	if out, err := seed.CombinedOutput(); err != nil { // on another disk: all is compiled
		t.Logf("%v: %s", err, out)
	}
	levels := levelsHere(t, w)
	for _, l := range []Level{Bwrap, Landlock} {
		if levels[l] == nil {
			t.Errorf("%s is not to be had here", l)
			continue
		}
		c := w.config(l)
		c.Limit = 10 * time.Minute
		r := Probe(c)
		for _, command := range []string{"cd deed/client && npm run build", "cd deed && echo '// Changed.' >>dialog/doc.go && go build ./...", "cd deed && go test -short ./dialog"} {
			begin := time.Now()
			o := r.Command(t.Context(), w.spec("export GOFLAGS="+Quote(os.Getenv("GOFLAGS"))+"; "+command))
			if o.ExitCode != 0 || o.Err != nil {
				t.Errorf("%s: %s: %v, exit code %d\n%s%s", l, command, o.Err, o.ExitCode, o.Stdout.Text, o.Stderr.Text)
			}
			t.Logf("%s: %s: %v", l, command, time.Since(begin))
		}
	}
}
