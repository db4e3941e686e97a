package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/layer"
)

// What a command wrote to its layer is put into the deed by Apply, path by path, as far as
// the deed still has what the command saw. The life of one:
//
//	applied, err := p.Apply(ctx, l, reading, call) // a journal is on the disk before the first path changes
//	// … the result, made of applied, is written to the dialog …
//	err = p.EndApply(call)                         // the journal goes
//	err = l.Drop()
//
// After a kill, or an error, FinishApply goes on where it ended.

// Call names a call of a dialog whose command wrote to a layer.
type Call struct {
	Dialog string          `json:"dialog"`
	ID     string          `json:"call"`
	Say    json.RawMessage `json:"say,omitempty"` // what its result is made of besides; FinishApply returns it
}

// Applied is what became of the changes in a layer.
type Applied struct {
	Reading   *layer.Reading // as Apply got it, with Conflict set where what stands there stayed
	Conflicts []string       // the paths of those, "deed/a", sorted; never nil
	Say       json.RawMessage
}

// ApplyError is an Apply that could not go on. What is applied is whole and stays; a
// FinishApply does the rest.
type ApplyError struct {
	Done, Of int // changes
	Err      error
}

func (e *ApplyError) Error() string {
	do := "See to it"
	if errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EDQUOT) {
		do = "Make room on the disk"
	}
	return fmt.Sprintf("%d of %d changes are in the deed, each of them whole. The rest is kept in the command's layer: %s. %s, and continue the dialog: that puts the rest into the deed, and does not run the command again",
		e.Done, e.Of, disk.Words(e.Err), do)
}

func (e *ApplyError) Unwrap() error { return e.Err }

const (
	// ApplyKeeps is how many changed and deleted files, the first by path and outside of git
	// folders, are put into .kept by an Apply: as many as a result lists.
	ApplyKeeps = 200
	// An Apply has the project's lock for applySlice, and leaves it to others for applyRest,
	// in which one of another process is certain to see it free within its LockWait.
	applySlice = 50 * time.Millisecond
	applyRest  = 5 * time.Millisecond
	// applyChunk is how many files are put into .kept side by side: their syncs are one wait.
	applyChunk = 16
	// syncsEach is how many new files are synced one by one; with more it is their disk.
	syncsEach = 16
)

// Apply puts what a command wrote to its layer into the deed. A path that is not as the
// command saw it keeps what stands there, and is a conflict; all else is applied. When it
// returns nil all of that outlives a power cut. A reading without changes costs nothing. The
// error is an *ApplyError, or says why nothing was begun.
func (p *Project) Apply(ctx context.Context, l *layer.Layer, r *layer.Reading, call Call) (Applied, error) {
	if len(r.Changes)+len(r.Times) == 0 {
		return Applied{Reading: r, Conflicts: []string{}, Say: call.Say}, nil
	}
	if err := ctx.Err(); err != nil {
		return Applied{}, context.Cause(ctx)
	}
	return p.begin(newJournal(p, l, r, call))
}

// applying is one Apply at work.
type applying struct {
	p       *Project
	j       *journal
	deed    *tree.Folder
	up      *tree.Folder // from where entries are moved: the layer's, or the stage; nil if it is gone
	upPath  string
	began   int64 // what has a later ctime may not be what the command saw; 0 where none tells
	again   bool  // what one before it has begun is finished
	changes []*change
	ctimes  map[uint64]int64 // by inode: what this Apply made of it, or found by its bytes to be what the command saw
	touched map[string]bool  // folders of the deed in which a name changed, or themselves
}

// change is one change of the reading at work.
type change struct {
	*entry
	mode     uint32 // of what stood there when it was put into .kept
	at, end  int    // in applying.changes: itself, and behind all that lies below it
	moved    bool   // with a folder above it
	conflict bool
	done     bool
}

func (a *applying) close() {
	if a.deed != nil {
		a.deed.Close()
	}
	if a.up != nil {
		a.up.Close()
	}
}

