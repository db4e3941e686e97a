package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/tools/layer"
)

// applyCase is a command: what the deed has before, and what the command does to its own copy.
type applyCase struct {
	before map[string]string // by name: a file's bytes, "/" for a folder, "> " and a link's target
	does   func(t testing.TB, dir string)
}

var applyCases = map[string]applyCase{
	"all kinds": {
		map[string]string{"a": "old a", "b": "old b", "d/x": "x", "d/y": "y", "d/sub/z": "z", "l": "> a", "gone": "g", "stays": "s", "e": "/", "both": "1"},
		func(t testing.TB, dir string) {
			write(t, dir+"/a", "new a")
			must(t, os.Chmod(dir+"/b", 0o755))
			must(t, os.RemoveAll(dir+"/d"))
			must(t, os.Remove(dir+"/l"))
			must(t, os.Symlink("b", dir+"/l"))
			must(t, os.Remove(dir+"/gone"))
			must(t, os.MkdirAll(dir+"/new/deep/er", 0o755))
			write(t, dir+"/new/f", "nf")
			write(t, dir+"/new/deep/er/g", "ng")
			must(t, os.Chmod(dir+"/new/deep", 0o555))
			must(t, os.Symlink("../a", dir+"/new/l"))
			must(t, os.Chmod(dir+"/e", 0o700))
			write(t, dir+"/e/in", "in")
			must(t, os.Chmod(dir+"/e/in", 0o600))
		},
	},
	"one file": {map[string]string{"a": "1"}, func(t testing.TB, dir string) { write(t, dir+"/a", "2") }},
	"types": {
		map[string]string{"file": "f", "folder/in": "i", "link": "> file", "dir/deep/x": "x"},
		func(t testing.TB, dir string) {
			must(t, os.Remove(dir+"/file"))
			must(t, os.MkdirAll(dir+"/file/sub", 0o755))
			write(t, dir+"/file/sub/x", "x")
			must(t, os.RemoveAll(dir+"/folder"))
			write(t, dir+"/folder", "now a file")
			must(t, os.Remove(dir+"/link"))
			must(t, os.Mkdir(dir+"/link", 0o750))
			must(t, os.RemoveAll(dir+"/dir"))
			must(t, os.Symlink("folder", dir+"/dir"))
		},
	},
	"renamed": {
		map[string]string{"src/a": "1", "src/b/c": "2", "src-x": "3"},
		func(t testing.TB, dir string) {
			must(t, os.Rename(dir+"/src", dir+"/Src"))
			must(t, os.Rename(dir+"/src-x", dir+"/src"))
		},
	},
	"many": {
		map[string]string{"old/a": "1", "old/b": "2"},
		func(t testing.TB, dir string) {
			for i := range 60 {
				write(t, fmt.Sprintf("%s/old/f%d", dir, i), strconv.Itoa(i))
			}
			must(t, os.MkdirAll(dir+"/n/m", 0o755))
			for i := range 60 {
				write(t, fmt.Sprintf("%s/n/m/f%d", dir, i), strconv.Itoa(i))
			}
			write(t, dir+"/old/a", "changed")
			must(t, os.Remove(dir+"/old/b"))
		},
	},
}

// lay makes what a case has before.
func lay(t testing.TB, dir string, before map[string]string) {
	t.Helper()
	for name, text := range before {
		at := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		if to, ok := strings.CutPrefix(text, "> "); ok {
			must(t, os.Symlink(to, at))
		} else if text == "/" {
			must(t, os.MkdirAll(at, 0o755))
		} else {
			write(t, at, text)
		}
	}
}

// shape is all that stands below a folder: permissions, and bytes or a target.
func shape(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		info, err := d.Info()
		must(t, err)
		switch {
		case d.IsDir():
			all[name] = fmt.Sprintf("folder %o", info.Mode().Perm())
		case d.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(at)
			all[name] = "link " + to
		default:
			all[name] = fmt.Sprintf("file %o %s", info.Mode().Perm(), read(t, at))
		}
		return nil
	}))
	return all
}

// sameShape fails if two folders differ.
func sameShape(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(want)) {
		if got[n] != want[n] {
			t.Errorf("%s: %s is %.60q, want %.60q", what, n, got[n], want[n])
		}
	}
	for n := range got {
		if _, ok := want[n]; !ok {
			t.Errorf("%s: %s is %.60q, want nothing", what, n, got[n])
		}
	}
}

// ranIn is the layer of a command that does something in a copy of the deed, and what is read
// of it.
func ranIn(t testing.TB, p *Project, dir string, does func(t testing.TB, dir string)) (*layer.Layer, *layer.Reading) {
	t.Helper()
	deed, err := p.DeedDir()
	must(t, err)
	l, err := layer.Make(dir, deed, layer.Copy)
	must(t, err)
	l.Begin()
	does(t, l.Up())
	r, err := l.Read(t.Context(), layer.Options{Hash: 1000, LinkOK: func(string, string) bool { return true }})
	must(t, err)
	return l, r
}

