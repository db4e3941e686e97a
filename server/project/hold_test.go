package project

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/layer"
)

// heldProject is one with a dialog, and a call of it.
func heldProject(t *testing.T) (*Project, Call) {
	t.Helper()
	p := applyProject(t)
	f := started(t, p)
	id := f.ID()
	must(t, f.Close())
	return p, Call{Dialog: id, ID: "call_1"}
}

// An effect that waits lies in .kept: it is applied from there when its layer is gone, also in
// a copy of the project, and finished after a kill at any step.
func TestApplyHeld(t *testing.T) {
	for name, c := range applyCases {
		if name == "many" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for k, ended := 0, true; ended; k++ {
				p, call := heldProject(t)
				lay(t, p.path("deed"), c.before)
				l, r := ranIn(t, p, layerDir(t, p, false), c.does)
				want := shape(t, l.Up())
				inLayer, err := p.Hold(l, r, call)
				must(t, err)
				must(t, l.Drop())
				if inLayer {
					t.Fatal("not kept")
				}
				for n := range c.before { // as a copy has it
					touchCtime(t, p.path("deed/"+n))
				}
				ended, _ = killAt(p, k, func() error { _, err := applyHeld(t, p, r.Effect(), call); must(t, err); return err })
				p = restarted(t, p)
				done, found, err := p.FinishApply(call)
				must(t, err)
				if !found {
					done, err = applyHeld(t, p, r.Effect(), call)
					must(t, err)
				}
				if len(done.Conflicts) != 0 {
					t.Fatalf("step %d: %q", k, done.Conflicts)
				}
				must(t, p.EndApply(call))
				must(t, p.LetGo(call))
				sameShape(t, fmt.Sprint("step ", k), shape(t, p.path("deed")), want)
				nothingLeft(t, p)
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
}

// applyHeld is Apply of what Hold keeps in .kept.
func applyHeld(t *testing.T, p *Project, e effect.Effect, call Call) (Applied, error) {
	l, r, err := p.Held(t.Context(), e, call, false)
	if err != nil {
		return Applied{}, err
	}
	return p.Apply(t.Context(), l, r, call)
}

func touchCtime(t *testing.T, at string) {
	t.Helper()
	if info, err := os.Lstat(at); err == nil && info.Mode().IsRegular() {
		must(t, os.Chtimes(at, info.ModTime(), info.ModTime()))
	}
}

// What is held against hashes is a conflict if its bytes are others.
func TestApplyHeldConflicts(t *testing.T) {
	p, call := heldProject(t)
	lay(t, p.path("deed"), map[string]string{"a": "old", "b": "old", "l": "> a"})
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
		for _, n := range []string{"a", "b", "new"} {
			write(t, dir+"/"+n, "of the command")
		}
		must(t, os.Remove(dir+"/l"))
	})
	_, err := p.Hold(l, r, call)
	must(t, err)
	must(t, l.Drop())
	write(t, p.path("deed/a"), "of me")
	must(t, os.Remove(p.path("deed/l")))
	must(t, os.Symlink("b", p.path("deed/l")))
	done, err := applyHeld(t, p, r.Effect(), call)
	must(t, err)
	if !slices.Equal(done.Conflicts, []string{"deed/a", "deed/l"}) || read(t, p.path("deed/a")) != "of me" || read(t, p.path("deed/b")) != "of the command" {
		t.Errorf("%q", done.Conflicts)
	}
	for _, path := range []string{"deed/../x", "x", "deed/", "deed//x", "deed/./x"} {
		e := effect.Of([]effect.Change{{Path: path, Kind: effect.Added, Type: effect.Folder, Mode: "755"}})
		if _, err := applyHeld(t, p, e, Call{Dialog: call.Dialog, ID: "c"}); err == nil {
			t.Errorf("%s is applied", path)
		}
	}
}

// What is held is not removed for newer bytes, until it is let go of or its dialog is gone.
func TestHoldPins(t *testing.T) {
	p, call := heldProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { write(t, dir+"/new", "waits") })
	inLayer, err := p.Hold(l, r, call)
	must(t, err)
	sha := dialog.SHA256("waits")
	at := filepath.Join(p.path(keptName), sha)
	must(t, os.Chtimes(at, then, then)) // the oldest
	fill := func(n string) {
		t.Helper()
		big := filepath.Join(p.path(keptName), strings.Repeat(n, 64))
		write(t, big, "")
		must(t, os.Truncate(big, keptMost))
		p.kept.Store(nil)
		must(t, p.Keep([]byte("newer "+n)))
		if _, err := os.Stat(big); err == nil {
			t.Error("no room was made")
		}
	}
	fill("a")
	if _, err := p.Kept(sha); err != nil || inLayer {
		t.Error(inLayer, err)
	}
	must(t, p.LetGo(call))
	must(t, p.LetGo(call))
	must(t, os.Chtimes(at, then, then))
	fill("b")
	if _, err := p.Kept(sha); err == nil {
		t.Error("it is kept on")
	}
	inLayer, err = p.Hold(l, r, Call{Dialog: "20260216-201100-gone", ID: "call_1"})
	must(t, err)
	must(t, os.Chtimes(at, then, then))
	fill("c")
	if _, err := p.Kept(sha); err == nil || inLayer {
		t.Error("it is kept for a dialog that is gone")
	}
	if names := keptNames(t, p); slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, heldSuffix) || disk.IsTemp(n) }) {
		t.Errorf("%q", names)
	}
}

