package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vibey/tools/layer"
)

func BenchmarkLayer(b *testing.B) {
	for _, name := range []string{"deed", "layer"} {
		b.Run(name, func(b *testing.B) {
			r := Probe(Config{Levels: []Level{Bwrap}, Layers: []layer.By{layer.Overlay}, Leases: b.TempDir(), Spares: 4, Path: os.Getenv("PATH")})
			defer r.End()
			dir := b.TempDir()
			deed := filepath.Join(dir, "deed")
			os.MkdirAll(deed, 0o755)
			for b.Loop() {
				o := r.Command(context.Background(), Spec{Command: "true", Dir: dir, Deed: deed, Layer: name == "layer"})
				if o.Err != nil {
					b.Fatal(o.Err)
				}
				if o.Layer != nil {
					if _, err := o.Layer.Read(context.Background(), layer.Options{}); err != nil {
						b.Fatal(err)
					}
					r.Drop(o.Layer)
				}
			}
		})
	}
}
