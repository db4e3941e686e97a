package git

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkJudge is of 10,000 new files in a deed of 10,000 folders, and of one there.
func BenchmarkJudge(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		os.MkdirAll(fmt.Sprintf("%s/%d/%d/%d", dir, i/1000, i/10%100, i%10), 0o755)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	for _, n := range []int{1, 10_000} {
		var touched []Touched
		var names []string
		for i := range n {
			touched = append(touched, Touched{Name: fmt.Sprintf("%d/%d/%d/new", i/1000, i/10%100, i%10)})
			names = append(names, touched[i].Name)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Judge(touched, Views{Before: root, After: root, Dir: dir, Named: NamedIn(dir, Human{}, names)})
			}
		})
	}
}
