package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/tools/disk"
	"vibey/tools/layer"
)

// Two commands that changed the same files: each file is of one of them, the other is told
// and nothing that stood there is lost, also where two programs apply at once.
func TestApplyTwoAtOnce(t *testing.T) {
	for round := range 5 {
		p := applyProject(t)
		q := again(t, p)
		for i := range 100 {
			write(t, p.path(fmt.Sprint("deed/f", i)), fmt.Sprint("old ", i))
		}
		does := func(who string) func(t testing.TB, dir string) {
			return func(t testing.TB, dir string) {
				for i := range 100 {
					write(t, fmt.Sprintf("%s/f%d", dir, i), fmt.Sprint(who, i))
					write(t, fmt.Sprintf("%s/new%d", dir, i), fmt.Sprint(who, i))
				}
			}
		}
		above := filepath.Dir(p.store.path)
		whose := []string{"a", "b"}
		var layers []*layer.Layer
		var readings []*layer.Reading
		for _, who := range whose {
			l, r := ranIn(t, p, filepath.Join(above, who), does(who))
			layers, readings = append(layers, l), append(readings, r)
		}
		told := make([]Applied, 2)
		var both sync.WaitGroup
		for i, one := range []*Project{p, q} {
			both.Go(func() {
				var err error
				if told[i], err = one.Apply(t.Context(), layers[i], readings[i], Call{Dialog: callOne.Dialog, ID: whose[i]}); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		for i := range 100 {
			for _, n := range []string{fmt.Sprint("f", i), fmt.Sprint("new", i)} {
				is, of := read(t, p.path("deed/"+n)), []bool{}
				for w, who := range whose {
					conflict := slices.Contains(told[w].Conflicts, "deed/"+n)
					of = append(of, conflict)
					if conflict == (is == fmt.Sprint(who, i)) {
						t.Errorf("round %d: %s is %q, and %s is told %v", round, n, is, who, conflict)
					}
				}
				if of[0] == of[1] {
					t.Errorf("%s: %v", n, of)
				}
			}
			if b, err := p.Kept(dialog.SHA256(fmt.Sprint("old ", i))); err != nil {
				t.Errorf("what both replaced is not kept: %s, %v", b, err)
			}
		}
	}
}

// A human saves files, by whatever program, while a command's changes are applied: what was
// saved after it was looked at is never lost, and it is told.
func TestApplySavedMeanwhile(t *testing.T) {
	const files = 40
	for _, save := range map[string]func(at, text string) error{
		"in place": func(at, text string) error { return os.WriteFile(at, []byte(text), 0o644) },
		"renamed": func(at, text string) error {
			return errors.Join(os.WriteFile(at+".t", []byte(text), 0o644), os.Rename(at+".t", at))
		},
	} {
		for k := range 2*files + 4 {
			if testing.Short() && k%7 != 0 {
				continue
			}
			p := applyProject(t)
			for i := range files {
				write(t, p.path(fmt.Sprint("deed/f", i)), strconv.Itoa(i))
			}
			l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
				for i := range files {
					write(t, fmt.Sprintf("%s/f%d", dir, i), "new")
				}
			})
			n, before := 0, map[string]string{}
			p.fail = func(string) error {
				if n++; n == k+1 {
					before = shape(t, p.path("deed"))
					for i := range files {
						must(t, save(p.path(fmt.Sprint("deed/f", i)), fmt.Sprint("mine ", i)))
					}
				}
				return nil
			}
			done, err := p.Apply(t.Context(), l, r, callOne)
			must(t, err)
			for i := range files {
				name := fmt.Sprint("f", i)
				conflict := slices.Contains(done.Conflicts, "deed/"+name)
				if applied := before[name] == "file 644 new"; n > k && (conflict == applied || read(t, p.path("deed/"+name)) != fmt.Sprint("mine ", i)) {
					t.Errorf("step %d: %s is %q, told %v", k, name, read(t, p.path("deed/"+name)), conflict)
				}
			}
		}
	}
}

// A save through this program waits for no more than a slice of a long Apply.
func TestApplyLeavesTheLock(t *testing.T) {
	p := applyProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
		for i := range 120 {
			write(t, fmt.Sprintf("%s/f%d", dir, i), "new")
		}
	})
	var steps atomic.Int64
	saved := make(chan int64, 1)
	p.fail = func(op string) error {
		if op != "step" {
			return nil
		}
		if steps.Add(1) == 10 {
			go func() {
				_, err := p.WriteFile("doc-a.md", "mine", "")
				if err != nil {
					t.Error(err)
				}
				saved <- steps.Load()
			}()
		}
		time.Sleep(applySlice / 20) // a slow disk: all takes 6 slices
		return nil
	}
	_, err := p.Apply(t.Context(), l, r, callOne)
	must(t, err)
	if at := <-saved; at == 120 {
		t.Error("saved when all was applied")
	}
}

