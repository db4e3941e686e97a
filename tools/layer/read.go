package layer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/git"
)

// maker is what the makers of layers differ in, when a layer is read.
type maker interface {
	// covers reports whether a folder in Up has all that the command saw in it, so that
	// what only the deed has there is deleted. It is asked of each folder that is in both,
	// of those above first.
	covers(name string, up tree.Stamp) bool
	// as reports whether an entry of Up is as it was before the command, but for what a
	// folder has in it.
	as(name string, up tree.Stamp) bool
	// saw reports whether the command may have found something at a name that has no
	// entry in Up.
	saw(name string) bool
	// touched reports whether the deed's entry is another one than the command found: low is
	// the zero Stamp where there is none now, and parent that of the deed's folder, if any.
	touched(name string, low, parent tree.Stamp) bool
	// whiteout reports whether a character device stands for a deletion.
	whiteout(device uint64) bool
}

// entry is a name at which the command left something, or from which it removed something.
type entry struct {
	name    string
	path    string
	up, low tree.Stamp // the zero Stamp where there is nothing
	git     bool
	touched bool // the deed's is not what the command found
	unsure  bool // it is, or the command moved there what has another name in the deed
}

// spot is a folder to be read: in Up, or in the deed, or in both.
type spot struct {
	name    string
	up, low bool
	stamp   tree.Stamp // of the one in Up
	git     bool
	touched bool // nothing below it is what the command found
}

// Read holds what the command wrote against the deed as it is. All of its processes must
// have ended. It costs by what was written, with Copy also by the size of the deed. After
// an error nothing of the layer may count: it is ErrTooLarge for one over its limits, an
// *fs.PathError, or that of ctx.
func (l *Layer) Read(ctx context.Context, o Options) (*Reading, error) {
	r := reader{Layer: l, Options: o, ctx: ctx, dark: map[string]bool{}, stay: map[string]bool{}}
	err := r.read()
	if errors.Is(err, unix.ENAMETOOLONG) { // its text is that long, too
		err = fmt.Errorf("%w: folders lie so deep in each other that no path leads there", ErrTooLarge)
	}
	if err != nil {
		return nil, fmt.Errorf("read a layer: %w", err)
	}
	l.unwritten = len(r.Changes)+len(r.Times)+len(r.Refused) == 0
	return &r.Reading, nil
}

// reader reads one layer.
type reader struct {
	*Layer
	Options
	Reading
	maker
	ctx     context.Context
	up, low *tree.Folder // Up and the deed
	ruled   map[string]git.Verdict
	dark    map[string]bool // folders of the deed that can't be read
	stay    map[string]bool // what does not count; true: nor anything below it
	used    usage
	listed  int   // changes so far that are
	apart   int64 // bytes of the files in Up, holes too
	rest    []spot
	entries []entry
	opened  []func() // make folders in Up unreadable again
}

func (r *reader) read() (err error) {
	r.maker = &overlay{r.Up(), r.Began.UnixNano(), map[string]bool{}}
	if r.By == Copy {
		rec, err := r.readRecord()
		if err != nil {
			return err
		}
		r.maker = &copies{rec.All, r.Began.UnixNano()}
		r.used = usage{-rec.Usage.Bytes, -rec.Usage.Files}
	}
	defer r.close()
	if err := r.open(); err != nil {
		return err
	}
	for r.rest = []spot{{name: ".", up: true, low: true, stamp: tree.Stamp{Mode: 0o700}}}; len(r.rest) > 0; {
		s := r.rest[len(r.rest)-1]
		r.rest = r.rest[:len(r.rest)-1]
		if err := r.visit(s); err != nil {
			return err
		}
	}
	if by, is := r.maker.(*overlay); is {
		by.moved(r.entries)
	}
	slices.SortFunc(r.entries, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.name, b.name))
	})
	if err := r.rule(true); err != nil {
		return err
	}
	for i := range r.entries {
		if err := r.judge(&r.entries[i]); err != nil {
			return err
		}
	}
	r.spread()
	return nil
}

func (r *reader) open() (err error) {
	if r.up, err = tree.OpenDir(r.Up()); err == nil {
		r.low, err = tree.OpenDir(r.Deed)
	}
	return err
}

func (r *reader) close() {
	for _, again := range slices.Backward(r.opened) {
		again()
	}
	closeAll(r.up, r.low)
}

// closeAll closes folders, but for nil.
func closeAll(all ...*tree.Folder) {
	for _, f := range all {
		if f != nil {
			f.Close()
		}
	}
}

// rule has git's rules judge all names. Where it replaces, a config of a new repository
// becomes ours.
func (r *reader) rule(replaces bool) error {
	if r.Plain || len(r.entries) == 0 {
		return nil
	}
	low, err := os.OpenRoot(r.Deed)
	if err != nil {
		return err
	}
	defer low.Close()
	up, err := os.OpenRoot(r.Up())
	if err != nil {
		return err
	}
	defer up.Close()
	touched := make([]git.Touched, len(r.entries))
	for i, e := range r.entries {
		touched[i] = git.Touched{Name: e.name, Gone: e.up == tree.Stamp{}}
	}
	r.ruled = gitRules(touched, low, up, r.Human)
	for i := range r.entries {
		e := &r.entries[i]
		if text := r.ruled[e.name].Text; text != nil && replaces {
			if err := replace(up, e.name, text); err != nil {
				return err
			}
			e.up = stampIn(r.up, e.name)
		}
	}
	return nil
}

