package layer

import (
	"context"
	"path/filepath"
	"testing"
)

// BenchmarkRead is of 10,000 new files, of which 200 are hashed.
func BenchmarkRead(b *testing.B) {
	deed := b.TempDir()
	l, err := Make(filepath.Join(b.TempDir(), "layer"), deed, Overlay)
	if err != nil {
		b.Fatal(err)
	}
	l.Begin()
	fill(b, l.Up(), 100, 100)
	for b.Loop() {
		if r, err := l.Read(context.Background(), Options{Hash: 200}); err != nil || len(r.Changes) != 10_100 {
			b.Fatal(err)
		}
	}
}

// BenchmarkMake is what each command costs, ahead of it.
func BenchmarkMake(b *testing.B) {
	deed, dir := b.TempDir(), filepath.Join(b.TempDir(), "layer")
	for b.Loop() {
		l, err := Make(dir, deed, Overlay)
		if err != nil {
			b.Fatal(err)
		}
		l.Begin()
		if r, err := l.Read(context.Background(), Options{}); err != nil || len(r.Changes) > 0 {
			b.Fatal(err)
		}
		l.Drop()
	}
}

// BenchmarkCopy is of a deed of 10,000 files.
func BenchmarkCopy(b *testing.B) {
	deed, dir := b.TempDir(), filepath.Join(b.TempDir(), "layer")
	fill(b, deed, 100, 100)
	for b.Loop() {
		l, err := Make(dir, deed, Copy)
		if err != nil {
			b.Fatal(err)
		}
		l.Begin()
		if r, err := l.Read(context.Background(), Options{}); err != nil || len(r.Changes) > 0 {
			b.Fatal(err)
		}
		l.Drop()
	}
}