// A disk that is full: what is applied is whole, the error has the numbers, and when there is
// room the rest follows.
func TestApplyOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "vibey-test", dir).Run() != nil {
		testenv.Lacks(t, testenv.Root)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	p := applyProject(t)
	must(t, os.Remove(p.path("deed")))
	must(t, os.Symlink(dir, p.path("deed")))
	write(t, dir+"/old", "old")
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, at string) {
		for i := range 10 {
			write(t, fmt.Sprintf("%s/f%d", at, i), strings.Repeat("x", 100_000))
		}
		write(t, at+"/old", "new")
	})
	write(t, dir+"/full", strings.Repeat("x", 1_500_000))
	_, err := p.Apply(t.Context(), l, r, callOne)
	e, ok := errors.AsType[*ApplyError](err)
	if !ok || !errors.Is(err, syscall.ENOSPC) || e.Of != 11 || !strings.Contains(err.Error(), "Make room on the disk, and continue the dialog") {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	for _, f := range entries {
		if n := f.Name(); n != "old" && n != "full" {
			t.Errorf("%s is left", n)
		}
	}
	if read(t, dir+"/old") != "old" {
		t.Error("half applied")
	}
	must(t, os.Remove(dir+"/full"))
	p = restarted(t, p)
	done, found, err := p.FinishApply(callOne)
	must(t, err)
	if !found || len(done.Conflicts) != 0 || read(t, dir+"/old") != "new" || len(read(t, dir+"/f9")) != 100_000 {
		t.Errorf("%+v", done)
	}
	must(t, p.EndApply(callOne))
	nothingLeft(t, p)
}

// An error at any step: the same, and the next try goes on.
func TestApplyFails(t *testing.T) {
	c := applyCases["all kinds"]
	for k, failed := 0, true; failed; k++ {
		p := applyProject(t)
		lay(t, p.path("deed"), c.before)
		l, r := ranIn(t, p, layerDir(t, p, k%2 == 0), c.does)
		want, n := shape(t, l.Up()), 0
		p.fail = func(string) error {
			if n++; n > k {
				return syscall.EIO
			}
			return nil
		}
		_, err := p.Apply(t.Context(), l, r, callOne)
		p.fail = nil
		if failed = err != nil; failed {
			if e, ok := errors.AsType[*ApplyError](err); !ok || !errors.Is(err, syscall.EIO) || e.Of != len(r.Changes) {
				t.Fatal(err)
			}
			_, found, err := p.FinishApply(callOne)
			must(t, err)
			if !found {
				t.Fatal("not found")
			}
		}
		must(t, p.EndApply(callOne))
		sameShape(t, fmt.Sprint("step ", k), shape(t, p.path("deed")), want)
		nothingLeft(t, p)
		if t.Failed() {
			t.FailNow()
		}
		os.RemoveAll(l.Dir)
	}
}

