package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vibey/dialog"
	"vibey/server/hub"
)

// What a change of a dialog of 8 MB costs whose file another process writes, where eight
// windows follow it: each is told of its entry in the list, and joins it where it ended.
func BenchmarkFollowers(b *testing.B) {
	w := newWorld(b, &script{})
	id := "20260101-000000-long"
	path := filepath.Join(w.dir, "root/p", dialog.Filename(id, dialog.Done))
	text := "# Dialog\n> DialogId: " + id + "\n> Status: done\n" + strings.Repeat("\n## User\n\nəəətext/plain\n"+strings.Repeat("word ", 1600)+"\nəəə\n", 1000)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	each := func(f func()) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(f)
		}
		group.Wait()
	}
	change := func() {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("\n## User\n\nəəətext/plain\nmore\nəəə\n")
		}
		if err != nil || f.Close() != nil {
			b.Fatal(err)
		}
	}
	p := w.p()
	b.Run("entry", func(b *testing.B) {
		for b.Loop() {
			change()
			each(func() {
				if _, err := p.Dialog(id); err != nil {
					b.Error(err)
				}
			})
		}
	})
	b.Run("join", func(b *testing.B) {
		for b.Loop() {
			change()
			last := &hub.Pos{Whole: int64(len(text))}
			each(func() {
				sub, err := w.run.Join(context.Background(), p, id, last)
				if err != nil {
					b.Error(err)
					return
				}
				defer sub.Close()
				for _, ok := sub.Next(context.Background()); ok; _, ok = sub.Next(context.Background()) {
				}
			})
		}
	})
}
