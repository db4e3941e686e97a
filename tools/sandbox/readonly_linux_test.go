package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
)

// changes are ways to change a deed with the file old and the folder d.
var changes = []string{
	"echo x > deed/new", "echo x >> deed/old", ": > deed/old", "rm deed/old", "rm -r deed/d", "mv deed/old deed/moved", "mkdir deed/n", "ln deed/old deed/l", "ln -s old deed/s",
	"truncate -s 0 deed/old", "sed -i s/a/b/ deed/old", "cp /etc/passwd deed/p", "mkfifo deed/f", "cd deed && git init -q", "cd deed && echo x > .git",
	"/usr/bin/python3 -c 'import os; os.truncate(\"deed/old\", 0)'", "mv deed other", "tar -C deed -xf /dev/null; touch deed/t",
}

// TestReadOnly: such a command reads the deed and changes nothing in it, nor in the
// project's HOME, whatever ran before it, and what it may write ends with it.
func TestReadOnly(t *testing.T) {
	testenv.Slow(t)
	for l, r := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		w.write(t, "root/book/deed/old", "a\n")
		w.write(t, "root/book/deed/d/x", "x\n")
		w.write(t, "state/home/book/secret", "of the project\n")
		run := func(command string, readOnly bool) Outcome {
			s := w.spec(command)
			s.ReadOnly = readOnly
			return r.Command(t.Context(), s)
		}
		if !r.HoldsReadOnly() {
			t.Fatalf("%s can't hold it", l)
		}
		before := content(t, w.deed)
		for _, c := range changes {
			if o := run(c, true); o.Err != nil || o.ExitCode == 0 {
				t.Errorf("%s: %s: %+v", l, c, o)
			}
		}
		if now := content(t, w.deed); now != before {
			t.Errorf("%s: the deed became\n%s", l, now)
		}
		const own = `cat deed/old doc-main.md && echo x > ~/mine && echo x > "$TMPDIR/mine2" && cat ~/mine && cat ~/secret; ls ~`
		o := run(own, true)
		if text := string(o.Stdout.Text); !strings.HasPrefix(text, "a\n# Book\nx\n") || strings.Contains(text, "of the project") {
			t.Errorf("%s: %s%s", l, text, o.Stderr.Text)
		}
		if o := run(`ls ~ "$TMPDIR"`, true); strings.Contains(string(o.Stdout.Text), "mine") {
			t.Errorf("%s: it outlives its command: %s", l, o.Stdout.Text)
		}
		if !strings.Contains(content(t, w.home), "secret") || strings.Contains(content(t, w.home), "mine") {
			t.Errorf("%s: the project's HOME has\n%s", l, content(t, w.home))
		}
		// One that may write, before and after: neither gets the other's walls.
		for range 2 {
			if o := run("echo x > deed/free && cat ~/secret", false); o.ExitCode != 0 || string(o.Stdout.Text) != "of the project\n" {
				t.Errorf("%s: %+v %s", l, o, o.Stderr.Text)
			}
			if o := run("rm deed/free", true); o.ExitCode == 0 {
				t.Errorf("%s: behind another command it removed a file", l)
			}
		}
	}
}

// A hook that a human has switched off stays so.
func TestReadOnlyHooks(t *testing.T) {
	for l, r := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		w.write(t, "root/book/deed/.git/HEAD", "ref: refs/heads/main\n")
		w.write(t, "root/book/deed/.git/config", plainConfig)
		w.write(t, "root/book/deed/.git/hooks/pre-commit", "#!/bin/sh\n")
		for _, d := range []string{"objects", "refs"} {
			if err := os.MkdirAll(w.deed+"/.git/"+d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s := w.spec("chmod +x deed/.git/hooks/pre-commit; cat deed/.git/hooks/pre-commit")
		s.ReadOnly = true
		o := r.Command(t.Context(), s)
		fi, err := os.Stat(w.deed + "/.git/hooks/pre-commit")
		if o.Err != nil || err != nil || fi.Mode()&0o111 != 0 {
			t.Errorf("%s: %+v: the hook is %v, %v", l, o, fi.Mode(), err)
		}
	}
}

// A deed that lies elsewhere can be read, and is not written either.
func TestReadOnlyDeedElsewhere(t *testing.T) {
	for l, r := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		elsewhere := filepath.Join(w.dir, "code")
		w.write(t, "code/old", "a\n")
		if err := errors.Join(os.Remove(w.deed), os.Symlink(elsewhere, w.deed)); err != nil {
			t.Fatal(err)
		}
		s := w.spec("cat deed/old; echo x > deed/new")
		s.Deed, s.ReadOnly = elsewhere, true
		if o := r.Command(t.Context(), s); string(o.Stdout.Text) != "a\n" || o.ExitCode == 0 {
			t.Errorf("%s: %+v %s", l, o, o.Stderr.Text)
		}
		if _, err := os.Lstat(elsewhere + "/new"); err == nil {
			t.Errorf("%s: it wrote", l)
		}
	}
}

// Where nothing holds it, it is not run.
func TestReadOnlyWithoutWalls(t *testing.T) {
	dir, r := t.TempDir(), runner(5*time.Second)
	o := r.Command(t.Context(), Spec{Command: "echo x > file", Dir: dir, ReadOnly: true})
	if !errors.Is(o.Err, ErrReadOnly) || r.HoldsReadOnly() {
		t.Errorf("%+v", o)
	}
	if _, err := os.Lstat(dir + "/file"); err == nil {
		t.Error("it ran")
	}
}

// TestSpecLimit: a command's own limit holds instead of the Runner's, a longer one and
// a shorter one, from a spare too.
func TestSpecLimit(t *testing.T) {
	testenv.Slow(t)
	for _, l := range []Level{None, Landlock, Bwrap} {
		w := newWorld(t)
		c := w.config(l)
		c.Limit = 300 * time.Millisecond
		r := Probe(c)
		if r.Level() != l {
			testenv.Partly(t, testenv.Walls(string(l)))
			continue
		}
		t.Cleanup(func() { r.StopServers("") })
		for range 2 {
			s := w.spec("sleep 0.6; echo whole")
			if o := r.Command(t.Context(), s); !o.TimedOut || o.Stdout.Bytes != 0 {
				t.Errorf("%s, the Runner's: %+v", l, o)
			}
			s.Limit = 20 * time.Second
			if o := r.Command(t.Context(), s); o.TimedOut || string(o.Stdout.Text) != "whole\n" {
				t.Errorf("%s, a longer one: %+v %s", l, o, o.Stderr.Text)
			}
			s.Limit = 100 * time.Millisecond
			if o := r.Command(t.Context(), s); !o.TimedOut {
				t.Errorf("%s, a shorter one: %+v", l, o)
			}
		}
	}
}

// content is every name, mode and byte below a folder.
func content(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		sum := [32]byte{}
		if fi.Mode().IsRegular() {
			text, _ := os.ReadFile(p)
			sum = sha256.Sum256(text)
		}
		fmt.Fprintf(&b, "%s %v %x\n", strings.TrimPrefix(p, dir), fi.Mode(), sum[:4])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