// order sorts the changes by name, a folder before what it holds and nothing else between.
func (a *applying) order() {
	for i := range a.j.Changes {
		e := &a.j.Changes[i]
		a.changes = append(a.changes, &change{entry: e, conflict: e.Conflict})
	}
	slices.SortFunc(a.changes, func(b, c *change) int { return compareNames(b.name(), c.name()) })
	var above []int
	for i, c := range a.changes {
		c.at = i
		for len(above) > 0 && !strings.HasPrefix(c.name(), a.changes[above[len(above)-1]].name()+"/") {
			a.changes[above[len(above)-1]].end = i
			above = above[:len(above)-1]
		}
		above = append(above, i)
	}
	for _, i := range above {
		a.changes[i].end = len(a.changes)
	}
}

// compareNames orders paths by their parts.
func compareNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// plan looks at what stands in the deed before anything is changed there.
func (a *applying) plan() error {
	for _, c := range a.changes {
		if c.Kind == effect.Added || c.conflict {
			continue
		}
		at, base, err := a.parent(c.name())
		if err == nil {
			var st tree.Stamp
			if st, err = at.Stat(base); err == nil {
				if a.byHash() {
					c.stood(st)
				}
				c.conflict = !a.asSeen(c, at, base, st)
			}
			at.Close()
		}
		if err != nil && !standsOther(err) {
			return err
		}
	}
	for i := range a.j.Times {
		e := &a.j.Times[i]
		is, err := a.deed.Stat(e.name())
		if a.up == nil || err != nil || is.Ctime >= a.began {
			continue
		}
		if to, err := a.up.Stat(e.name()); err == nil {
			e.Mtime, e.New = is.Mtime, to.Mtime
		}
	}
	keeps := ApplyKeeps
	for i := range a.j.Changes { // by path, as the result lists them
		if e := &a.j.Changes[i]; !e.Git && (e.Type != effect.Folder || e.Kind == effect.Changed && e.changesType()) && keeps > 0 {
			e.Keep = e.Kind != effect.Added && e.Stood != tree.DirKind && (e.Before == "" || e.Before != e.After)
			keeps--
		}
	}
	return nil
}

// step is one thing that is done for a change.
type step struct {
	c  *change
	do func(c *change, at *tree.Folder, base string) error
}

// errConflict is that of a step that leaves what stands there.
var errConflict = errors.New("it is not what the command saw")

// steps are all in the order in which they are done. What is removed goes first: on a disk
// that folds names a file may come back in other capitals.
func (a *applying) steps() (all []step) {
	add := func(do func(c *change, at *tree.Folder, base string) error, wanted func(c *change) bool) {
		for _, c := range a.changes {
			if wanted(c) {
				all = append(all, step{c, do})
			}
		}
	}
	deleted := func(c *change) bool { return c.Kind == effect.Deleted }
	isDir := func(c *change) bool { return c.Type == effect.Folder }
	add(a.unlink, func(c *change) bool { return deleted(c) && !isDir(c) })
	n := len(all)
	add(a.rmdir, func(c *change) bool { return deleted(c) && isDir(c) })
	slices.Reverse(all[n:]) // the deepest first
	add(a.put, func(c *change) bool { return !deleted(c) })
	n = len(all)
	add(a.chmod, func(c *change) bool { return !deleted(c) && isDir(c) })
	slices.Reverse(all[n:])
	for i := range a.j.Times {
		c := &change{entry: &a.j.Times[i]}
		all = append(all, step{c, a.touch})
	}
	return all
}

// run does the steps, with the lock for a slice of them at a time.
func (a *applying) run(steps []step) error {
	for {
		n, err := a.slice(steps)
		if steps = steps[n:]; err != nil || len(steps) == 0 {
			return err
		}
		time.Sleep(applyRest)
	}
}

func (a *applying) slice(steps []step) (n int, err error) {
	unlock, err := a.p.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	for end := time.Now().Add(applySlice); n < len(steps) && err == nil && time.Now().Before(end); {
		chunk := steps[n:min(n+applyChunk, len(steps))]
		n += len(chunk)
		err = a.chunk(chunk)
	}
	return n, err
}

