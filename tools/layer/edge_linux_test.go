package layer

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// TestRefused: what never counts is told with why, and the new folder that it lies in does count.
func TestRefused(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "mkdir d; ln -s /etc/hosts old; : >plain")
		l := g.run(`mkdir n; cd n; mkfifo pipe; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local=>"socket",Listen=>1) or die'
			cp /bin/true uid; chmod u+s uid; cp /bin/true gid; chmod g+s gid; mkdir s; chmod g+s s
			ln -s ../d in; ln -s "` + g.deed + `/d" there; ln -s . self; ln -s ../../x out; ln -s in/../../.. by; ln -s /usr/bin/python3 python; ln -s "` + g.deed + `2" beside
			touch -h ../old; chmod u+s ../plain`)
		got := lines(read(t, l, Options{LinkOK: func(name, to string) bool { return name == "n/python" && to == "/usr/bin/python3" }}))
		for _, want := range []string{
			"added folder deed/n 755\n", "added folder deed/n/s 2755\n", "added link deed/n/in ", "added link deed/n/there ", "added link deed/n/self ", "added link deed/n/python ",
			"refused deed/n/pipe: it is a pipe\n", "refused deed/n/socket: it is a socket\n", "refused deed/n/uid: its mode", "refused deed/n/gid: its mode", "refused deed/plain: its mode",
			"refused deed/n/out: it is a link out", "refused deed/n/by: it is a link out", "refused deed/n/beside: it is a link out",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if n := strings.Count(got, "\n"); n != 14 {
			t.Errorf("%d lines:\n%s", n, got)
		}
		if got := lines(read(t, l, Options{})); !strings.Contains(got, "refused deed/n/python: ") {
			t.Error(got)
		}
	})
}

// TestRefusedInItsPlace: where a folder was replaced by what never counts, it stays whole.
func TestRefusedInItsPlace(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "mkdir -p d/e f; : >d/e/f; : >d.x; : >g; : >f/g")
		got := lines(read(t, g.run("rm -r d g f; mkfifo d g; ln -s /etc f; : >d.y"), Options{}))
		want := "added file deed/d.y 644 -" + short("") + "\nrefused deed/d: it is a pipe\nrefused deed/f: it is a link out of the project\nrefused deed/g: it is a pipe\n"
		if got != want {
			t.Error(got)
		}
	})
}

// TestWithin: only what a link's text shows to lie in the deed does.
func TestWithin(t *testing.T) {
	r := reader{Layer: &Layer{Deed: "/p/deed"}}
	for _, c := range []struct {
		name, to string
		in       bool
	}{
		{"l", "a", true}, {"l", "a/b/", true}, {"l", ".", true}, {"l", "..", false}, {"l", "../deed", false}, {"l", "../x", false},
		{"a/l", "..", true}, {"a/l", "../", true}, {"a/l", "../..", false}, {"a/l", "../../x", false}, {"a/b/l", "../..//x", true}, {"a/b/l", "..//../../x", false},
		{"a/l", "../b/../c", false}, {"a/l", "./../../x", false}, {"a/l", "./x", true}, {"a/l", "b/..", false}, {"l", "...", true}, {"l", "..a", true},
		{"l", "/p/deed", true}, {"l", "/p/deed/a", true}, {"l", "/p/deed2", false}, {"l", "/p/deed/../x", false}, {"l", "/p/deed/..", false}, {"l", "/etc", false}, {"l", "/", false},
		{"a/l", "", true},
	} {
		if in := r.within(c.name, c.to); in != c.in {
			t.Errorf("%s -> %s: %v", c.name, c.to, in)
		}
	}
}

// TestNamesThatAreNoText: a path is text, and the name is what the disk has.
func TestNamesThatAreNoText(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "")
		r := read(t, g.run(`printf a >"$(printf 'x\377\n:,\\')"`), Options{})
		if len(r.Changes) != 1 || r.Changes[0].Name != "x\xff\n:,\\" || r.Changes[0].Path != "deed/x\uFFFD\n:,\\" {
			t.Errorf("%+v", r.Changes)
		}
	})
}