func hashShape(s string) string {
	typ, rest, _ := strings.Cut(s, " ")
	switch typ {
	case "link":
		return dialog.SHA256(rest)
	case "file":
		_, text, _ := strings.Cut(rest, " ")
		return dialog.SHA256(text)
	}
	return ""
}

// applyProject is a project with a state dir, in memory.
func applyProject(t testing.TB) *Project {
	t.Helper()
	p := quickProject(t)
	dir := filepath.Join(filepath.Dir(p.store.path), "state")
	must(t, os.Mkdir(dir, 0o700))
	o := p.store.o
	o.State = dir
	s, err := Open(p.store.path, o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	p, err = s.Project("game")
	must(t, err)
	return p
}

var callOne = Call{Dialog: "20260216-201100-x", ID: "call_1", Say: []byte(`{"exit":0}`)}

// layerDir is a place for a layer, on the disk of the deed or on another.
func layerDir(t testing.TB, p *Project, elsewhere bool) string {
	dir := filepath.Join(filepath.Dir(p.store.path), "layer")
	if elsewhere {
		dir = filepath.Join(t.TempDir(), "layer")
	}
	t.Cleanup(func() { (&layer.Layer{Dir: dir}).Drop() }) // a command may have left what nobody may write
	return dir
}

// restarted is the project after the program was killed and started again.
func restarted(t testing.TB, p *Project) *Project {
	t.Helper()
	for name := range p.store.journals.held {
		p.store.rest(name, false)
	}
	return again(t, p)
}

// What a command did to its copy is what the deed has then, wherever the layer lies; old bytes
// are kept, and nothing is left of the work.
func TestApply(t *testing.T) {
	for name, c := range applyCases {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprint(name, elsewhere), func(t *testing.T) {
				p := applyProject(t)
				lay(t, p.path("deed"), c.before)
				l, r := ranIn(t, p, layerDir(t, p, elsewhere), c.does)
				want, was := shape(t, l.Up()), shape(t, p.path("deed"))
				done, err := p.Apply(t.Context(), l, r, callOne)
				must(t, err)
				must(t, p.EndApply(callOne))
				sameShape(t, "the deed", shape(t, p.path("deed")), want)
				if len(done.Conflicts) != 0 || string(done.Say) != `{"exit":0}` {
					t.Errorf("%+v", done)
				}
				for n, s := range was {
					if sha := hashShape(s); sha != "" && want[n] != s && hashShape(want[n]) != sha {
						if b, err := p.Kept(sha); err != nil || dialog.SHA256(b) != sha {
							t.Errorf("%s is not kept: %v", n, err)
						}
					}
				}
				nothingLeft(t, p)
			})
		}
	}
}

// nothingLeft fails if a journal or lock is left.
func nothingLeft(t *testing.T, p *Project) {
	t.Helper()
	must(t, filepath.WalkDir(filepath.Join(p.store.o.State, journalsName), func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", at)
		}
		return err
	}))
	if calls := p.Unfinished(callOne.Dialog); calls != nil {
		t.Errorf("unfinished: %q", calls)
	}
}

// killedHere is what a test ends an Apply by: no code of it runs on.
type killedHere struct{}

// killAt has an Apply end before its step k; it reports whether it had that many.
func killAt(p *Project, k int, apply func() error) (ended bool, err error) {
	n := 0
	p.fail = func(string) error {
		if n++; n > k {
			panic(killedHere{})
		}
		return nil
	}
	defer func() {
		p.fail = nil
		if r := recover(); r != nil {
			if _, ok := r.(killedHere); !ok {
				panic(r)
			}
			ended = true
		}
	}()
	return false, apply()
}

