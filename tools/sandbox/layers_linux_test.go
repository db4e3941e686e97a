package sandbox

import (
	"context"
	"os"
	"path/filepath"
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