// chunk does some steps, behind what .kept needs of them.
func (a *applying) chunk(steps []step) error {
	kept := make([]*keeping, len(steps))
	for i, s := range steps {
		if s.c.Keep && !s.c.conflict {
			k, err := a.keep(s.c)
			a.p.logUnkept(err)
			kept[i] = k
		}
	}
	for i, k := range kept {
		a.p.logUnkept(k.wait())
		a.restamp(steps[i].c, k)
	}
	var failed error
	for i, s := range steps {
		err := failed
		if err == nil {
			err = a.one(s)
		}
		kept[i].end(err)
		if err != nil && !errors.Is(err, errConflict) {
			failed = err
		}
	}
	return failed
}

// one does a step, or finds that it is a conflict.
func (a *applying) one(s step) error {
	c := s.c
	if c.conflict || c.moved {
		return errConflict
	}
	at, base, err := a.parent(c.name())
	if err == nil {
		if err = a.p.halt("step"); err == nil {
			err = s.do(c, at, base)
		}
		at.Close()
	} else if c.Kind == effect.Deleted && (errors.Is(err, fs.ErrNotExist) || a.replacedAbove(c)) {
		err = nil
	}
	switch {
	case err == nil:
		c.done = true
	case errors.Is(err, errConflict), standsOther(err):
		c.conflict, c.done = true, false
		return errConflict
	}
	return err
}

// replacedAbove reports whether a folder that c was in is a file or link of the command's by
// now: what was in it was removed before.
func (a *applying) replacedAbove(c *change) bool {
	for _, b := range a.changes {
		if a.again && b.Kind == effect.Changed && b.Type != effect.Folder && strings.HasPrefix(c.name(), b.name()+"/") {
			from, err := a.source(b.name())
			if from != nil {
				from.Close()
			}
			return from == nil && err == nil
		}
	}
	return false
}

// standsOther reports whether err says that a name, or one on the way to it, is gone or is
// something else by now.
func standsOther(err error) bool {
	for _, e := range []error{fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENOTEMPTY} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// parent opens the folder of the deed in which name is, over no link.
func (a *applying) parent(name string) (at *tree.Folder, base string, err error) {
	at, err = a.deed.Sub(path.Dir(name))
	return at, path.Base(name), err
}

// source opens the folder of the layer in which name is. It is nil if what was there is in
// the deed already.
func (a *applying) source(name string) (*tree.Folder, error) {
	from, err := a.up.Sub(path.Dir(name))
	if err == nil {
		if _, err = from.Stat(path.Base(name)); err == nil {
			return from, nil
		}
		from.Close()
	}
	if errors.Is(err, fs.ErrNotExist) && a.again {
		return nil, nil
	}
	return nil, fmt.Errorf("what the command wrote is gone from its layer: %s", disk.Words(err))
}

// unlink removes a file or link.
func (a *applying) unlink(c *change, at *tree.Folder, base string) error {
	st, err := at.Stat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.Kind() == tree.DirKind || !a.asSeen(c, at, base, st):
		return errConflict
	}
	a.touched[path.Dir(c.name())] = true
	return a.dropping(at, base, st, func() error { return at.Unlink(base) })
}

// rmdir removes a folder. One in which something was put meanwhile stays.
func (a *applying) rmdir(c *change, at *tree.Folder, base string) error {
	a.touched[path.Dir(c.name())] = true
	if err := at.Rmdir(base); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// put moves a file or link from the layer, or makes the folder, with all that is in it if
// nothing stands there.
func (a *applying) put(c *change, at *tree.Folder, base string) error {
	from, err := a.source(c.name())
	if err != nil {
		return err
	}
	if from == nil { // moved already
		a.below(c)
		return nil
	}
	defer from.Close()
	st, err := at.Stat(base)
	there := err == nil
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.Kind != effect.Added && !(a.again && c.changesType()) {
			return errConflict // it was removed meanwhile
		}
	case err != nil:
		return err
	case st.Kind() == tree.DirKind && c.Type == effect.Folder:
		return nil // what it holds and its permissions follow
	case c.Kind == effect.Added || st.Kind() != c.Stood || !a.asSeen(c, at, base, st):
		return errConflict
	case st.Kind() == tree.DirKind:
		err = at.Rmdir(base)
		there = false
	case c.Type == effect.Folder:
		err = a.dropping(at, base, st, func() error { return at.Unlink(base) })
		there = false
	}
	if there == false && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a.touched[path.Dir(c.name())] = true
	if c.Type == effect.Folder {
		return a.putFolder(c, from, at, base)
	}
	if err := layer.Strip(filepath.Join(a.upPath, c.name())); err != nil {
		return err
	}
	return a.dropping(at, base, st, func() error { return from.Move(base, at, base, !there) })
}

