package project

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

// feeding is a snapshot's reader while a program of the deed writes a log: for each
// part of the zip that it reads, the log grows by as much again.
type feeding struct {
	bytes.Buffer
	log *os.File
	fed int
}

func (f *feeding) Write(b []byte) (int, error) {
	if f.fed < 64<<20 { // or a snapshot that follows the log would not end
		n, _ := f.log.Write(noise(2 * len(b)))
		f.fed += n
	}
	return f.Buffer.Write(b)
}

// noise are bytes that no compression makes fewer.
func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

// A file that grows while it is packed is packed as long as it was when it was counted.
func TestSnapshotOfGrowingFile(t *testing.T) {
	p := testProject(t)
	const size = 1 << 20
	must(t, os.WriteFile(p.path("deed/log"), noise(size), 0o644))
	log, err := os.OpenFile(p.path("deed/log"), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer log.Close()
	out := &feeding{log: log}
	_, err = p.Snapshot(out, ScopeAll)
	must(t, err)
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	must(t, err)
	f, err := z.Open("deed/log")
	must(t, err)
	defer f.Close()
	if n, err := io.Copy(io.Discard, f); n != size || err != nil || out.fed == 0 {
		t.Errorf("%d bytes of %d are packed, %d came meanwhile, %v", n, size, out.fed, err)
	}
}

// zipped returns the files of a snapshot by their names.
func zipped(t *testing.T, p *Project, scope Scope) map[string]string {
	t.Helper()
	var out bytes.Buffer
	_, err := p.Snapshot(&out, scope)
	must(t, err)
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	must(t, err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		b, err := io.ReadAll(r)
		must(t, err)
		files[f.Name] = string(b)
	}
	return files
}
