package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
)

// A write is what changes a project, from one request to the next.
type diskWrite struct {
	name, method, path string
	send               any
}

// diskWrites are requests that need a disk which can be written; id is a dialog with the
// call w1, zip a project that was taken out.
func diskWrites(id string, zip []byte) []diskWrite {
	return []diskWrite{
		{"make", "POST", "/projects", body{"name": "another"}},
		{"save", "POST", "/project/p/file/doc-a.md", body{"content": strings.Repeat("a long text ", 20000)}},
		{"new dialog", "POST", dialogPath + "/new", body{"provider": "claude"}},
		{"prompt", "PUT", dialogPath, body{"dialogId": id, "prompt": "go on"}},
		{"status", "PUT", dialogPath, body{"dialogId": id, "status": "done"}},
		{"undo", "POST", "/project/p/undo", body{"dialogId": id, "id": "w1"}},
		{"restore", "POST", "/projects?name=copy", zip},
		{"delete a page", "DELETE", "/project/p/file/doc-b.md", nil},
		{"delete", "DELETE", "/projects/p", nil},
	}
}

// do sends a write and returns its answer; of a stream that which it ended with.
func (w diskWrite) do(h *host) answer {
	h.t.Helper()
	req := h.request(w.method, w.path, w.send)
	if _, zip := w.send.([]byte); zip {
		req.Header.Set("Content-Type", "application/zip")
	}
	s, a := h.try(req)
	if s == nil {
		return a
	}
	f := s.last()
	a = answer{h.t, w.name, 200, nil, f.raw}
	if f.kind == "error" {
		a.status = 500
	}
	return a
}

// seeded is a place on a disk with a project, two pages and a dialog that wrote a file.
func seeded(t *testing.T, mount func(t *testing.T, at string)) (h *host, id string, zip []byte) {
	t.Helper()
	p := newPlace(t, diskScript())
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mount(t, p.dir)
	w := &onDisk{walk: &walk{host: serve(t, p), provider: "claude"}}
	w.make("p")
	w.save("one").is(200)
	w.ask("POST", "/project/p/file/doc-b.md", body{"content": "b"}).is(200)
	w.id = w.ask("POST", dialogPath+"/new", body{"provider": "claude", "slug": "life"}).is(200).object()["dialogId"].(string)
	w.call("w1")
	return w.host, w.id, []byte(w.get("/project/p/snapshot?scope=all").is(200).text)
}

// reads asks for all that can be read.
func (h *host) reads(id string) {
	h.t.Helper()
	for _, path := range []string{"/projects", "/project/p/files", "/project/p/file/doc-a.md", "/project/p/dialogs", "/project/p/dialog/" + id, "/project/p/search?q=one", "/project/p/snapshot?scope=all"} {
		h.get(path).is(200)
	}
	if h.read("p", "doc-a.md") != "one" || h.read("p", "deed", "a.txt") != "a first text" {
		h.t.Errorf("the page is %q, the file %q", h.read("p", "doc-a.md"), h.read("p", "deed", "a.txt"))
	}
}

// refuses sends each write, which must be refused for that reason, and then reads.
func (h *host) refuses(id string, zip []byte, says string) {
	h.t.Helper()
	for _, w := range diskWrites(id, zip) {
		a := w.do(h)
		if a.status < 500 || !strings.Contains(a.text, says) {
			h.t.Errorf("%s: %d %s", w.name, a.status, a.text)
		}
	}
	h.reads(id)
}