// putFolder moves a new folder with all that is in it, where all of that counts, or makes it.
func (a *applying) putFolder(c *change, from, at *tree.Folder, base string) error {
	if whole, err := a.whole(c); err != nil {
		return err
	} else if whole {
		if err := from.Move(base, at, base, true); !errors.Is(err, syscall.EXDEV) {
			if err == nil {
				a.below(c)
			}
			return err
		}
	}
	temp := disk.TempName(base)
	err := at.Mkdir(temp, 0o700)
	if errors.Is(err, fs.ErrExist) {
		if err = at.Rmdir(temp); err == nil {
			err = at.Mkdir(temp, 0o700)
		}
	}
	if err == nil {
		err = chmodBelow(at, temp, c.perm()|0o700)
	}
	if err != nil {
		return err
	}
	return at.Move(temp, at, base, true)
}

// below marks what went into the deed with a folder.
func (a *applying) below(c *change) {
	if c.Type != effect.Folder {
		return
	}
	for _, b := range a.changes[c.at+1 : c.end] {
		b.moved, b.done = true, true
	}
}

// whole readies a new folder of the layer to be moved, and reports whether all that is in it
// counts.
func (a *applying) whole(c *change) (bool, error) {
	names := map[string]bool{}
	for _, b := range a.changes[c.at:c.end] {
		if b.Kind == effect.Deleted || b.conflict {
			return false, nil
		}
		names[b.name()] = true
	}
	if err := layer.Strip(filepath.Join(a.upPath, c.name())); err != nil {
		return false, err
	}
	for _, b := range a.changes[c.at:c.end] {
		if b.Type != effect.Folder {
			continue
		}
		d, err := a.up.Sub(b.name())
		if err != nil {
			return false, err
		}
		all := true
		err = d.Each(func(name []byte, _ tree.Kind) bool {
			all = names[b.name()+"/"+string(name)]
			return all
		})
		if err == nil && all && b == c {
			err = d.Chmod(c.perm() | 0o700) // its entry ".." is written
		}
		d.Close()
		if err != nil || !all {
			return false, err
		}
	}
	return true, nil
}

// chmod gives a folder the permissions that the command gave it.
func (a *applying) chmod(c *change, at *tree.Folder, base string) error {
	d, err := at.Sub(base)
	if err != nil {
		return err
	}
	defer d.Close()
	st, err := d.Self()
	if err != nil {
		return err
	}
	switch is := fs.FileMode(st.Mode).Perm(); {
	case is == c.perm():
		return nil
	case is == c.perm()|0o700: // as put leaves it
	case c.Kind == effect.Changed && (is == c.BeforeMode.Perm() || c.BeforeMode == 0):
	default:
		return errConflict
	}
	a.touched[c.name()] = true
	return d.Chmod(c.perm())
}

// touch sets a time of change, unless the file was touched meanwhile.
func (a *applying) touch(c *change, at *tree.Folder, base string) error {
	st, err := at.Stat(base)
	if err != nil || c.New == 0 || st.Mtime != c.Mtime || st.Kind() != tree.FileKind {
		return nil
	}
	return at.SetMtime(base, time.Unix(0, c.New))
}