// At its start a program ends what a dead one began, and leaves what a living one does.
func TestFinishApplies(t *testing.T) {
	begun := func() (*Project, Call) {
		p, call := heldProject(t)
		l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { write(t, dir+"/a", "1"); write(t, dir+"/b", "2") })
		ended, _ := killAt(p, 2, func() error { _, err := p.Apply(t.Context(), l, r, call); return err })
		if !ended {
			t.Fatal("it was not killed")
		}
		return p, call
	}
	p, call := begun()
	q := again(t, p)
	q.store.FinishApplies()
	if _, err := os.Stat(q.path("deed/b")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("what a living program does was ended by another")
	}
	if _, _, err := q.FinishApply(call); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	q = restarted(t, p)
	q.store.FinishApplies()
	if read(t, q.path("deed/a"))+read(t, q.path("deed/b")) != "12" || !slices.Equal(q.Unfinished(call.Dialog), []string{call.ID}) {
		t.Errorf("%q", q.Unfinished(call.Dialog))
	}
	must(t, os.Remove(q.path("deed/a"))) // it is over: what a human does then stays
	must(t, os.RemoveAll(layerDir(t, q, false)))
	if _, found, err := again(t, q).FinishApply(call); !found || err != nil {
		t.Error(found, err)
	}
	if _, err := os.Stat(q.path("deed/a")); err == nil {
		t.Error("applied twice")
	}
	p, call = begun()
	f, err := p.find(call.Dialog)
	must(t, err)
	must(t, os.Remove(p.path(f.name)))
	q = restarted(t, p)
	q.store.FinishApplies()
	if calls := q.Unfinished(call.Dialog); calls != nil || read(t, q.path("deed/b")) != "2" {
		t.Errorf("%q", calls)
	}
}

// Names of one file in the deed: that one of them is replaced does not make the others a
// conflict.
func TestApplyHardLinks(t *testing.T) {
	for _, git := range []string{"", ".git/"} { // below .git nothing is kept
		p := applyProject(t)
		deed := p.path("deed/")
		must(t, os.MkdirAll(deed+"/"+git, 0o755))
		write(t, deed+"/"+git+"a", "old")
		for _, n := range []string{"b", "c"} {
			must(t, os.Link(deed+"/"+git+"a", deed+"/"+git+n))
		}
		l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
			write(t, dir+"/"+git+"a", "new")
			must(t, os.Remove(dir+"/"+git+"b"))
			must(t, os.Remove(dir+"/"+git+"c"))
		})
		done, err := p.Apply(t.Context(), l, r, callOne)
		must(t, err)
		if len(done.Conflicts) != 0 || len(shape(t, deed+"/"+git)) != 1 {
			t.Errorf("%s: %q", git, done.Conflicts)
		}
	}
}

// A command may write in a folder that its owner may not write, and leave its permissions as
// they were.
func TestApplyInReadOnlyFolder(t *testing.T) {
	p := applyProject(t)
	lay(t, p.path("deed"), map[string]string{"d/gone": "1", "d/a": "old"})
	must(t, os.Chmod(p.path("deed/d"), 0o555))
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) {
		must(t, os.Chmod(dir+"/d", 0o755))
		must(t, os.Remove(dir+"/d/gone"))
		write(t, dir+"/d/a", "new")
		must(t, os.Mkdir(dir+"/d/n", 0o755))
		write(t, dir+"/d/n/x", "x")
		must(t, os.Chmod(dir+"/d/n", 0o500))
		must(t, os.Chmod(dir+"/d", 0o555))
	})
	want := shape(t, l.Up())
	_, err := p.Apply(t.Context(), l, r, callOne)
	must(t, err)
	sameShape(t, "deed", shape(t, p.path("deed")), want)
	must(t, os.Chmod(p.path("deed/d"), 0o755))
}

// A journal that can't be read keeps its dialog from nothing: EndApply removes it.
func TestEndApplyOfDamaged(t *testing.T) {
	p := applyProject(t)
	dir := filepath.Join(p.store.o.State, journalsName)
	must(t, os.MkdirAll(dir, 0o700))
	write(t, filepath.Join(dir, p.journalName(callOne)), "{")
	if _, found, err := p.FinishApply(callOne); !found || err == nil {
		t.Error(found, err)
	}
	p.store.FinishApplies()
	if p.EndApply(callOne) == nil {
		t.Error("no word of it")
	}
	nothingLeft(t, p)
}