func TestDiskReadOnly(t *testing.T) {
	t.Parallel()
	testenv.Long(t)
	h, id, zip := seeded(t, tmpfs("size=16m"))
	h.kill(syscall.SIGTERM)
	mountBy(t, "mount -o remount,ro $0", h.dir)
	h = serve(t, h.place)
	h.refuses(id, zip, "read-only")
	h.checked("note")
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	testenv.Long(t)
	h, id, zip := seeded(t, tmpfs("size=2m"))
	filler := filepath.Join(h.dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 4<<20), 0o644); err == nil {
		t.Fatal("the disk takes what it has no room for")
	}
	before := h.read("p", h.look("p", id).Filename)
	var list []diskWrite
	for _, w := range diskWrites(id, zip) {
		if !strings.HasPrefix(w.name, "delete") { // which makes room
			list = append(list, w)
		}
	}
	for _, w := range list {
		if a := w.do(h); a.status >= 500 && !strings.Contains(a.text, "disk is full") && !strings.Contains(a.text, "no space left") || strings.Contains(a.text, "reason of its own") {
			t.Errorf("%s: %d %s", w.name, a.status, a.text)
		} else if a.status < 500 && (w.name == "save" || w.name == "make" || w.name == "restore") {
			t.Errorf("%s on a full disk: %d %s", w.name, a.status, a.text)
		}
	}
	if after := h.read("p", h.look("p", id).Filename); !strings.HasPrefix(bodyOf(after), bodyOf(before)) {
		t.Errorf("of what was acknowledged is left\n%s", after)
	}
	if got := h.read("p", "doc-a.md"); got != "one" {
		t.Errorf("a page that could not be saved is %q", got)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	h.ask("POST", "/project/p/file/doc-a.md", body{"content": "there is room"}).is(200)
	h.put(dialogPath, body{"dialogId": id, "prompt": "go on"}).last()
	h.settle("p")
	h.checked("note")
}

// TestDiskWithoutLocks: nothing is begun on one, and where locks fail later nothing is
// written.
func TestDiskWithoutLocks(t *testing.T) {
	t.Parallel()
	testenv.Long(t)
	h, id, zip := seeded(t, func(*testing.T, string) {})
	loosen := h.attach("flock:error=ENOLCK")
	h.refuses(id, zip, "no locks")
	loosen()
	h.ask("POST", "/project/p/file/doc-a.md", body{"content": "there are locks"}).is(200)
	h.kill(syscall.SIGTERM)
	for _, dir := range []string{h.dir, h.state} {
		p := *h.place
		p.under = inject("flock:error=ENOLCK", func(*place) []string { return []string{dir, dir + "/.locks/+"} })(&p)
		cmd := p.command("serve", "--addr", "127.0.0.1:0")
		var log bytes.Buffer
		cmd.Stderr = &log
		err := cmd.Run()
		if text := log.String(); err == nil || !strings.Contains(text, dir+" is on a disk that gives no locks (") || strings.Contains(text, "time=") {
			t.Errorf("a start on a disk without locks: %v\n%s", err, text)
		}
	}
}

// TestDiskErrors: an input or output error is told as that.
func TestDiskErrors(t *testing.T) {
	t.Parallel()
	testenv.Long(t)
	h, id, zip := seeded(t, func(*testing.T, string) {})
	mend := h.attach("fsync,fdatasync:error=EIO")
	for _, w := range diskWrites(id, zip) {
		if a := w.do(h); a.status >= 500 && !strings.Contains(a.text, "input/output error") || strings.Contains(a.text, "reason of its own") {
			t.Errorf("%s: %d %s", w.name, a.status, a.text)
		}
	}
	mend()
	if got := h.ask("POST", "/keys", body{"provider": "openai", "key": "another"}); got.status != 204 {
		t.Errorf("a key: %d %s", got.status, got.text)
	}
	if err := os.RemoveAll(h.state); err != nil {
		t.Fatal(err)
	}
	if a := h.ask("POST", "/keys", body{"provider": "openai", "key": "a-third"}); a.status != 503 || strings.Contains(a.text, "dialog") {
		t.Errorf("a key, and the state dir is gone: %d %s", a.status, a.text)
	}
}

// attach has calls of the program fail until end is called.
func (h *host) attach(what string) (end func()) {
	h.t.Helper()
	if !found("strace") {
		testenv.Lacks(h.t, testenv.Strace)
	}
	calls, _, _ := strings.Cut(what, ":")
	cmd := exec.Command("strace", "-f", "-o", "/dev/null", "-p", fmt.Sprint(h.cmd.Process.Pid), "-e", "trace="+calls, "-e", "inject="+what)
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "attached") {
	}
	return func() {
		cmd.Process.Signal(syscall.SIGINT)
		for lines.Scan() { // until it has let go
		}
		cmd.Wait()
	}
}
