package layer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog/effect"
	"vibey/tools/disk/tree"
)

// random is how many random commands are tried with each maker; of others' writes a fifth.
var random = flag.Int("random", 300, "random commands for each maker")

// TestRandomCommands: what a command did through a layer and what is read of it make the
// deed what the same command makes of a plain copy, byte for byte; until then the deed is
// as it was.
func TestRandomCommands(t *testing.T) {
	n, batch := *random, 100
	if testing.Short() {
		n = batch
	}
	makers(t, func(t *testing.T, by By) {
		for first := 0; first < n; first += batch {
			top, err := os.MkdirTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprint(first), func(t *testing.T) { randomCommands(t, by, top, first, first+batch) }) // at its end Chdir closes what it holds open
			os.RemoveAll(top)
		}
	})
}

// TestRandomOthers: while a command runs, others write to the deed. What is no conflict is as
// the command found it; what is one lies where they wrote, or above or below that.
func TestRandomOthers(t *testing.T) {
	n, batch := *random/5, 50
	if testing.Short() {
		n = batch
	}
	makers(t, func(t *testing.T, by By) {
		for first := 0; first < n; first += batch {
			t.Run(fmt.Sprint(first), func(t *testing.T) { randomOthers(t, by, t.TempDir(), first, first+batch) })
		}
	})
}

