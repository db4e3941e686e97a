package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestGitHooksWithoutEnd: thousands of hooks of 1 MiB each, which cost a command
// nothing, are not read.
func TestGitHooksWithoutEnd(t *testing.T) {
	testenv.Long(t)
	g := newGround(t)
	g.sh("git init -q y; echo first > y/.git/hooks/pre-commit")
	k := newGitKeeper(g.deed)
	before := g.look(k)
	g.sh("git init -q x; cd x/.git/hooks; seq 900 | xargs truncate -s 1M; cd ../../../y/.git/hooks; seq 1500 | xargs truncate -s 1M")
	var told string
	if n := allocated(func() { told = g.disarm(k, before) }); n > 64<<20 {
		t.Errorf("%d MiB allocated", n>>20)
	}
	for _, want := range []string{"x/.git/hooks/900: is now 900.disarmed", "y/.git/hooks: is now hooks.disarmed", "y/.git/hooks/pre-commit: put back"} {
		if !strings.Contains(told, want) {
			t.Errorf("not told: %s", want)
		}
	}
	if g.read("y/.git/hooks/pre-commit") != "first\n" || g.sh("ls y/.git/hooks; ls x/.git/hooks | grep -v -e sample -e disarmed") != "pre-commit\n" {
		t.Error(g.sh("ls y/.git/hooks; ls x/.git/hooks | grep -v -e sample -e disarmed | head"))
	}
}

// TestGitLookKeepsSoMuch: what stands there before is kept as far as it is small,
// and known by its sum beyond that.
func TestGitLookKeepsSoMuch(t *testing.T) {
	testenv.Slow(t)
	g := newGround(t)
	g.sh("git init -q x; cd x/.git/hooks; seq 100 130 | xargs truncate -s 1M; truncate -s 3M big")
	k := newGitKeeper(g.deed)
	before := g.look(k)
	kept := 0
	for _, item := range before {
		kept += len(item.Text)
	}
	if kept > 16<<20 || len(before) < 32 {
		t.Errorf("%d bytes of %d items are kept", kept, len(before))
	}
	if told := g.disarm(k, before); told != "" {
		t.Errorf("told %q of what did not change", told)
	}
	g.sh("cd x/.git/hooks; for i in $(seq 100 130) big; do touch -r $i ../t; printf evil | dd conv=notrunc of=$i 2>/dev/null; touch -r ../t $i; done")
	if told := g.disarm(k, before); strings.Count(told, "\n")+1 != 32 {
		t.Errorf("told of %d", strings.Count(told, "\n")+1)
	}
}

// TestGitCrowded: more doors than are looked at in one go are all taken away, and
// as many that stood there before keep commands from running.
func TestGitCrowded(t *testing.T) {
	testenv.Slow(t)
	g := newGround(t)
	for i := range maxHooks + 200 {
		git := []string{".git", ".giT", ".gIt", ".gIT", ".Git", ".GiT"}[i%6] + strings.Repeat(".", i/6)
		if err := os.Symlink("/nowhere", filepath.Join(g.deed, git)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := newGitKeeper(g.deed).look(t.Context()); err == nil || !strings.Contains(err.Error(), "remove those") {
		t.Errorf("the look: %v", err)
	}
	g.disarm(newGitKeeper(g.deed), nil)
	if left := g.sh("ls -A | grep -v disarmed"); left != "" {
		t.Errorf("left: %d", strings.Count(left, "\n"))
	}
}

// TestGitWriteWithoutAStamp: a write through shared memory in a tmpfs changes no
// time of the file.
func TestGitWriteWithoutAStamp(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "deed-")
	if err != nil {
		testenv.Lacks(t, testenv.Disk)
	}
	defer os.RemoveAll(dir)
	g := ground{t, dir, filepath.Join(dir, "deed")}
	os.Mkdir(g.deed, 0o755)
	g.sh("git init -q x; git -C x config alias.a '!aaaaaaaaaaaaaaaa'; head -c 2000000 /dev/zero > x/.git/hooks/update")
	k := newGitKeeper(g.deed)
	k.now = func() time.Time { return time.Now().Add(2 * settle) } // all is older
	before := g.look(k)
	for _, name := range []string{"x/.git/config", "x/.git/hooks/update"} {
		f, err := os.OpenFile(filepath.Join(g.deed, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, _ := f.Stat()
		m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		copy(m[max(0, strings.Index(string(m), "aaaa")):], "evil")
		if now, _ := f.Stat(); now.ModTime() != info.ModTime() {
			testenv.Lacks(t, testenv.Disk)
		}
		unix.Munmap(m)
	}
	told := g.disarm(k, before)
	if !strings.Contains(told, "x/.git/config: put back") || !strings.Contains(told, "x/.git/hooks/update: was changed") {
		t.Errorf("told %q", told)
	}
}
