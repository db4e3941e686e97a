package server

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"vibey/server/project"
)

// What the list costs where there are more files than it tells: in folders of a hundred,
// and in one.
func BenchmarkDeedList(b *testing.B) {
	for what, of := range map[string]struct{ folders, files int }{"60000 in 600 folders": {600, 100}, "60000 in a folder": {1, 60_000}} {
		b.Run(what, func(b *testing.B) {
			root := b.TempDir()
			store, err := project.Open(root, project.Options{})
			if err == nil {
				err = store.Create("p", "")
			}
			if err != nil {
				b.Fatal(err)
			}
			for i := range of.folders {
				dir := filepath.Join(root, "p/deed/src", fmt.Sprintf("part-%d/of-%d", i%20, i))
				if err := os.MkdirAll(dir, 0o755); err != nil {
					b.Fatal(err)
				}
				for j := range of.files {
					f, err := os.Create(filepath.Join(dir, fmt.Sprintf("file-%05d.txt", j)))
					if err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
			}
			p, err := store.Project("p")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := (&server{}).listDeed(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