// asSeen reports whether what stands at base is what the command saw. A folder is, whatever
// it holds.
func (a *applying) asSeen(c *change, at *tree.Folder, base string, st tree.Stamp) bool {
	if st.Kind() != c.Stood || st.Inode != c.Inode {
		return false
	}
	if st.Kind() == tree.DirKind {
		return true
	}
	if st.Size != c.Size || st.Mtime != c.Mtime {
		return false
	}
	if ctime, ok := a.ctimes[st.Inode]; ok && ctime == st.Ctime || c.Ctime == st.Ctime && !a.byHash() {
		return true
	}
	if (a.again || a.byHash()) && a.hasBefore(c, at, base, st) {
		a.ctimes[st.Inode] = st.Ctime
		return true
	}
	return false
}

// dropping calls drop, which removes or replaces base. Where the file has other names, that
// changes their ctime.
func (a *applying) dropping(at *tree.Folder, base string, st tree.Stamp, drop func() error) error {
	if st.Links < 2 || st.Kind() != tree.FileKind {
		return drop()
	}
	f, err := at.Read(base)
	if err != nil {
		return drop()
	}
	defer f.Close()
	err = drop()
	if now, serr := tree.StampOfFile(f); serr == nil && now.Inode == st.Inode {
		a.ctimes[st.Inode] = now.Ctime
	}
	return err
}