func randomOthers(t *testing.T, by By, top string, first, last int) {
	plays, befores := plant(t, by, top, first, last)
	playInside(t, plays...)
	for i, before := range befores {
		l := plays[2*i].Layer
		stamps := stampsOf(t, l.Deed)
		t.Chdir(l.Deed)
		steps(int64(-first-i-1), true)
		after, now := look(t, l.Deed), stampsOf(t, l.Deed)
		r := read(t, l, Options{})
		for _, c := range r.Changes {
			// What was replaced as a whole has no mark of what it was: if that is gone, nothing is lost.
			if !c.Conflict && c.Kind != effect.Added && before[c.Name] != after[c.Name] {
				t.Errorf("%s %d: no conflict: %q was %q and is %q\n%s", by, first+i, c.Name, before[c.Name], after[c.Name], lines(r))
			}
			// What was moved to where others wrote, and changed there, may be any file that went.
			moved := c.Kind == effect.Deleted && slices.ContainsFunc(r.Changes, func(b Change) bool { return b.Conflict && b.Kind == effect.Added })
			if c.Conflict && !moved && !wrote(stamps, now, c.Name) {
				t.Errorf("%s %d: a conflict: %q\n%s", by, first+i, c.Name, lines(r))
			}
		}
		if err := l.Drop(); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}

// stampsOf returns the stamps of all that is in a folder.
func stampsOf(t *testing.T, top string) map[string]tree.Stamp {
	t.Helper()
	all := map[string]tree.Stamp{}
	f, err := tree.OpenDir(top)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if all["."], err = f.Self(); err != nil {
		t.Fatal(err)
	}
	for name := range look(t, top) {
		if all[name], err = f.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// wrote reports whether anything at, above or below a name has another stamp, or the deed in which it is.
func wrote(was, is map[string]tree.Stamp, name string) bool {
	for _, all := range []map[string]tree.Stamp{was, is} {
		for n := range all {
			if was[n] != is[n] && (n == name || n == path.Dir(name) || strings.HasPrefix(n, name+"/") || strings.HasPrefix(name, n+"/")) {
				return true
			}
		}
	}
	return false
}

func randomCommands(t *testing.T, by By, top string, first, last int) {
	plays, befores := plant(t, by, top, first, last)
	playInside(t, plays...)
	for i, before := range befores {
		l, plain := plays[2*i].Layer, string(plays[2*i+1].Deed)
		if diff := differ(before, look(t, l.Deed)); diff != "" {
			t.Errorf("%s %d: before anything is applied the deed changed:\n%s", by, first+i, diff)
		}
		r := read(t, l, Options{})
		if few := read(t, l, Options{Hash: 1}); !slices.EqualFunc(r.Changes, few.Changes, sameButHashes) || !reflect.DeepEqual(r.Times, few.Times) {
			t.Errorf("%s %d: read again with one hash:\n%s\nwith all:\n%s", by, first+i, lines(few), lines(r))
		}
		apply(t, l, r)
		if diff := differ(look(t, plain), look(t, l.Deed)); diff != "" || len(r.Refused) > 0 {
			t.Errorf("%s %d: want, and got:\n%s\nread:\n%s", by, first+i, diff, lines(r))
		}
		if err := l.Drop(); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}

// plant makes deeds with layers, each with a plain copy, and what is to be done in both.
func plant(t *testing.T, by By, top string, first, last int) (plays []play, befores []map[string]string) {
	t.Helper()
	tame := os.Geteuid() != 0
	for seed := first; seed < last; seed++ {
		at := filepath.Join(top, fmt.Sprint(seed))
		for _, name := range []string{"deed", "plain"} {
			if err := os.MkdirAll(filepath.Join(at, name), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Chdir(filepath.Join(at, name))
			newStepper(int64(seed+1), tame).plant()
		}
		l, err := Make(filepath.Join(at, "layer"), filepath.Join(at, "deed"), by)
		if err != nil {
			t.Fatal(err)
		}
		l.Begin()
		plays = append(plays, play{Layer: l, Deed: []byte(l.Deed), Seed: int64(seed + 1), Tame: tame}, play{Deed: []byte(filepath.Join(at, "plain")), Seed: int64(seed + 1), Tame: tame})
		befores = append(befores, look(t, l.Deed))
	}
	return plays, befores
}

func sameButHashes(a, b Change) bool {
	b.Before, b.After = a.Before, a.After
	return a == b
}

// look returns what stands at each name below a folder.
func look(t *testing.T, top string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(top, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == top {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() && info.ModTime().Year() < 2000 {
			text += fmt.Sprint(" of ", info.ModTime().Unix())
		}
		all[at[len(top)+1:]] = text + " " + sumOf(t, at)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func differ(want, got map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			fmt.Fprintf(&b, "%q: %s, and %s\n", name, want[name], cmp.Or(got[name], "nothing"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == "" {
			fmt.Fprintf(&b, "%q: nothing, and %s\n", name, got[name])
		}
	}
	return b.String()
}

// sumOf is the hash that an effect has for what stands at a path.
func sumOf(t *testing.T, at string) string {
	t.Helper()
	info, err := os.Lstat(at)
	var b []byte
	if err == nil {
		switch info.Mode().Type() {
		case 0:
			b, err = os.ReadFile(at)
		case fs.ModeSymlink:
			var to string
			to, err = os.Readlink(at)
			b = []byte(to)
		default:
			return ""
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// apply puts a reading into the deed with no care for anything that may go wrong.
func apply(t *testing.T, l *Layer, r *Reading) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err, "\n", lines(r))
		}
	}
	changes := slices.SortedFunc(slices.Values(r.Changes), func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range slices.Backward(changes) {
		at := filepath.Join(l.Deed, c.Name)
		if c.Conflict {
			t.Errorf("%q is a conflict", c.Name)
		}
		if c.Kind != effect.Added {
			if before := sumOf(t, at); before != c.Before {
				t.Errorf("%q: before is %s, not %s", c.Name, before, c.Before)
			}
			if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm() != c.BeforeMode {
				t.Errorf("%q: mode before is %v, not %v", c.Name, info.Mode(), c.BeforeMode)
			}
		}
		info, err := os.Lstat(at)
		if c.Kind == effect.Deleted || c.Kind == effect.Changed && err == nil && !(info.IsDir() && c.Type == effect.Folder) {
			must(os.Remove(at))
		}
	}
	for _, c := range changes {
		at, up := filepath.Join(l.Deed, c.Name), filepath.Join(l.Up(), c.Name)
		if c.Kind == effect.Deleted {
			continue
		}
		if after := sumOf(t, up); after != c.After {
			t.Errorf("%q: after is %s, not %s", c.Name, after, c.After)
		}
		if info, err := os.Lstat(at); c.Type == effect.Folder && err == nil && info.IsDir() {
			info, err := os.Lstat(up)
			must(err)
			must(os.Chmod(at, info.Mode()))
		} else if c.Type == effect.Folder {
			must(os.Mkdir(at, 0o700))
			info, err := os.Lstat(up)
			must(err)
			must(os.Chmod(at, info.Mode()))
		} else {
			must(copyTree(up, at))
		}
	}
	for _, at := range r.Times {
		must(os.Chtimes(filepath.Join(l.Deed, string(at.Name)), time.Unix(0, at.New), time.Unix(0, at.New)))
	}
}
