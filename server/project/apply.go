package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

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
	Conflicts []string // the paths at which what stands there stayed, "deed/a", sorted; never nil
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

// Begun says to tools that the deed has a part of the changes.
func (e *ApplyError) Begun() {}

const (
	// ApplyKeeps is how many changed and deleted files, the first by path and outside of git
	// folders, are put into .kept by an Apply: as many as a result lists.
	ApplyKeeps = 200
	// An Apply has the project's lock for applySlice, and leaves it to others for applyRest,
	// in which one of another process is certain to see it free within its LockWait.
	applySlice = 50 * time.Millisecond
	applyRest  = 5 * time.Millisecond
	// applyChunk is how many files are put into .kept side by side, and applyBytes how many
	// bytes, nearly: their syncs are one wait, and the lock is held for it.
	applyChunk = 16
	applyBytes = 16 << 20
)

// Apply puts what a command wrote to its layer into the deed. A path that is not as the
// command saw it keeps what stands there, and is a conflict; all else is applied. When it
// returns nil all of that outlives a power cut. A reading without changes costs nothing. The
// error is an *ApplyError, or says why nothing was begun. Once begun, it does not heed ctx.
func (p *Project) Apply(ctx context.Context, l *layer.Layer, r *layer.Reading, call Call) (done Applied, err error) {
	j := newJournal(p, l, r, call)
	a := newApplying(p, j, false)
	defer a.close()
	if len(j.Changes)+len(j.Times) == 0 {
		return a.result(), nil
	}
	if ctx.Err() != nil {
		return Applied{}, context.Cause(ctx)
	}
	dir, err := p.store.journalDir(true)
	if err != nil {
		return Applied{}, fmt.Errorf("nothing was applied: %w", err)
	}
	defer dir.Close()
	name := p.journalName(call)
	if err = p.store.hold(dir, name, false); err != nil {
		return Applied{}, fmt.Errorf("nothing was applied: %w", err)
	}
	defer func() { p.store.rest(name, err == nil) }()
	if err = a.open(); err == nil {
		a.adopt(dir, name)
		if err = j.write(dir, name); err != nil {
			j.drop(dir)
		}
	}
	if err != nil {
		return Applied{}, fmt.Errorf("nothing was applied: %w", err)
	}
	return a.apply(dir, name)
}

// adopt moves the layer to where its journal will be: the end of the program that ran the
// command does not end it there. That of a tried command is held, and stays until LetGo.
func (a *applying) adopt(dir *os.Root, name string) {
	if filepath.Dir(a.j.Layer.Dir) == filepath.Join(a.p.store.o.State, triedName) {
		return
	}
	if to := filepath.Join(dir.Name(), name+layerSuffix); os.Rename(a.j.Layer.Dir, to) == nil { // else on another disk: it stays
		a.j.Layer.Dir = to
		a.upPath = a.j.Layer.Up()
	}
}

// apply does what the journal says, which the caller must hold.
func (a *applying) apply(dir *os.Root, name string) (Applied, error) {
	err := a.ready(dir, name, false)
	if err == nil {
		err = a.run(a.steps())
	}
	if errors.Is(err, syscall.EXDEV) && !a.j.Staged { // mounts that were not told apart
		a.again = true
		if err = a.ready(dir, name, true); err == nil {
			err = a.run(a.steps())
		}
	}
	if err = errors.Join(err, a.sync()); err != nil {
		return Applied{}, a.failed(err)
	}
	return a.result(), nil
}

// applying is one Apply at work.
type applying struct {
	p       *Project
	j       *journal
	again   bool // what one before it has begun is finished
	deed    *tree.Folder
	up      *tree.Folder // from where entries are moved: the layer's, or the stage; nil if it is gone
	upPath  string
	changes []*change        // by name, a folder before what it holds and nothing else between
	ctimes  map[uint64]int64 // by inode: what this Apply made of it, or found by its bytes to be what the command saw
	touched map[string]bool  // folders of the deed in which a name changed, or themselves
}

// change is one change of the reading at work.
type change struct {
	*entry
	at, end  int    // in applying.changes: itself, and behind all that lies below it
	whole    bool   // a new folder of which all counts
	mode     uint32 // of what stood there when it was put into .kept
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

// newApplying sorts the changes.
func newApplying(p *Project, j *journal, again bool) *applying {
	a := &applying{p: p, j: j, again: again, touched: map[string]bool{}, ctimes: map[uint64]int64{}}
	for i := range j.Changes {
		e := &j.Changes[i]
		a.changes = append(a.changes, &change{entry: e, conflict: e.Conflict})
	}
	slices.SortFunc(a.changes, func(b, c *change) int { return compareNames(b.name(), c.name()) })
	var above []*change
	leave := func(below string, at int) {
		for n := len(above) - 1; n >= 0 && !strings.HasPrefix(below, above[n].name()+"/"); n-- {
			above[n].end, above = at, above[:n]
		}
	}
	for i, c := range a.changes {
		c.at = i
		leave(c.name(), i)
		above = append(above, c)
	}
	leave("", len(a.changes))
	return a
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
	if a.j.Staged {
		a.upPath = filepath.Join(at, a.j.stage())
		a.up, err = a.deed.Sub(a.j.stage())
	} else {
		a.upPath = a.j.Layer.Up()
		a.up, err = tree.OpenDir(a.upPath)
	}
	if errors.Is(err, fs.ErrNotExist) && a.again {
		return nil
	}
	return disk.Cause(err)
}

func (a *applying) failed(err error) error {
	if away := a.p.Stands(); away != nil { // says more than that something in it was not found
		err = away
	}
	e := &ApplyError{Of: len(a.changes), Err: err}
	for _, c := range a.changes {
		if c.done {
			e.Done++
		}
	}
	return e
}

func (a *applying) result() Applied {
	done := Applied{Conflicts: []string{}, Say: a.j.Call.Say}
	for _, c := range a.changes {
		if c.conflict {
			done.Conflicts = append(done.Conflicts, c.path())
		}
	}
	slices.Sort(done.Conflicts)
	return done
}

// halt is where a test ends an Apply.
func (p *Project) halt(op string) error {
	if p.fail == nil {
		return nil
	}
	return p.fail(op)
}
