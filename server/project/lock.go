package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"vibey/tools/disk"
)

// A project's locks lie in .locks beside the projects: one for its docs and the files of
// its deed, one for each dialog that is held, one for each agent that runs. Commands may
// read the project's folder, and so could lock every file in it; they don't see the folder
// above. Servers of one root exclude each other whatever state dir each has.

// locks are those of all projects.
func (s *Store) locks() disk.Locks { return disk.Locks{Dir: s.dir.Root(), By: s.o.As} }

func (p *Project) locks() disk.Locks { return p.store.locks() }

// lockName is the name of a lock of p. No project's or dialog's name has a plus.
func (p *Project) lockName(of string) string { return p.name + "+" + of }

// A lock that another has is looked for busyTries times: who repairs a dialog to read it,
// or removes what a killed program left in .locks, holds it for a moment only.
const (
	busyTries = 5
	busyPause = 2 * time.Millisecond
)

// try takes a lock of p. The error is ErrBusy if another holds it, and for longer than a
// moment.
func (p *Project) try(of string) (*disk.Held, error) {
	h, err := tryLock(p.locks(), p.lockName(of))
	if held, ok := errors.AsType[*disk.HeldError](err); ok {
		err = &busyError{held.By}
	}
	return h, err
}

// tryLock takes a lock. The error is a *disk.HeldError if another holds it, and for longer
// than a moment.
func tryLock(locks disk.Locks, name string) (h *disk.Held, err error) {
	for range busyTries {
		if h, err = locks.Try(name); err == nil {
			break
		}
		if _, held := errors.AsType[*disk.HeldError](err); !held {
			break
		}
		time.Sleep(busyPause)
	}
	return h, err
}

// busyError is ErrBusy with who holds the lock.
type busyError struct{ by string }

func (e *busyError) Error() string { return "the dialog is being written by " + holder(e.by) }
func (e *busyError) Unwrap() error { return ErrBusy }

// HolderOf returns in words for a human who keeps what err, an ErrBusy, says is held, within
// a sentence: "another program (vibey run, in a terminal)".
func HolderOf(err error) string {
	var by string
	if e, ok := errors.AsType[*busyError](err); ok {
		by = e.by
	}
	return holder(by)
}

// holders are our programs by their Options.As.
var holders = map[string]string{
	"vibey serve":   " (vibey serve, the server of a browser's window)",
	"vibey run":     " (vibey run, in a terminal)",
	"vibey approve": " (vibey approve or deny, in a terminal)",
	"vibey acp":     " (vibey acp, for an editor)",
	"vibey mcp":     " (vibey mcp, for an agent that uses its tools)",
}

// holder is what a program is called within a sentence. One that is not known is named as
// no program of ours.
func holder(by string) string { return "another program" + holders[by] }

// held reports whether a dialog's lock is held, in this process or another.
func (p *Project) held(id string) bool { return p.locks().Taken(p.lockName(id)) }

// showLock locks the dialog's own file for programs that look there to learn whether it is
// being written. A command may hold that lock, so that it keeps no human from anything.
func showLock(file *os.File) { _, _ = disk.TryLock(file) }

// locked reports whether the file of a dialog is locked, perhaps by a program that knows no
// other lock. A repair that no human asked for by a prompt leaves such a dialog alone.
func (p *Project) locked(name string) bool {
	file, _, err := p.dir.OpenPlain(name, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer file.Close()
	return disk.Taken(file)
}

// lock waits for the lock of the project's docs and its deed's files, among all processes.
// Errors: ErrHeld if another program has it for disk.LockWait; ErrAway; fs.ErrNotExist if
// the project was deleted.
func (p *Project) lock() (unlock func(), err error) {
	if err := p.Stands(); err != nil {
		return nil, err
	}
	ctx := p.store.ctx
	select {
	case p.writing <- struct{}{}: // the writers of this process, one after another
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	h, err := p.locks().Wait(ctx, p.name)
	if held, ok := errors.AsType[*disk.HeldError](err); ok {
		err = fmt.Errorf("%w: %s is writing its files for more than two seconds. Nothing was changed. End it, or wait until it is done, and try again", ErrHeld, holder(held.By))
	}
	if err == nil && p.gone.Load() {
		h.Drop()
		err = fmt.Errorf("project %s was deleted: %w", p.name, fs.ErrNotExist)
	}
	if err != nil {
		<-p.writing
		return nil, err
	}
	return func() { h.Drop(); <-p.writing }, nil
}
