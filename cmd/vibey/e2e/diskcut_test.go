package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// shutDown ends an ext4 disk as a power cut or a broken cable does: from then on each write,
// sync and truncation fails, while the system still shows what it has in memory.
func shutDown(t *testing.T, at string, how uint32) {
	t.Helper()
	const ext4Shutdown = 0x8004587d // EXT4_IOC_SHUTDOWN
	f, err := os.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), ext4Shutdown, uintptr(unsafe.Pointer(&how))); e != 0 {
		t.Logf("shut down: %v", e)
		testenv.Lacks(t, testenv.Disk)
	}
}

// TestDiskCut ends a disk at a moment of a turn: the stream ends with an error, and all that
// it told stands on the disk when that is mounted again.
func TestDiskCut(t *testing.T) {
	testenv.Long(t)
	for how, name := range []string{"flushed", "with its log", "without its log"} {
		for at := range 4 {
			t.Run(fmt.Sprintf("%s, at %d", name, at), func(t *testing.T) {
				t.Parallel()
				cutOnce(t, uint32(how), at)
			})
		}
	}
}

// cutOnce cuts behind 1, 4 or 7 chunks of an answer of 12, which asks for a call; or
// once the call waits, before it is approved.
func cutOnce(t *testing.T, how uint32, at int) {
	p := newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: strings.Repeat("words, ", 24), Chunk: 14, DelayMS: 5, Calls: []providertest.Call{command("c1", "echo once >> deed/log")}}, {Text: "Run."},
	}})
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image")
	mountBy(t, "truncate -s 16M $0; mkfs.ext4 -q -F $0; mount -o loop $0 $1; rmdir $1/lost+found", file, p.dir)
	unmounted(t, p.dir)
	h := serve(t, p)
	h.make("p")
	s := h.post(dialogPath, body{"provider": "claude", "prompt": "go", "slug": "cut"})
	id := s.kind("section").data.DialogID
	streams := []*stream{s}
	if at < 3 {
		told := 0 // a reader who is slow gets several chunks as one
		s.until(0, func(f frame) bool {
			if f.kind == "chunk" {
				told += len(f.data.Content)
			}
			return told >= 14*(3*at+1)
		})
		shutDown(t, p.dir, how)
	} else {
		f := s.ends("tool_request")
		shutDown(t, p.dir, how)
		next, a := h.try(h.request("PUT", dialogPath, body{"dialogId": id, "control": approve(f.data.ToolCalls...)}))
		if next != nil {
			s, streams = next, append(streams, next)
		} else if a.status < 500 || strings.Contains(a.text, "reason of its own") {
			t.Errorf("approved on a disk that is gone: %d %s", a.status, a.text)
		}
	}
	for _, s := range streams {
		s.wait()
	}
	if f := s.last(); f.kind != "error" && f.kind != "tool_request" {
		t.Errorf("the stream ended with %s", f.raw)
	}
	h.kill(syscall.SIGKILL)
	// What ran behind walls keeps the disk for a moment after its server is killed.
	mountBy(t, `umount $1; for n in $(seq 500); do [ -n "$(losetup -j $0)" ] || break; sleep 0.02; done; mount -o loop $0 $1`, file, p.dir)
	h = serve(t, p)
	st := h.look("p", id)
	for _, s := range streams {
		for _, f := range s.wait() {
			if f.kind != "section" {
				continue
			}
			if kept, ok := st.find(f.data.Section.Role, f.data.Section.ID); !ok || !kept.is(f.data.Section) {
				t.Errorf("it told\n%+v\nand the disk has\n%+v", f.data.Section, kept)
			}
		}
	}
	if ran := p.there("p", "deed", "log"); ran && p.read("p", "deed", "log") != "once\n" {
		t.Errorf("it ran %q", p.read("p", "deed", "log"))
	}
	h.parse(st.Markdown)
}