// TestDeedOfAnyName: the deed's own path may have what mount options don't take.
func TestDeedOfAnyName(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "")
		odd := filepath.Join(filepath.Dir(g.deed), "a b,c:d\\e\n\xff")
		if err := os.Rename(g.deed, odd); err != nil {
			t.Fatal(err)
		}
		g.deed = odd
		if got := lines(read(t, g.run("printf a >f"), Options{})); got != "added file deed/f 644 -"+short("a")+"\n" {
			t.Error(got)
		}
	})
}

// TestHoles: of a sparse file the hash is that of all its bytes, and of each shape.
func TestHoles(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "truncate -s 4M same; truncate -s 4M other; mkdir up")
		l := g.run(`truncate -s 5M only; printf x >begin; truncate -s 3M begin; cp same up/end; printf x >>up/end
			printf x | dd of=mid bs=1 seek=500000 2>/dev/null; truncate -s 1M mid; truncate -s 0 same; truncate -s 4M same; printf x | dd of=other bs=1 seek=2000000 conv=notrunc 2>/dev/null`)
		r := read(t, l, Options{})
		if len(r.Changes) != 5 || len(r.Times) != 1 || string(r.Times[0].Name) != "same" {
			t.Errorf("%s", lines(r))
		}
		for _, c := range r.Changes {
			if want := sumOf(t, filepath.Join(l.Up(), c.Name)); c.After != want {
				t.Errorf("%s: %s, not %s", c.Name, c.After, want)
			}
		}
	})
}

// TestApart: holes cost nothing to make and much to hash.
func TestApart(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "")
		got := lines(read(t, g.run("truncate -s 5G a; truncate -s 5G b; printf a >c"), Options{Hash: -1}))
		if want := "added file deed/a 644\nadded file deed/c 644\nrefused deed/b: with its holes it has 5368709120 bytes, and all files of a command may have 8589934592 together\n"; got != want {
			t.Error(got)
		}
	})
}

// TestLimits: a layer is counted while it is written, and not read above its limits.
func TestLimits(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "mkdir d; head -c 100000 /dev/zero >d/f; : >d/g")
		l := g.run("cat d/f")
		if u := l.used(); u != (usage{}) {
			t.Errorf("nothing takes %d bytes, %d files", u.Bytes, u.Files)
		}
		l = g.again("head -c 50000 /dev/zero >a; ln a b; mkdir -p e/e; truncate -s 1G e/hole")
		if u := l.used(); u.Bytes < 50_000 || u.Bytes > 70_000 || u.Files != 5 {
			t.Errorf("%d bytes, %d files", u.Bytes, u.Files)
		}
		l = g.again("fallocate -l 2100M a || head -c 2200000000 /dev/zero >a")
		if u := l.used(); u.Bytes <= MostBytes {
			t.Errorf("%d bytes", u.Bytes)
		}
		if _, err := l.Read(context.Background(), Options{}); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "2048 MiB") {
			t.Error(err)
		}
	})
}

// again begins the next layer.
func (g *ground) again(script string) *Layer {
	g.Helper()
	return (&ground{g.T, g.deed, g.by}).run(script)
}

// TestDeep: what no path leads to can't be applied, and is dropped all the same.
func TestDeep(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "")
		l := g.run(`perl -e 'for (1..3000) { mkdir "a"; chdir "a" or die }'`)
		if _, err := l.Read(context.Background(), Options{}); !errors.Is(err, ErrTooLarge) || len(err.Error()) > 200 {
			t.Error(err)
		}
		if u := l.used(); u.Bytes != 0 || u.Files < 1000 {
			t.Errorf("%d bytes, %d files", u.Bytes, u.Files)
		}
	})
}

