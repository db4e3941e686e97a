package project

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// TestDeepDeed: a deed with thousands of folders, each in the one before, can be
// exported and deleted by a process that may hold 256 descriptors. What comes
// out goes in again, and what can't is told.
func TestDeepDeed(t *testing.T) {
	testenv.Slow(t)
	if os.Getenv("PROJECT_DEEP") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeepDeed$")
		cmd.Env = append(os.Environ(), "PROJECT_DEEP=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}))
	p := testProject(t)
	t.Cleanup(func() { exec.Command("rm", "-rf", p.store.path).Run() }) // where Delete fails
	nest(t, p.path(deedName), 5000)
	write(t, p.path("deed/a/file"), "kept")
	write(t, p.path("deed/back\\slash"), "can't come back")
	must(t, os.Mkdir(p.path("deed/bad\x01"), 0o755))

	var b bytes.Buffer
	leftOut, err := p.Snapshot(&b, ScopeAll)
	must(t, err)
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	list, err := fs.ReadFile(z, leftOutName)
	must(t, err)
	for i, name := range []string{"deed" + strings.Repeat("/a", (pathMax-len("deed"))/2+1), "deed/back\\slash", "deed/bad\x01"} {
		shown := name
		if i > 0 {
			shown = strconv.Quote(name)
		}
		if len(leftOut) != 3 || leftOut[i].File != name || !strings.Contains(string(list), "\n"+shown+": "+leftOut[i].Why+"\n") {
			t.Errorf("not told as left out: %.100q: %.300q, %.300q", name, leftOut, list)
		}
	}
	restored(t)(p.store.Restore("again", bytes.NewReader(b.Bytes()), int64(b.Len()), UploadLimits, nil))
	if got := read(t, filepath.Join(p.store.path, "again/deed/a/file")); got != "kept" {
		t.Errorf("it came back as %q", got)
	}
	must(t, remove(p.store, "game"))
	names, err := p.store.dir.Names()
	must(t, err)
	if len(names) != 1 || names[0] != "again" {
		t.Errorf("left: %q", names)
	}
}

// nest makes n folders named a, each in the one before.
func nest(t *testing.T, dir string, n int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for i := 0; err == nil && i < n; i++ {
		var next int
		if err = unix.Mkdirat(at, "a", 0o755); err == nil {
			next, err = unix.Openat(at, "a", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		}
		unix.Close(at)
		at = next
	}
	must(t, err)
	unix.Close(at)
}