// hasBefore reports by its bytes whether what stands at base is what the command saw. A
// second name in .kept, which an Apply that was killed gave it, changed its ctime.
func (a *applying) hasBefore(c *change, at *tree.Folder, base string, st tree.Stamp) bool {
	if st.Kind() == tree.LinkKind {
		return c.Before == dialog.SHA256(at.Readlink(base))
	}
	f, err := at.Read(base)
	if err != nil {
		return false
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || c.BeforeMode != 0 && now.Mode().Perm() != c.BeforeMode.Perm() {
		return false
	}
	sha, err := hashFile(f, st.Size)
	if err != nil || c.Before != "" {
		return err == nil && sha == c.Before
	}
	d, err := tree.OpenDir(filepath.Join(a.p.store.path, a.p.name, keptName))
	if err != nil {
		return false
	}
	defer d.Close()
	kept, err := d.Stat(sha)
	return err == nil && kept.Inode == st.Inode && kept.Dev == st.Dev
}

// keep puts what stands there into .kept. nil is for what is not to be replaced.
func (a *applying) keep(c *change) (*keeping, error) {
	at, base, err := a.parent(c.name())
	if err != nil {
		return nil, nil
	}
	defer at.Close()
	st, err := at.Stat(base)
	if err != nil || st.Kind() == tree.DirKind || !a.asSeen(c, at, base, st) {
		return nil, nil
	}
	c.mode = st.Mode
	if st.Kind() == tree.LinkKind {
		return a.p.keepText(at.Readlink(base))
	}
	old, err := at.Read(base)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	return a.p.keepFile(at.Read, base, old)
}

// restamp takes what stands there as what the command saw when .kept has it: the second name
// there, and the same bytes of another file in its place, changed the ctime.
func (a *applying) restamp(c *change, k *keeping) {
	if k == nil {
		return
	}
	at, base, err := a.parent(c.name())
	if err != nil {
		return
	}
	defer at.Close()
	if st, err := at.Stat(base); err == nil && st.Inode == c.Inode && st.Size == c.Size && st.Mtime == c.Mtime && st.Mode == c.mode {
		a.ctimes[st.Inode] = st.Ctime
	}
}

// begin writes the journal, and applies.
func (p *Project) begin(j *journal) (done Applied, err error) {
	dir, err := p.store.journalDir(true)
	if err != nil {
		return Applied{}, fmt.Errorf("nothing was applied: %w", err)
	}
	if dir != nil {
		defer dir.Close()
	}
	name := p.journalName(j.Call)
	if err := p.store.hold(dir, name); err != nil {
		return Applied{}, err
	}
	defer func() { p.store.rest(name, err == nil) }()
	return p.apply(j, dir, name, false)
}

// apply does what a journal says. The caller must hold it.
func (p *Project) apply(j *journal, dir *os.Root, name string, again bool) (done Applied, err error) {
	a := &applying{p: p, j: j, again: again, touched: map[string]bool{}, ctimes: map[uint64]int64{}}
	defer a.close()
	if !a.byHash() {
		a.began = j.Layer.Began.UnixNano()
	}
	a.order()
	if err := a.open(); err != nil {
		return Applied{}, fmt.Errorf("nothing was applied: %w", err)
	}
	if !again {
		if err := a.plan(); err != nil {
			return Applied{}, fmt.Errorf("nothing was applied: %w", err)
		}
		if err := j.write(dir, name); err != nil {
			return Applied{}, fmt.Errorf("nothing was applied: %w", err)
		}
	}
	if again && a.up == nil && (j.Staged || !a.byHash()) { // it ended, and then the layer was dropped
		return a.result(), nil
	}
	if err := a.ready(dir, name); err != nil {
		return Applied{}, a.failed(err)
	}
	err = a.run(a.steps())
	if err = errors.Join(err, a.sync()); err != nil {
		return Applied{}, a.failed(err)
	}
	if dir == nil && j.Staged {
		err = p.unstage(j)
	}
	return a.result(), err
}

func (a *applying) failed(err error) error {
	e := &ApplyError{Of: len(a.changes), Err: err}
	for _, c := range a.changes {
		if c.done {
			e.Done++
		}
	}
	return e
}

// open opens the deed, which must be where the command ran, and what is moved into it.
func (a *applying) open() error {
	at, err := a.p.DeedDir()
	if err != nil {
		return err
	}
	if at != a.j.Layer.Deed {
		return fmt.Errorf("the deed of %s leads to another folder than when the command ran: %w", a.p.name, ErrLeads)
	}
	if a.deed, err = tree.OpenDir(at); err != nil {
		return disk.Cause(err)
	}
	switch {
	case a.j.Staged:
		a.upPath = filepath.Join(at, a.j.stage())
		a.up, err = a.deed.Sub(a.j.stage())
	case !a.byHash():
		a.upPath = a.j.Layer.Up()
		a.up, err = tree.OpenDir(a.upPath)
	}
	if errors.Is(err, fs.ErrNotExist) && a.again {
		return nil
	}
	return disk.Cause(err)
}

// ready has all that is moved on the deed's disk, whole and synced.
func (a *applying) ready(dir *os.Root, name string) error {
	if !a.j.Staged && (a.byHash() || !oneMount(a.up, a.deed)) {
		if err := a.stage(); err != nil {
			return err
		}
		if err := a.syncNew(); err != nil {
			return err
		}
		return a.j.write(dir, name)
	}
	return a.syncNew()
}

// oneMount reports whether an entry of a can be renamed into b.
func oneMount(a, b *tree.Folder) bool {
	x, err := a.Self()
	y, err2 := b.Self()
	return err == nil && err2 == nil && x.Dev == y.Dev && a.Mount() == b.Mount()
}

// syncNew makes what is moved into the deed outlive a power cut.
func (a *applying) syncNew() error {
	var names []string
	for _, c := range a.changes {
		if c.Kind != effect.Deleted && c.Type != effect.Link && !c.conflict {
			names = append(names, c.name())
		}
	}
	if err := a.p.halt("sync"); err != nil {
		return err
	}
	return syncIn(a.up, names)
}

// sync makes what changed in the deed outlive a power cut.
func (a *applying) sync() error {
	if err := a.p.halt("synced"); err != nil {
		return err
	}
	return syncIn(a.deed, slices.Collect(maps.Keys(a.touched)))
}

// syncIn syncs what has those names in d, one by one if they are few, else their disk. What
// is gone, as what was moved already, has no need.
func syncIn(d *tree.Folder, names []string) error {
	if len(names) <= syncsEach {
		left := slices.DeleteFunc(names, func(name string) bool {
			f, err := d.Read(name)
			if err != nil {
				return standsOther(err)
			}
			defer f.Close()
			return disk.SyncFolder(f) == nil
		})
		if len(left) == 0 {
			return nil
		}
	}
	f, err := d.Read(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return disk.SyncDisk(f)
}

// halt is where a test ends an Apply.
func (p *Project) halt(op string) error {
	if p.fail == nil {
		return nil
	}
	return p.fail(op)
}