// TestStopped: a reading ends with its context.
func TestStopped(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		ctx, stop := context.WithCancel(context.Background())
		l := newGround(t, by, "").run("truncate -s 1G f")
		stop()
		if _, err := l.Read(ctx, Options{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestTooLargeToCopy: such a deed has no copy, and nothing of one is left.
func TestTooLargeToCopy(t *testing.T) {
	testenv.Long(t)
	for why, script := range map[string]string{"20001 files": `mkdir d; : >d/f; perl -e 'link "d/f", "d/$_" for 1..20000'`, "600 MiB": "fallocate -l 600M f"} {
		g := newGround(t, Copy, script)
		dir := filepath.Join(t.TempDir(), "layer")
		if _, err := Make(dir, g.deed, Copy); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), why) {
			t.Error(err)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Error("it is left")
		}
	}
}

// TestCopyKeeps: a copy has the modes, times, links, names and holes of the deed.
func TestCopyKeeps(t *testing.T) {
	g := newGround(t, Copy, "mkdir -m 555 ro; printf a >f; ln f g; ln -s f l; truncate -s 100M hole; printf x >>hole; chmod 400 f; mkfifo pipe; touch -h -d @5 l; touch -d @6 f ro; chmod 2775 .")
	l := g.begin()
	var stat, deed unix.Stat_t
	for _, name := range []string{".", "ro", "f", "g", "l", "hole"} {
		if err := errors.Join(unix.Lstat(filepath.Join(l.Up(), name), &stat), unix.Lstat(filepath.Join(g.deed, name), &deed)); err != nil {
			t.Fatal(err)
		}
		if stat.Mode != deed.Mode || stat.Mtim != deed.Mtim && name != "." || stat.Nlink != deed.Nlink || stat.Size != deed.Size && deed.Mode&unix.S_IFMT == unix.S_IFREG || stat.Blocks > deed.Blocks+8 {
			t.Errorf("%s: %+v, and was %+v", name, stat, deed)
		}
	}
	playInside(t, play{Layer: l, Deed: []byte(g.deed), Script: "chmod 600 f; printf b >f; cat g"})
	if got := lines(read(t, l, Options{})); got != "changed file deed/f 600 "+short("a")+"-"+short("b")+"\nchanged file deed/g 600 "+short("a")+"-"+short("b")+"\n" {
		t.Error(got)
	}
}

// TestCopyShares: where the disk can share bytes a copy takes none: a second one of 160 MiB does not fit here.
func TestCopyShares(t *testing.T) {
	for _, disk := range []string{"btrfs -q -s 4096", "xfs -q"} {
		t.Run(strings.Fields(disk)[0], func(t *testing.T) {
			file, at := filepath.Join(t.TempDir(), "disk"), t.TempDir()
			line := "truncate -s 320M $0; PATH=$PATH:/usr/sbin:/sbin; mkfs." + disk + " $0 >&2; mount -o loop $0 $1; mkdir $1/deed; cd $1/deed; yes | head -c 160M >f; printf a >g; sync -f ."
			if out, err := exec.Command("sh", "-euc", line, file, at).CombinedOutput(); err != nil {
				t.Logf("%v %s", err, out)
				testenv.Lacks(t, testenv.Disk)
			}
			t.Cleanup(func() { unix.Unmount(at, unix.MNT_DETACH) })
			l, err := Make(filepath.Join(at, "layer"), filepath.Join(at, "deed"), Copy)
			if err != nil {
				t.Fatal(err)
			}
			l.Begin()
			if sumOf(t, filepath.Join(l.Up(), "f")) != sumOf(t, filepath.Join(l.Deed, "f")) {
				t.Error("other bytes")
			}
			if err := os.WriteFile(filepath.Join(l.Up(), "g"), []byte("b"), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := lines(read(t, l, Options{})); got != "changed file deed/g 644 "+short("a")+"-"+short("b")+"\n" {
				t.Error(got)
			}
		})
	}
}

// TestStrip leaves nothing of the overlay's.
func TestStrip(t *testing.T) {
	g := newGround(t, Overlay, "mkdir -p d/e; : >d/f; : >d/e/g")
	l := g.run("rm d/f; printf a >d/e/g; ln -s x d/l; rm -r d/e; mkdir d/e")
	if err := Strip(filepath.Join(l.Up(), "d")); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", `cd "$1"; find . ! -type f ! -type d ! -type l; find . | sort | tr '\n' ' '`, "sh", filepath.Join(l.Up(), "d")).Output()
	if err != nil || string(out) != ". ./e ./l " {
		t.Errorf("%s, %v", out, err)
	}
	for _, name := range []string{"d", "d/e"} {
		if attrs := overlayAttrs(filepath.Join(l.Up(), name)); len(attrs) > 0 {
			t.Errorf("%s has %q", name, attrs)
		}
	}
}

// TestPoisonedDeed: the overlay's marks in a deed, and such as a command sets, mean nothing.
// A file of the deed that is marked user.overlay.metacopy can't be opened by a command.
func TestPoisonedDeed(t *testing.T) {
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "mkdir d e; printf a >d/f; printf a >e/f; printf a >g; printf a >h")
		for name, attrs := range map[string][]string{"d": {"opaque=y", "redirect=e", "impure=y"}, "e": {"opaque=x"}, "e/f": {"whiteout=y"}, "g": {"origin=x", "redirect=/h"}} {
			for _, a := range attrs {
				key, value, _ := strings.Cut(a, "=")
				if err := unix.Setxattr(filepath.Join(g.deed, name), "user.overlay."+key, []byte(value), 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		l := g.run("printf b >d/new; printf b >e/new; printf b >>g; mkdir n; for at in d n; do python3 -c 'import os,sys; os.setxattr(sys.argv[1], \"user.overlay.opaque\", b\"y\")' $at || :; done; mknod n/w c 0 0 2>/dev/null || :")
		got := lines(read(t, l, Options{}))
		want := "added file deed/d/new 644 -" + short("b") + "\nadded file deed/e/new 644 -" + short("b") + "\nchanged file deed/g 644 " + short("a") + "-" + short("ab") + "\nadded folder deed/n 755\n"
		if by == Copy && strings.Contains(got, "deed/n/w") {
			want += "refused deed/n/w: it is a character device\n"
		}
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
}

// TestUnreadable runs as nobody, whom a mode keeps out.
func TestUnreadable(t *testing.T) {
	if asNobody(t) {
		return
	}
	makers(t, func(t *testing.T, by By) {
		g := newGround(t, by, "mkdir -p d/e; printf a >d/e/f; printf a >f; mkdir gone")
		l := g.run("chmod 0 f; printf b >d/e/f; chmod 0 d/e/f d/e d; mkdir -p n/m; : >n/m/f; chmod 0 n/m/f n/m; chmod 200 n")
		want := "changed folder deed/d 0\nchanged folder deed/d/e 0\nchanged file deed/d/e/f 0 " + short("a") + "-" + short("b") + "\nchanged file deed/f 0 " + short("a") + "-" + short("a") +
			"\nadded folder deed/n 200\nadded folder deed/n/m 0\nadded file deed/n/m/f 0 -" + short("") + "\n"
		for range 2 { // modes are what they were
			if got := lines(read(t, l, Options{})); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		}
		if err := errors.Join(Strip(filepath.Join(l.Up(), "d")), Strip(filepath.Join(l.Up(), "f"))); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"d", "f"} {
			if attrs := overlayAttrs(filepath.Join(l.Up(), name)); len(attrs) > 0 {
				t.Errorf("%s has %q", name, attrs)
			}
		}
		if got := lines(read(t, l, Options{})); got != want {
			t.Errorf("stripped: %s\nwant\n%s", got, want)
		}
		if err := l.Drop(); err != nil {
			t.Error(err)
		}
	})
	g := newGround(t, Overlay, "mkdir -p d/e; printf a >d/e/f; printf a >f; chmod 0 d/e f")
	l := g.run("rm -r d; rm f")
	g.sh("chmod 0 d/e")
	if got := lines(read(t, l, Options{})); strings.Count(got, "\n") != 3 || !strings.Contains(got, "deleted folder deed/d 755 conflict\n") || !strings.Contains(got, "refused deed/d/e: ") || !strings.Contains(got, "refused deed/f: ") {
		t.Error(got)
	}
	g.sh("chmod 700 d/e")
}

// asNobody runs the test again as another user, if root runs it, and reports that it did.
func asNobody(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe := filepath.Join(dir, "test")
	b, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.Chown(dir, 65534, 65534), os.WriteFile(exe, b, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	return true
}
