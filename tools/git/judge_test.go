package git

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ground is a deed, and beside it a place where programs leave a sign that they
// ran.
type ground struct {
	t         *testing.T
	dir, deed string
}

func newGround(t *testing.T) ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwX", dir).Run() }) // or its user could not remove it
	g := ground{t, dir, filepath.Join(dir, "deed")}
	for _, d := range []string{"deed", "home", "out"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// sh runs a script in the deed with a git that has no config of its own. {ran}
// is a program that leaves the sign, {out} a folder outside.
func (g ground) sh(script string) string {
	g.t.Helper()
	ran := filepath.Join(g.dir, "program")
	if err := os.WriteFile(ran, []byte("#!/bin/sh\ntouch "+g.dir+"/ran\nprintf '/\\0'\n"), 0o755); err != nil {
		g.t.Fatal(err)
	}
	script = strings.NewReplacer("{ran}", ran, "{out}", g.dir+"/out", "{deed}", g.deed).Replace(script)
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = g.deed
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir + "/home", "GIT_CONFIG_NOSYSTEM=1", "EDITOR=true", "TERM=dumb",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func (g ground) ran() bool {
	_, err := os.Stat(filepath.Join(g.dir, "ran"))
	os.Remove(filepath.Join(g.dir, "ran"))
	return err == nil
}

func (g ground) read(name string) string {
	b, err := os.ReadFile(filepath.Join(g.deed, name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

// human is who sh takes its settings from.
func (g ground) human() Human {
	return HumanOf(g.dir+"/home", func(string) string { return "" })
}

// command runs a script as a command with a layer does, and applies what Judge lets
// through. It returns what the script said, and what is told.
func (g ground) command(script string) (said, told string) {
	g.t.Helper()
	low, up := g.dir+"/low", g.dir+"/up"
	g.run("cp", "-a", g.deed, low)
	said = g.sh(script)
	g.run("mv", g.deed, up)
	g.run("mv", low, g.deed)
	before, after := g.root(g.deed), g.root(up)
	defer before.Close()
	defer after.Close()
	var touched []Touched
	for _, name := range g.differ(before, after) {
		touched = append(touched, Touched{name, !exists(after, name)})
	}
	var names []string
	for _, t := range touched {
		names = append(names, t.Name)
	}
	verdicts := Judge(touched, Views{Before: before, After: after, Dir: g.deed, Named: NamedIn(g.deed, g.human(), names)})
	for _, t := range touched { // what a layer refuses for other reasons
		if kind, ok := kindOf(after, t.Name); ok && (kind == fs.ModeNamedPipe || kind == fs.ModeSymlink && !linksWithin(g.deed, t.Name, after)) {
			verdicts[t.Name] = Verdict{Refused: true, Why: "it is no file"}
		}
		if v := verdicts[t.Name]; v.Why != "" {
			told += t.Name + ": " + v.Why + "\n"
		}
	}
	for _, t := range touched { // a layer keeps what has to stay, and the folders on the way to it
		for at := path.Dir(t.Name); at != "."; at = path.Dir(at) {
			if verdicts[at].Refused && !(isFolder(before, at) && isFolder(after, at)) {
				verdicts[t.Name] = Verdict{Refused: true}
			}
			if verdicts[t.Name].Refused && exists(before, t.Name) && !isFolder(after, at) {
				verdicts[at] = Verdict{Refused: true}
			}
		}
	}
	slices.Reverse(touched)
	for _, t := range touched {
		if now, ok := kindOf(after, t.Name); !verdicts[t.Name].Refused && (!ok || !now.IsDir() || !isFolder(before, t.Name)) {
			before.Remove(t.Name)
		}
	}
	slices.Reverse(touched)
	for _, t := range touched {
		if v := verdicts[t.Name]; !v.Refused && !t.Gone {
			g.apply(up, t.Name, v)
		}
	}
	g.run("chmod", "-R", "u+rwX", up)
	os.RemoveAll(up)
	return said, told
}

func (g ground) apply(up, name string, v Verdict) {
	g.t.Helper()
	info, err := os.Lstat(filepath.Join(up, name))
	if err != nil {
		g.t.Fatal(err)
	}
	to := filepath.Join(g.deed, name)
	os.MkdirAll(filepath.Dir(to), 0o755)
	switch {
	case info.IsDir():
		os.Mkdir(to, 0o755)
	case v.Text != nil:
		err = os.WriteFile(to, v.Text, 0o644)
	default:
		g.run("cp", "-a", filepath.Join(up, name), to)
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

func kindOf(v View, name string) (fs.FileMode, bool) {
	info, err := v.Lstat(name)
	if err != nil {
		return 0, false
	}
	return info.Mode().Type(), true
}

// linksWithin reports whether a link leads nowhere out of the deed.
func linksWithin(deed, name string, v View) bool {
	to, _ := v.(*os.Root).Readlink(name)
	if !filepath.IsAbs(to) {
		to = filepath.Join(deed, path.Dir(name), to)
	}
	return to == deed || strings.HasPrefix(filepath.Clean(to), deed+"/")
}

func (g ground) root(dir string) *os.Root {
	r, err := os.OpenRoot(dir)
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

func (g ground) run(name string, args ...string) {
	g.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		g.t.Fatalf("%s %s: %v %s", name, args, err, out)
	}
}

// differ returns the names at which two folders differ, in order.
func (g ground) differ(a, b *os.Root) (names []string) {
	all := map[string]bool{}
	for _, r := range []*os.Root{a, b} {
		fs.WalkDir(r.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
			if name != "." {
				all[name] = true
			}
			return nil
		})
	}
	print := func(r *os.Root, name string) string {
		info, err := r.Lstat(name)
		if err != nil {
			return "-"
		}
		text, to := []byte{}, ""
		if info.Mode().IsRegular() {
			text, _ = r.ReadFile(name)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, _ = r.Readlink(name)
		}
		return fmt.Sprint(info.Mode(), to, string(bytes.Clone(text)))
	}
	for name := range all {
		if print(a, name) != print(b, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestPlants: what a command leaves for a human's git to run never runs, and is told.
func TestPlants(t *testing.T) {
	for _, p := range slices.Concat(gitPlants, gitLeads) {
		t.Run(p.name, p.test)
	}
}

func (p gitPlant) test(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.sh(p.before)
	said := g.sh(p.command)
	g.ran()
	if said += g.sh(p.human); !g.ran() {
		t.Fatalf("it does not run without us, so it proves nothing: %s", said)
	}
	g = newGround(t)
	g.sh(p.before)
	said, told := g.command(p.command)
	g.ran()
	if said += g.sh(p.human); g.ran() {
		t.Errorf("it ran: %s\ntold: %s", said, told)
	}
	if told == "" && os.Geteuid() == 0 { // what a user can't list was never there
		t.Error("nothing was told")
	}
}