// A kill before any step of an Apply: the next program ends it, and has the same answer and
// the same deed as if there had been none; killed again while it does that, too.
func TestApplyIsFinished(t *testing.T) {
	for name, c := range applyCases {
		if testing.Short() && name == "many" {
			continue
		}
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprint(name, elsewhere), func(t *testing.T) {
				for k, ended := 0, true; ended; k++ {
					p := applyProject(t)
					lay(t, p.path("deed"), c.before)
					l, r := ranIn(t, p, layerDir(t, p, elsewhere), c.does)
					want := shape(t, l.Up())
					var err error
					ended, err = killAt(p, k, func() error { _, err := p.Apply(t.Context(), l, r, callOne); return err })
					must(t, err)
					p = restarted(t, p)
					if calls := p.Unfinished(callOne.Dialog); len(calls) != 1 {
						if k > 0 {
							t.Fatalf("step %d: unfinished: %q", k, calls)
						}
						sameShape(t, "before the journal", shape(t, p.path("deed")), shape(t, l.Deed))
						os.RemoveAll(l.Dir)
						continue
					}
					killAt(p, k%7, func() error { _, _, err := p.FinishApply(callOne); return err })
					p = restarted(t, p)
					done, found, err := p.FinishApply(callOne)
					must(t, err)
					if !found || len(done.Conflicts) != 0 || string(done.Say) != `{"exit":0}` {
						t.Fatalf("step %d: %+v", k, done)
					}
					must(t, p.EndApply(callOne))
					sameShape(t, fmt.Sprint("step ", k), shape(t, p.path("deed")), want)
					nothingLeft(t, p)
					if t.Failed() {
						t.FailNow()
					}
					os.RemoveAll(l.Dir)
				}
			})
		}
	}
}

// A reading without changes writes nothing.
func TestApplyNothing(t *testing.T) {
	p := applyProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(testing.TB, string) {})
	p.fail = func(op string) error { t.Error(op); return nil }
	done, err := p.Apply(t.Context(), l, r, callOne)
	if err != nil || done.Conflicts == nil {
		t.Error(done, err)
	}
	if _, err := os.Stat(filepath.Join(p.store.o.State, journalsName)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must(t, p.EndApply(callOne))
}

// What somebody saved, made, removed, or put a link in the place of after the command began
// stays, and is told; the rest is applied.
func TestApplyConflicts(t *testing.T) {
	outside := t.TempDir()
	write(t, outside+"/x", "outside")
	before := map[string]string{"a": "old", "b": "old", "gone": "g", "d/x": "x", "d/y": "y", "del/1": "1", "ch": "/"}
	does := func(t testing.TB, dir string) {
		write(t, dir+"/a", "of the command")
		write(t, dir+"/b", "of the command")
		must(t, os.Remove(dir+"/gone"))
		write(t, dir+"/d/x", "of the command")
		write(t, dir+"/d/new", "of the command")
		must(t, os.Remove(dir+"/d/y"))
		must(t, os.RemoveAll(dir+"/del"))
		must(t, os.Mkdir(dir+"/n", 0o755))
		write(t, dir+"/n/1", "of the command")
		write(t, dir+"/n/2", "of the command")
		must(t, os.Chmod(dir+"/ch", 0o700))
	}
	for name, c := range map[string]struct {
		human func(deed string)
		want  []string
	}{
		"saves in place":    {func(deed string) { write(t, deed+"/a", "of me") }, []string{"deed/a"}},
		"same bytes":        {func(deed string) { write(t, deed+"/a", "old") }, []string{"deed/a"}},
		"sets the time":     {func(deed string) { must(t, os.Chtimes(deed+"/a", then, then)) }, []string{"deed/a"}},
		"replaces":          {func(deed string) { write(t, deed+"/t", "of me"); must(t, os.Rename(deed+"/t", deed+"/a")) }, []string{"deed/a"}},
		"removes":           {func(deed string) { must(t, os.Remove(deed+"/a")) }, []string{"deed/a"}},
		"a deleted one":     {func(deed string) { write(t, deed+"/gone", "of me") }, []string{"deed/gone"}},
		"deletes too":       {func(deed string) { must(t, os.Remove(deed+"/gone")) }, []string{}},
		"makes the new one": {func(deed string) { write(t, deed+"/d/new", "of me") }, []string{"deed/d/new"}},
		"makes the folder":  {func(deed string) { must(t, os.Mkdir(deed+"/n", 0o755)); write(t, deed+"/n/2", "of me") }, []string{"deed/n/2"}},
		"folder's mode":     {func(deed string) { must(t, os.Mkdir(deed+"/n", 0o700)) }, []string{"deed/n"}},
		"a file there":      {func(deed string) { write(t, deed+"/n", "of me") }, []string{"deed/n", "deed/n/1", "deed/n/2"}},
		"in a deleted one":  {func(deed string) { write(t, deed+"/del/mine", "of me") }, []string{"deed/del"}},
		"chmod of a folder": {func(deed string) { must(t, os.Chmod(deed+"/ch", 0o711)) }, []string{"deed/ch"}},
		"no folder":         {func(deed string) { must(t, os.RemoveAll(deed+"/d")) }, []string{"deed/d/new", "deed/d/x"}},
		"a link out": {func(deed string) {
			must(t, os.RemoveAll(deed+"/d"))
			must(t, os.Symlink(outside, deed+"/d"))
		}, []string{"deed/d/new", "deed/d/x", "deed/d/y"}},
		"a link within": {func(deed string) {
			must(t, os.Rename(deed+"/d", deed+"/e"))
			must(t, os.Symlink("e", deed+"/d"))
		}, []string{"deed/d/new", "deed/d/x", "deed/d/y"}},
		"a file for a folder": {func(deed string) {
			must(t, os.RemoveAll(deed+"/d"))
			write(t, deed+"/d", "of me")
		}, []string{"deed/d/new", "deed/d/x", "deed/d/y"}},
		"a link for a new folder": {func(deed string) { must(t, os.Symlink(outside, deed+"/n")) }, []string{"deed/n", "deed/n/1", "deed/n/2"}},
	} {
		for _, when := range []string{"before", "within"} {
			t.Run(name+" "+when, func(t *testing.T) {
				p := applyProject(t)
				deed := p.path("deed")
				lay(t, deed, before)
				l, r := ranIn(t, p, layerDir(t, p, false), does)
				theirs := shape(t, l.Up())
				mine, foreseen := map[string]string{}, []string(nil)
				human := func() { c.human(deed); mine = shape(t, deed) }
				if when == "before" {
					human()
					var err error
					foreseen, err = p.WouldConflict(r.Effect())
					must(t, err)
				} else { // when all was looked at and the journal is written
					p.fail = func(op string) error {
						if op == "sync" {
							human()
						}
						return nil
					}
				}
				done, err := p.Apply(t.Context(), l, r, callOne)
				must(t, err)
				if !slices.Equal(done.Conflicts, c.want) {
					t.Errorf("conflicts: %q, want %q", done.Conflicts, c.want)
				}
				foreseeable := name != "same bytes" && name != "sets the time" && name != "in a deleted one" && !strings.Contains(name, "mode") && !strings.Contains(name, "chmod")
				if when == "before" && foreseeable && !slices.Equal(foreseen, c.want) {
					t.Errorf("foreseen: %q, want %q", foreseen, c.want)
				}
				is := shape(t, deed)
				for _, ch := range r.Changes {
					want := theirs[ch.Name]
					if slices.Contains(done.Conflicts, ch.Path) {
						want = mine[ch.Name]
					}
					if name == "no folder" || is[ch.Name] == want {
						continue
					}
					t.Errorf("%s is %q, want %q", ch.Name, is[ch.Name], want)
				}
				if read(t, outside+"/x") != "outside" || len(shape(t, outside)) != 1 {
					t.Error("written outside")
				}
				must(t, p.EndApply(callOne))
			})
		}
	}
}