// A snapshot holds what waits: where it is restored, the same is applied, with modes and
// times, and its bytes are not removed for newer ones.
func TestHeldInSnapshot(t *testing.T) {
	p, call := heldProject(t)
	call.ID = "call.1" // whatever a provider calls it
	lay(t, p.path("deed"), map[string]string{"a": "old", "b": "old", "gone": "old"})
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
		write(t, dir+"/a", "new")
		must(t, os.Chmod(dir+"/b", 0o755))
		must(t, os.Remove(dir+"/gone"))
		must(t, os.Mkdir(dir+"/made", 0o755))
		write(t, dir+"/made/x", "new too")
	})
	want := shape(t, l.Up())
	_, err := p.Hold(l, r, call)
	must(t, err)
	must(t, l.Drop())
	var b bytes.Buffer
	left, err := p.Snapshot(&b, ScopeAll)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left out: %q", left)
	}
	restored(t)(p.store.Restore("again", bytes.NewReader(b.Bytes()), int64(b.Len()), UploadLimits, nil))
	again, err := p.store.Project("again")
	must(t, err)
	if a, b := keptNames(t, p), keptNames(t, again); !slices.Equal(a, b) || !slices.Contains(b, heldName(call)) {
		t.Errorf("%q became %q", a, b)
	}
	d, err := again.own(keptName, false)
	must(t, err)
	defer d.Close()
	if h, err := again.heldIn(d); err != nil || len(h) != 1 || len(h[0].Hashes) != 3 {
		t.Errorf("%v, %v", h, err)
	}
	done, err := applyHeld(t, again, r.Effect(), call)
	must(t, err)
	if len(done.Conflicts) > 0 {
		t.Errorf("%q", done.Conflicts)
	}
	must(t, again.EndApply(call))
	sameShape(t, "again", shape(t, again.path("deed")), want)
	for _, name := range []string{"x.held", "../x.held", "20260216-201100-x.held/x", "20260216-201100-x.a/b.held"} {
		if newContents(UploadLimits).add(keptPrefix+name, 1) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// Too much for .kept waits in its layer, and nothing of it is written there.
func TestHoldTooMuch(t *testing.T) {
	for name, does := range map[string]func(t testing.TB, dir string){
		"files": func(t testing.TB, dir string) {
			for i := range heldFiles + 1 {
				write(t, fmt.Sprintf("%s/%d", dir, i), "")
			}
		},
		"bytes": func(t testing.TB, dir string) { write(t, dir+"/a", strings.Repeat("x", heldBytes+1)) },
		"name":  func(t testing.TB, dir string) { write(t, dir+"/\xff", "") },
	} {
		p, call := heldProject(t)
		l, r := ranIn(t, p, layerDir(t, p, false), does)
		inLayer, err := p.Hold(l, r, call)
		if !inLayer || err != nil || !slices.Equal(keptNames(t, p), []string{heldName(call)}) {
			t.Errorf("%s: %v, %v, %q", name, inLayer, err, keptNames(t, p))
		}
		l, r, err = p.Held(t.Context(), r.Effect(), call, true)
		must(t, err)
		want := shape(t, l.Up())
		_, err = p.Apply(t.Context(), l, r, call)
		must(t, errors.Join(err, p.EndApply(call), p.LetGo(call)))
		sameShape(t, name, shape(t, p.path("deed")), want)
	}
	p, call := heldProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { write(t, dir+"/a", "read") })
	write(t, l.Up()+"/a", "then written")
	if inLayer, err := p.Hold(l, r, call); inLayer || err == nil || errors.Is(err, os.ErrNotExist) {
		t.Error(inLayer, err)
	}
	must(t, os.MkdirAll(p.path(keptName), 0o755))
	write(t, p.path(keptName+"/"+heldName(Call{Dialog: call.Dialog, ID: "other"})), fmt.Sprintf(`{"bytes":%d}`, heldMost))
	write(t, l.Up()+"/a", "read")
	if inLayer, err := p.Hold(l, r, call); !inLayer || err != nil {
		t.Error(inLayer, err)
	}
}

// What a command let nobody read waits in its layer: only root could read it for .kept.
func TestToHoldUnreadable(t *testing.T) {
	for _, c := range []struct {
		of   effect.Type
		mode string
		ok   bool
	}{{effect.File, "644", true}, {effect.File, "0", false}, {effect.Folder, "755", true}, {effect.Folder, "333", false}, {effect.Folder, "644", false}, {effect.Link, "", true}} {
		change := effect.Change{Path: "deed/a", Kind: effect.Added, Type: c.of, Mode: c.mode, After: dialog.SHA256("x")}
		if _, ok := toHold(&layer.Reading{Changes: []layer.Change{{Change: change, Name: "a"}}}); ok != c.ok {
			t.Errorf("%+v: %v", c, ok)
		}
	}
}