// Builds rest on times: they are as the command left them, also of a file whose bytes it did
// not change, unless somebody touched that meanwhile.
func TestApplyTimes(t *testing.T) {
	at := func(n int) time.Time { return then.Add(time.Duration(n) * time.Hour) }
	for _, how := range []string{"moved", "copied", "held"} {
		p, call := heldProject(t)
		lay(t, p.path("deed"), map[string]string{"a": "old", "same": "s", "mine": "m"})
		must(t, os.Chtimes(p.path("deed/same"), at(0), at(0)))
		l, r := ranIn(t, p, layerDir(t, p, how == "copied"), func(t testing.TB, dir string) {
			for i, n := range []string{"a", "new", "d/x", "same", "mine"} {
				must(t, os.MkdirAll(dir+"/d", 0o755))
				if i < 3 {
					write(t, dir+"/"+n, "new")
				}
				must(t, os.Chtimes(dir+"/"+n, at(i+1), at(i+1)))
			}
		})
		var err error
		if how == "held" {
			_, err = p.Hold(l, r, call)
			must(t, err)
		}
		must(t, os.Chtimes(p.path("deed/mine"), at(9), at(9)))
		if how == "held" {
			must(t, l.Drop())
			_, err = applyHeld(t, p, r.Effect(), call)
		} else {
			_, err = p.Apply(t.Context(), l, r, call)
		}
		must(t, err)
		must(t, p.EndApply(call))
		for n, want := range map[string]int{"a": 1, "new": 2, "d/x": 3, "same": 4, "mine": 9} {
			info, err := os.Stat(p.path("deed/" + n))
			must(t, err)
			if !info.ModTime().Equal(at(want)) {
				t.Errorf("%s: %s is of %v, want %v", how, n, info.ModTime(), at(want))
			}
		}
	}
}

// A program that was killed right behind a call's result has left what is over: the next one
// removes it at its start, and leaves alone what a human did in the deed since.
func TestFinishAppliesBehindResults(t *testing.T) {
	p := applyProject(t)
	f := started(t, p)
	must(t, f.Append(section(dialog.ToolRequest, 4, `{"command":"make"}`)))
	call := Call{Dialog: f.ID(), ID: section(dialog.ToolRequest, 4, "").ID}
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { write(t, dir+"/a", "1") })
	inLayer, err := p.Hold(l, r, call)
	must(t, err)
	must(t, p.HoldLayer(l, call, HomeLayer))
	if inLayer {
		t.Fatal("not kept")
	}
	q := restarted(t, p)
	q.store.FinishApplies()
	if _, err := q.HeldLayer(call, HomeLayer); err != nil {
		t.Error("what waits is gone:", err)
	}
	_, err = applyHeld(t, p, r.Effect(), call)
	must(t, err)
	must(t, f.Append(section(dialog.ToolResult, 4, `{"success":true}`)))
	must(t, os.Remove(p.path("deed/a")))
	tried := filepath.Join(p.store.o.State, triedName)
	for at, name := range map[string]string{ // of writes that kills ended
		filepath.Join(p.store.o.State, journalsName): p.journalName(call), p.path(keptName): heldName(call),
		tried: filepath.Base(p.triedLayer(call, HomeLayer)) + ".json",
	} {
		write(t, filepath.Join(at, disk.TempName(name)), "half")
	}
	q = restarted(t, p)
	q.store.FinishApplies()
	nothingLeft(t, q)
	left, _ := os.ReadDir(tried)
	kept, _ := os.ReadDir(q.path(keptName))
	kept = slices.DeleteFunc(kept, func(e fs.DirEntry) bool { return isKept(e.Name()) })
	deed, _ := os.ReadDir(q.path("deed"))
	if len(left)+len(kept)+len(deed)+len(q.Unfinished(call.Dialog)) > 0 {
		t.Errorf("left: %v %v %v %q", left, kept, deed, q.Unfinished(call.Dialog))
	}
}

