package project

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vibey/tools/disk"
	"vibey/tools/layer"
)

// 10,000 new files in 100 new folders: put into the deed by Apply, and by a rename of each
// folder and one syncfs. The files are made without the clock.
func BenchmarkApply(b *testing.B) {
	for name, apply := range map[string]func(b *testing.B, p *Project, l *layer.Layer, r *layer.Reading){
		"apply": func(b *testing.B, p *Project, l *layer.Layer, r *layer.Reading) {
			_, err := p.Apply(b.Context(), l, r, callOne)
			must(b, err)
			must(b, p.EndApply(callOne))
		},
		"plain": func(b *testing.B, p *Project, l *layer.Layer, r *layer.Reading) {
			for i := range 100 {
				must(b, os.Rename(filepath.Join(l.Up(), fmt.Sprint(i)), p.path(fmt.Sprint("deed/", i))))
			}
			d, err := os.Open(p.path("deed"))
			must(b, err)
			must(b, disk.SyncDisk(d))
			d.Close()
		},
		"read": func(b *testing.B, p *Project, l *layer.Layer, r *layer.Reading) {
			_, err := l.Read(b.Context(), layer.Options{Hash: 200})
			must(b, err)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				p := benchProject(b)
				l, r := ranIn(b, p, layerDir(b, p, false), func(t testing.TB, dir string) {
					for i := range 100 {
						must(t, os.Mkdir(fmt.Sprintf("%s/%d", dir, i), 0o755))
						for k := range 100 {
							write(t, fmt.Sprintf("%s/%d/%d", dir, i, k), "package x")
						}
					}
				})
				b.StartTimer()
				apply(b, p, l, r)
			}
		})
	}
}

// benchProject is one on a disk, with a state dir there.
func benchProject(b *testing.B) *Project {
	b.Helper()
	dir := b.TempDir()
	must(b, os.Mkdir(dir+"/state", 0o700))
	s, err := Open(filepath.Join(dir, "vibey"), Options{State: dir + "/state"})
	must(b, err)
	b.Cleanup(func() { s.Close() })
	must(b, s.Create("game", ""))
	p, err := s.Project("game")
	must(b, err)
	return p
}