// pathOf is a name of the deed as an effect has it.
func pathOf(name string) string { return "deed/" + strings.ToValidUTF8(name, "\uFFFD") }

// below is a name in the folder at.
func below(at, name string) string {
	if at == "." {
		return name
	}
	return at + "/" + name
}

// visit is one folder that is being read.
type visit struct {
	*reader
	spot
	up, low *tree.Folder // nil where there is none
	parent  tree.Stamp   // of low
	err     error
}

// visit takes down the entries of a folder.
func (r *reader) visit(s spot) error {
	v := visit{reader: r, spot: s}
	if err := cmp.Or(r.ctx.Err(), v.open()); err != nil {
		return err
	}
	defer func() { closeAll(v.up, v.low) }()
	v.spot.git = s.git || disk.IsGit(path.Base(s.name))
	var err error
	if v.up != nil {
		err = v.up.Each(v.written)
	}
	if err = cmp.Or(v.err, err); err == nil && v.low != nil && (v.up == nil || r.covers(s.name, s.stamp)) {
		err = v.low.Each(v.removed)
	}
	return cmp.Or(v.err, err)
}

func (v *visit) open() (err error) {
	if v.spot.up {
		if v.up, err = v.openUp(v.spot); err != nil {
			return err
		}
	}
	if !v.spot.low {
		return nil
	}
	v.low, err = v.reader.low.Sub(v.name)
	switch {
	case err == nil:
		v.parent, err = v.low.Self()
	case v.up == nil && errors.Is(err, fs.ErrPermission):
		v.dark[v.name] = true
		return nil
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP):
		return nil // it went away just now
	}
	return err
}

// openUp opens a folder of Up, also one that the command made unreadable.
func (r *reader) openUp(s spot) (*tree.Folder, error) {
	if s.stamp.Mode&0o500 != 0o500 {
		at := filepath.Join(r.Up(), s.name) // no link on the way: what the walk went down were folders, and no other program writes here
		if err := os.Chmod(at, 0o700); err != nil {
			return nil, err
		}
		r.opened = append(r.opened, func() { unix.Chmod(at, s.stamp.Mode&0o7777) })
	}
	return r.up.Sub(s.name)
}

// stampIn returns the stamp of an entry of a folder, or the zero Stamp.
func stampIn(f *tree.Folder, name string) (stamp tree.Stamp) {
	if f != nil {
		stamp, _ = f.Stat(name)
	}
	return stamp
}

// written takes down an entry of Up.
func (v *visit) written(raw []byte, _ tree.Kind) bool {
	name := string(raw)
	stamp, allocated, device, err := v.up.Held(name)
	if err != nil {
		v.err = err
		return false
	}
	v.used.add(stamp, allocated)
	if v.err = cmp.Or(v.used.over(MostBytes, MostFiles), v.ctx.Err()); v.err != nil {
		return false
	}
	e := entry{name: below(v.name, name), up: stamp, git: v.spot.git}
	if stamp.Mode&unix.S_IFMT == unix.S_IFCHR && v.whiteout(device) {
		e.up = tree.Stamp{}
	}
	v.add(e, name)
	return true
}

// removed takes down an entry of the deed that the command no longer has.
func (v *visit) removed(raw []byte, _ tree.Kind) bool {
	name := string(raw)
	full := below(v.name, name)
	if v.err = v.ctx.Err(); v.err != nil {
		return false
	}
	if v.up != nil && (stampIn(v.up, name) != tree.Stamp{} || !v.saw(full)) {
		return true
	}
	v.add(entry{name: full, git: v.spot.git}, name)
	return true
}

// add completes an entry, and has its folders read next.
func (v *visit) add(e entry, name string) {
	e.path = pathOf(e.name)
	e.low = stampIn(v.low, name)
	e.git = e.git || disk.IsGit(name)
	e.touched = v.spot.touched || v.reader.touched(e.name, e.low, v.parent)
	e.unsure = e.touched && !v.spot.touched && e.low == tree.Stamp{}
	gone := e.up == tree.Stamp{}
	if gone || !v.as(e.name, e.up) {
		v.entries = append(v.entries, e)
	}
	up, low := e.up.Kind() == tree.DirKind, e.low.Kind() == tree.DirKind
	if up || low && (gone || !v.as(e.name, e.up)) {
		// What lies in a folder that was moved there has its old time.
		moved := e.touched && (!up || !low || e.low.Ctime != e.low.Mtime)
		v.rest = append(v.rest, spot{name: e.name, up: up, low: low, stamp: e.up, git: e.git, touched: moved})
	}
}
