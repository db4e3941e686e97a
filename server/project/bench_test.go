package project

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/dialog"
	"vibey/tools/disk"
)

// cpu reports the processor time of an operation, which tells more than the
// wall clock where others use the machine.
func cpu(b *testing.B) (report func()) {
	now := func() time.Duration {
		var r unix.Rusage
		must(b, unix.Getrusage(unix.RUSAGE_SELF, &r))
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	start := now()
	return func() { b.ReportMetric(float64(now()-start)/float64(b.N)/1e6, "cpu-ms/op") }
}

// An append of 1 KB against the least that could do it: a write and an
// fdatasync of the same bytes.
func BenchmarkAppend(b *testing.B) {
	s := section(dialog.Assistant, 1, strings.Repeat("text of an answer ", 50))
	b.Run("plain", func(b *testing.B) {
		f, err := os.OpenFile(filepath.Join(b.TempDir(), "f"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		must(b, err)
		defer f.Close()
		text := dialog.AppendSection(nil, &s)
		defer cpu(b)()
		for b.Loop() {
			_, err := f.Write(text)
			must(b, err)
			must(b, disk.SyncData(f))
		}
	})
	b.Run("dialog", func(b *testing.B) {
		f := started(b, testProject(b))
		defer cpu(b)()
		for b.Loop() {
			must(b, f.Append(s))
		}
	})
	b.Run("dialog of 20 MB among 10000", func(b *testing.B) {
		p := manyDialogs(b, 10000, dialog.Done)
		f := started(b, p)
		must(b, f.Append(section(dialog.ToolResult, 1, strings.Repeat("line of output\n", 20<<20/15))))
		defer cpu(b)()
		for b.Loop() {
			must(b, f.Append(s))
		}
	})
}

// Opening a dialog reads one file, however many there are.
func BenchmarkOpenDialog(b *testing.B) {
	for _, n := range []int{1, 10000} {
		b.Run(fmt.Sprintf("among %d", n), func(b *testing.B) {
			p := manyDialogs(b, n, dialog.Waiting)
			for b.Loop() {
				f, err := p.OpenDialog("20260216-201100-d0")
				must(b, err)
				must(b, f.Close())
			}
		})
	}
}

// manyDialogs is a project with n small dialogs of that status.
func manyDialogs(b *testing.B, n int, st dialog.Status) *Project {
	p := testProject(b)
	secs := []dialog.Section{section(dialog.User, 1, "Please read vibey.md."), section(dialog.Assistant, 2, "I read it.")}
	old := then
	for i := range n {
		name := dialog.Filename(fmt.Sprintf("20260216-201100-d%d", i), st)
		write(b, p.path(name), textOf("x", secs))
		must(b, os.Chtimes(p.path(name), old, old.Add(time.Duration(i)*time.Second)))
	}
	p.store.o.Summarize = func(string, string, dialog.Status, *dialog.Dialog, *dialog.Digest) Summary {
		return Summary{Needs: "reply"}
	}
	return p
}

// The list of 10,000 dialogs against the least: os.ReadDir and each Info for a
// warm one, and opening each and reading 512 bytes for a cold one.
func BenchmarkDialogs(b *testing.B) {
	p := manyDialogs(b, 10000, dialog.Waiting)
	b.Run("floor warm", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			es, err := os.ReadDir(p.path(""))
			must(b, err)
			for _, e := range es {
				_, err := e.Info()
				must(b, err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		_, err := p.Dialogs()
		must(b, err)
		defer cpu(b)()
		for b.Loop() {
			l, err := p.Dialogs()
			must(b, err)
			if len(l) != 10000 {
				b.Fatal(len(l))
			}
		}
	})
	b.Run("floor cold", func(b *testing.B) {
		buf := make([]byte, 512)
		defer cpu(b)()
		for b.Loop() {
			es, err := os.ReadDir(p.path(""))
			must(b, err)
			for _, e := range es {
				if e.IsDir() {
					continue
				}
				f, err := os.Open(p.path(e.Name()))
				must(b, err)
				if _, err := f.Read(buf); err != nil && err != io.EOF {
					b.Fatal(err)
				}
				f.Close()
			}
		}
	})
	b.Run("cold", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			p.summaries.known = nil
			_, err := p.Dialogs()
			must(b, err)
		}
	})
}

// A response's piece on its way to the disk: one write, no sync; and with
// somebody who watches the project, whose watcher hears of it and tells nobody.
func BenchmarkOpenResponseWrite(b *testing.B) {
	for _, watchers := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d watchers", watchers), func(b *testing.B) {
			f := started(b, testProject(b))
			for range watchers {
				_, err := f.p.store.Watch(b.Context(), f.p.name)
				must(b, err)
			}
			o, err := f.OpenResponse()
			must(b, err)
			piece := []byte("a token")
			defer cpu(b)()
			for b.Loop() {
				_, err := o.Write(piece)
				must(b, err)
			}
		})
	}
}

// BenchmarkChange is a tool's write over a file: what stood there is kept, and the new
// bytes are synced.
func BenchmarkChange(b *testing.B) {
	p := testProject(b)
	n := 0
	for b.Loop() {
		n++
		text := []byte(strings.Repeat("x", 100) + fmt.Sprint(n))
		if _, err := p.Change(p.Root(), "doc-a.md", func(*os.File) ([]byte, error) { return text, nil }); err != nil {
			b.Fatal(err)
		}
	}
}
