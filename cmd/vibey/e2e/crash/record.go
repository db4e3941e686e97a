package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vibey/provider/providertest"
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
func (o *options) record(base string) (*recording, error) {
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	p, err := newPlace(o.vibey, base, providertest.New(replies()))
	if err != nil {
		return nil, err
	}
	r := &recording{}
	if r.before, err = filesBelow(p.dir()); err != nil {
		return nil, err
	}
	if r.key, err = os.ReadFile(filepath.Join(p.state(), "key")); err != nil {
		return nil, err
	}
	trace := o.trace
	if trace == "" {
		trace = filepath.Join(base, "trace")
	}
	h, err := p.serve("strace", "-f", "-y", "-xx", "--seccomp-bpf", "-s", "1048576", "-e", "trace="+recorded, "-o", trace)
	if err != nil {
		return nil, err
	}
	played := h.play()
	if err := h.stop(); err != nil {
		return nil, err
	}
	if played != nil {
		return nil, played
	}
	r.end = time.Now()
	f, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	calls, err := readTrace(f)
	if err != nil {
		return nil, err
	}
	r.calls = len(calls)
	r.events, err = events(calls, p.dir())
	return r, err
}

// filesBelow are the files below dir, the welcome project's too: a crash must
// not harm what it does not touch.
func filesBelow(dir string) (map[string]string, error) {
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
	return files, err
}
