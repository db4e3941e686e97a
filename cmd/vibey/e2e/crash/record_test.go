package crash

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// recording is the script, played once.
type recording struct {
	events []event
	calls  int
	before map[string]string // the files that stood there at its beginning
	key    []byte
	end    time.Time
}

// record plays the script under strace.
func record(t *testing.T, base string) *recording {
	p := newPlace(t, base, replies())
	r := &recording{before: filesBelow(t, p.dir)}
	var err error
	if r.key, err = os.ReadFile(filepath.Join(p.state, "key")); err != nil {
		t.Fatal(err)
	}
	trace := cmp.Or(*keepTrace, filepath.Join(base, "trace"))
	h := serve(t, p, "strace", "-f", "-y", "-xx", "--seccomp-bpf", "-s", "1048576", "-e", "trace="+recorded, "-o", trace)
	play(&session{t: t, h: h})
	h.stop(t)
	r.end = time.Now()
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	calls, err := readTrace(f)
	if err != nil {
		t.Fatal(err)
	}
	r.calls = len(calls)
	if r.events, err = events(calls, p.dir); err != nil {
		t.Fatal(err)
	}
	return r
}

// filesBelow are the files below dir, the welcome project's too: a crash must
// not harm what it does not touch.
func filesBelow(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