// At a start what a kill left is finished beside what clients ask for: a turn waits for that.
func TestFinishApplyWaits(t *testing.T) {
	p := applyProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { write(t, dir+"/a", "1") })
	begun, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.fail = func(string) error {
		once.Do(func() { close(begun); <-goOn })
		return nil
	}
	ended := make(chan error)
	go func() { _, err := p.Apply(t.Context(), l, r, callOne); ended <- err }()
	<-begun
	time.AfterFunc(20*time.Millisecond, func() { close(goOn) })
	done, found, err := p.FinishApply(callOne)
	if err != nil || !found || len(done.Conflicts) != 0 || read(t, p.path("deed")+"/a") != "1" {
		t.Error(done, found, err)
	}
	must(t, <-ended)
	must(t, p.EndApply(callOne))
	nothingLeft(t, p)
}

// The layer of a tried command is held until its call has a result, also where a kill or an
// error comes right before its journal is written.
func TestApplyLeavesWhatIsHeld(t *testing.T) {
	p, call := heldProject(t)
	l, r := ranIn(t, p, layerDir(t, p, false), func(t testing.TB, dir string) { write(t, dir+"/a", "1") })
	must(t, p.HoldLayer(l, call, DeedLayer))
	l, err := p.HeldLayer(call, DeedLayer)
	must(t, err)
	journal := filepath.Join(p.store.o.State, journalsName, p.journalName(call))
	must(t, os.MkdirAll(journal, 0o755)) // which can't be written
	if _, err := p.Apply(t.Context(), l, r, call); err == nil {
		t.Error("applied without a journal")
	}
	must(t, os.Remove(journal))
	q := restarted(t, p)
	q.store.FinishApplies()
	if l, err = q.HeldLayer(call, DeedLayer); err != nil {
		t.Fatal("what a human is asked about is gone:", err)
	}
	_, err = q.Apply(t.Context(), l, r, call)
	must(t, err)
	must(t, errors.Join(q.EndApply(call), q.LetGo(call)))
	if read(t, q.path("deed/a")) != "1" {
		t.Error("not applied")
	}
	nothingLeft(t, q)
}

// Whoever looks at the locks of journals, as each start does, holds one for a moment only: that
// is no program that applies.
func TestJournalHeldForAMoment(t *testing.T) {
	p := applyProject(t)
	dir, err := p.store.journalDir(true)
	must(t, err)
	defer dir.Close()
	for range 20 { // the machine may be busy
		h, lerr := disk.Locks{Dir: dir}.Try("a.json")
		must(t, lerr)
		time.AfterFunc(time.Millisecond, h.Release)
		if err = p.store.hold(dir, "a.json", false); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error(err)
}

// The folder of the layer went away in the middle: the error says so, not what was not found there.
func TestApplyAway(t *testing.T) {
	c := applyCases["all kinds"]
	p := applyProject(t)
	lay(t, p.path("deed"), c.before)
	l, r := ranIn(t, p, layerDir(t, p, false), c.does)
	want, stands := shape(t, l.Up()), p.store.o.Stands
	p.fail = func(string) error {
		p.store.o.Stands = func() error { return &AwayError{What: "the state dir"} }
		return syscall.ENOENT
	}
	_, err := p.Apply(t.Context(), l, r, callOne)
	if e, ok := errors.AsType[*ApplyError](err); !ok || !errors.Is(err, ErrAway) || !strings.Contains(e.Error(), "layer: the state dir is not where it was found") {
		t.Fatal(err)
	}
	p.fail, p.store.o.Stands = nil, stands
	_, found, err := p.FinishApply(callOne)
	must(t, err)
	if !found {
		t.Fatal("not found")
	}
	must(t, p.EndApply(callOne))
	sameShape(t, "it is back", shape(t, p.path("deed")), want)
	nothingLeft(t, p)
	os.RemoveAll(l.Dir)
}
