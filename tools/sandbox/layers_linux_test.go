package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/tools/layer"
)

// A command with a layer sees the deed and what it writes itself; the deed stays as it is. Of
// the capabilities by which the layer was mounted the command has none, and can get none.
func TestLayer(t *testing.T) {
	for _, by := range []layer.By{layer.Overlay, layer.Copy} {
		r := layerRunner(t, by)
		dir := t.TempDir()
		deed := filepath.Join(dir, "a, b:c\\d", "deed")
		os.MkdirAll(deed, 0o755)
		os.WriteFile(filepath.Join(deed, "old"), []byte("old\n"), 0o644)
		for range 3 { // a spare is used
			o := r.Command(context.Background(), Spec{Command: "cd deed && cat old && echo new >old && echo more >more && cat old more; ls -A /.layers; grep -e '^Cap[^B].*:.*[1-9a-f]' -e '^NoNewPrivs:.0' /proc/self/status; grep -c ^Cap /proc/self/status; ls -A", Dir: filepath.Dir(deed), Deed: deed, Layer: true})
			if o.Err != nil || o.Layer == nil {
				t.Fatal(o.Err, o.Layer)
			}
			if got := string(o.Stdout.Text); got != "old\nnew\nmore\n5\nmore\nold\n" {
				t.Errorf("%s: %s\n%s", by, got, o.Stderr.Text)
			}
			if b, _ := os.ReadFile(filepath.Join(deed, "old")); string(b) != "old\n" {
				t.Errorf("%s: the deed has %q", by, b)
			}
			if b, _ := os.ReadFile(filepath.Join(o.Layer.Up(), "old")); string(b) != "new\n" {
				t.Errorf("%s: the layer has %q", by, b)
			}
			o.Layer.Drop()
		}
	}
}

func layerRunner(t *testing.T, by layer.By) *Runner {
	t.Helper()
	r := Probe(Config{Levels: []Level{Bwrap}, Layers: []layer.By{by}, Leases: t.TempDir(), Spares: 4, Path: os.Getenv("PATH")})
	t.Cleanup(r.End)
	if r.Level() != Bwrap {
		testenv.Lacks(t, testenv.Bubblewrap)
	}
	if r.LayersBy() != by {
		t.Fatalf("%v, %v, %v", r.Missing(), r.LayersBy(), r.LayersErr())
	}
	return r
}

// A command that wrote nothing leaves its layer to a later one of its deed, and to no other
// deed's; of one that wrote, or set the mode or an attribute of the deed itself, nothing is
// met again. At the end nothing of them is left.
func TestLayerAgain(t *testing.T) {
	r := layerRunner(t, layer.Overlay)
	deeds := [2]string{}
	for i := range deeds {
		deeds[i] = filepath.Join(t.TempDir(), "deed")
		os.Mkdir(deeds[i], 0o755)
	}
	run := func(deed int, command string) (dir string, changes int) {
		t.Helper()
		o := r.Command(context.Background(), Spec{Command: "cd deed && " + command, Dir: filepath.Dir(deeds[deed]), Deed: deeds[deed], Layer: true})
		if o.Err != nil || o.ExitCode != 0 {
			t.Fatal(o.Err, string(o.Stderr.Text))
		}
		read, err := o.Layer.Read(context.Background(), layer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Drop(o.Layer)
		r.layers.dropping.Lock() // until it is dropped, or cleared
		defer r.layers.dropping.Unlock()
		return o.Layer.Dir, len(read.Changes) + len(read.Times)
	}
	seen, again := map[string]int{}, 0
	for i := range 40 {
		dir, changes := run(i%2, `test -z "$(ls -A)" && test "$(stat -c %a .)" = 755 && test "$(stat -c %Y .)" -gt 1000000000`)
		if of, old := seen[dir]; old && of != i%2 {
			t.Fatal("a layer of another deed")
		} else if old {
			again++
		}
		if seen[dir] = i % 2; changes > 0 {
			t.Fatal(changes, "changes of a command that made none")
		}
		wrote := []string{"echo x >new", "chmod 700 .", "mkdir a && rmdir a", "touch -d @1000 ."}[i/2%4]
		run(i%2, wrote)
	}
	if again == 0 {
		t.Error("no layer was used again")
	}
	r.End()
	if left, _ := filepath.Glob(filepath.Join(r.config.Leases, "*", "layer-*")); len(left) > 0 {
		t.Error(left)
	}
}

// A folder that stood there before is not renamed by rename(2) above an overlay, and is by mv, which
// copies it then; in a copy, and of one that the command made, both do. A file of two names is two files
// above an overlay once one of them is written.
func TestLayerRenames(t *testing.T) {
	for _, by := range []layer.By{layer.Overlay, layer.Copy} {
		r := layerRunner(t, by)
		deed := filepath.Join(t.TempDir(), "deed")
		os.MkdirAll(filepath.Join(deed, "old"), 0o755)
		os.WriteFile(filepath.Join(deed, "old/f"), []byte("f"), 0o644)
		os.WriteFile(filepath.Join(deed, "one"), []byte("1"), 0o644)
		os.Link(filepath.Join(deed, "one"), filepath.Join(deed, "two"))
		o := r.Command(context.Background(), Spec{Command: `cd deed && perl -e 'print rename("old", "moved") ? "renamed" : $!+0, "\n"'; mv old moved 2>/dev/null; cat moved/f; echo
			mkdir new && perl -e 'print rename("new", "made") ? "renamed" : $!+0, "\n"'; printf 2 >>one; cat two`, Dir: filepath.Dir(deed), Deed: deed, Layer: true})
		if o.Err != nil || o.Layer == nil {
			t.Fatal(o.Err, o.Layer)
		}
		want := map[layer.By]string{layer.Overlay: "18\nf\nrenamed\n1", layer.Copy: "renamed\nf\nrenamed\n12"}[by] // 18 is EXDEV
		if got := string(o.Stdout.Text); got != want {
			t.Errorf("%s: %q, not %q\n%s", by, got, want, o.Stderr.Text)
		}
		read, err := o.Layer.Read(context.Background(), layer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var changes []string
		for _, c := range read.Changes {
			changes = append(changes, string(c.Kind)+" "+c.Path)
		}
		list := strings.Join(changes, "\n")
		want = "added deed/made\nadded deed/moved\nadded deed/moved/f\ndeleted deed/old\ndeleted deed/old/f\nchanged deed/one"
		if by == layer.Copy {
			want += "\nchanged deed/two"
		}
		if list != want {
			t.Errorf("%s:\n%s\nwant\n%s", by, list, want)
		}
		o.Layer.Drop()
	}
}