// Any command, killed at any moment of its Apply: the deed is as the command's copy was.
func TestApplyRandom(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		p := applyProject(t)
		for range r.IntN(40) {
			randomly(r, p.path("deed"))
		}
		l, reading := ranIn(t, p, layerDir(t, p, r.IntN(3) == 0), func(t testing.TB, dir string) {
			for range r.IntN(40) {
				randomly(r, dir)
			}
		})
		want := shape(t, l.Up())
		killAt(p, r.IntN(60), func() error { _, err := p.Apply(t.Context(), l, reading, callOne); must(t, err); return err })
		p = restarted(t, p)
		done, found, err := p.FinishApply(callOne)
		if !found && err == nil {
			done, err = p.Apply(t.Context(), l, reading, callOne)
		}
		must(t, err)
		must(t, p.EndApply(callOne))
		sameShape(t, fmt.Sprint("seed ", seed), shape(t, p.path("deed")), want)
		if len(done.Conflicts) > 0 {
			t.Errorf("seed %d: conflicts %q", seed, done.Conflicts)
		}
		if t.Failed() {
			t.FailNow()
		}
		os.RemoveAll(filepath.Dir(p.store.path))
	}
}

// randomly does something below dir that may fail.
func randomly(r *rand.Rand, dir string) {
	name := func() string {
		parts := []string{dir}
		for range 1 + r.IntN(3) {
			parts = append(parts, []string{"a", "b", "A", "a-b"}[r.IntN(4)])
		}
		return filepath.Join(parts...)
	}
	switch at := name(); r.IntN(9) {
	case 0, 1, 2:
		_ = os.MkdirAll(filepath.Dir(at), 0o755)
		_ = os.WriteFile(at, []byte(strconv.Itoa(r.IntN(5))), 0o644)
	case 3:
		_ = os.MkdirAll(at, 0o755)
	case 4:
		_ = os.RemoveAll(at)
	case 5:
		_ = os.Rename(at, name())
	case 6:
		_ = os.Symlink([]string{"a", "b", "../a"}[r.IntN(3)], at)
	case 7:
		_ = os.Chmod(at, []fs.FileMode{0o700, 0o755, 0o750}[r.IntN(3)])
	case 8:
		_ = os.Link(at, name())
	}
}
