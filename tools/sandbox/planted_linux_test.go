package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The processes that stand outside of a command's walls, bubblewrap and this program as the
// supervisor, load nothing from the folder that they start in, from the HOME of commands,
// or by a variable of the server's: none of it is theirs to hand on.
func TestWallsLoadNothingPlanted(t *testing.T) {
	w := newWorld(t)
	ran := filepath.Join(w.deed, "ran")
	plant := "#!/bin/sh\necho ran >>" + ran + "\n"
	for _, dir := range []string{"root/book", "root/book/deed", "state/home/book"} {
		for _, name := range []string{"bwrap", "sh", "vibey", "4", "libc.so.6", "ld.so.preload", ".profile", ".bashrc", ".bash_profile", ".env", "bin/sh", "proc/self/fd/4"} {
			w.write(t, filepath.Join(dir, name), plant)
			if err := os.Chmod(filepath.Join(w.dir, dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := ".::" + w.deed + ":" + os.Getenv("PATH")
	runners := map[Level]*Runner{}
	for _, l := range []Level{Bwrap, Landlock, None} {
		c := w.config(l)
		c.Path = path
		if r := Probe(c); r.Level() == l {
			runners[l] = r
		}
	}
	for name, value := range map[string]string{
		"PATH": path, "LD_PRELOAD": filepath.Join(w.deed, "libc.so.6"), "LD_LIBRARY_PATH": w.deed, "BASH_ENV": filepath.Join(w.deed, "sh"), "ENV": filepath.Join(w.deed, "sh"), "GODEBUG": "inittrace=1", "HOME": w.home,
	} {
		t.Setenv(name, value)
	}
	c := exec.Command("/bin/bash", "-c", ":")
	if c.Dir = w.deed; c.Run() == nil {
		if _, err := os.Stat(ran); err != nil {
			t.Error("a shell with this environment runs nothing, so this proves nothing")
		}
	}
	os.Remove(ran)
	for level, r := range runners {
		for range 3 { // from a spare, too
			o := r.Command(t.Context(), w.spec(":"))
			if _, err := os.Stat(ran); err == nil || o.Err != nil || o.ExitCode != 0 || len(o.Stdout.Text)+len(o.Stderr.Text) > 0 {
				t.Errorf("%s: planted: %v; %+v %s%s", level, err == nil, o, o.Stdout.Text, o.Stderr.Text)
			}
		}
	}
}
