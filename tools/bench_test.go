package tools

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func BenchmarkWriteFile(b *testing.B) {
	w := newWorld(b)
	args := arguments("path", "deed/x", "content", strings.Repeat("x", 100))
	for b.Loop() {
		if r := w.set.Call(b.Context(), w.env, "write_file", args); !r.Success {
			b.Fatal(r.JSON)
		}
	}
}

// BenchmarkPlainWrite is the floor under write_file: the same bytes to a file
// beside, synced, renamed, and the folder synced.
func BenchmarkPlainWrite(b *testing.B) {
	w := newWorld(b)
	dir, err := os.Open(w.path("deed"))
	if err != nil {
		b.Fatal(err)
	}
	defer dir.Close()
	for b.Loop() {
		f, err := os.Create(w.path("deed/x.tmp"))
		if err != nil {
			b.Fatal(err)
		}
		f.WriteString(strings.Repeat("x", 100))
		f.Sync()
		f.Close()
		os.Rename(w.path("deed/x.tmp"), w.path("deed/x"))
		dir.Sync()
	}
}

func BenchmarkRunCommand(b *testing.B) {
	w := newWorld(b)
	args := arguments("command", "true")
	for b.Loop() {
		if r := w.set.Call(b.Context(), w.env, "run_command", args); !r.Success {
			b.Fatal(r.JSON)
		}
	}
}

// BenchmarkPlainCommand is the floor under run_command.
func BenchmarkPlainCommand(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/sh", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	set := NewSet()
	args := arguments("path", "deed/x", "content", strings.Repeat("line\n", 2000))
	b.SetBytes(int64(len(args)))
	for b.Loop() {
		if f := set.Check("write_file", args); f != nil {
			b.Fatal(f.Error)
		}
	}
}
