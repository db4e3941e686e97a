package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"vibey/tools/layer"
)

func BenchmarkLayer(b *testing.B) {
	for name, files := range map[string]int{"deed": 0, "layer": 0, "layer over 100,000 files": 100_000} {
		b.Run(name, func(b *testing.B) {
			r := Probe(Config{Levels: []Level{Bwrap}, Layers: []layer.By{layer.Overlay}, Leases: b.TempDir(), Spares: 4, Path: os.Getenv("PATH")})
			defer r.End()
			dir := b.TempDir()
			deed := filepath.Join(dir, "deed")
			os.MkdirAll(deed, 0o755)
			for i := range files {
				at := filepath.Join(deed, strconv.Itoa(i/100))
				os.MkdirAll(at, 0o755)
				os.WriteFile(filepath.Join(at, strconv.Itoa(i)), nil, 0o644)
			}
			for b.Loop() {
				o := r.Command(context.Background(), Spec{Command: "true", Dir: dir, Deed: deed, Layer: name != "deed"})
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
