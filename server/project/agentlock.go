package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/dialog"
	"vibey/tools/disk"
)

// AgentLock is held for as long as the agent of a dialog runs: a locked file beside the
// dialog. The lock ends with the process that holds it, so that every other one, and a
// later one, knows from the disk whether the agent is still there.
type AgentLock struct {
	p    *Project
	name string
	file *os.File
}

// LockAgent takes the lock of a dialog's agent. The error is ErrBusy where another
// holds it.
func (p *Project) LockAgent(id string) (*AgentLock, error) {
	name := dialog.AgentName(id)
	err := error(ErrBusy)
	for range busyTries {
		var l *AgentLock
		if l, err = p.lockAgent(name, os.O_CREATE); err == nil && l != nil {
			return l, nil
		}
		if err != nil && !errors.Is(err, ErrBusy) {
			break
		}
		pauseBusy() // one who only looks holds it for a moment
	}
	if err == nil {
		err = ErrBusy
	}
	return nil, fmt.Errorf("lock the agent of %s: %w", id, err)
}

// lockAgent tries once; flag is O_CREATE or 0. It returns nil where the file was removed
// before it was locked.
func (p *Project) lockAgent(name string, flag int) (*AgentLock, error) {
	file, err := p.dir.root.OpenFile(name, flag|os.O_RDWR, createMode)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, err
	}
	locked, err := file.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = p.dir.root.Lstat(name); err == nil && os.SameFile(locked, there) {
			return &AgentLock{p, name, file}, nil
		}
	}
	disk.Unlock(file)
	return nil, nil
}

// Release removes the file and gives the lock back. A file that can't be removed says
// nothing once its lock is free.
func (l *AgentLock) Release() {
	l.p.dir.root.Remove(l.name)
	disk.Unlock(l.file)
}

// AgentRuns reports whether the agent of a dialog runs, in this process or another.
func (p *Project) AgentRuns(id string) bool {
	for range busyTries {
		file, _, err := p.dir.openPlain(dialog.AgentName(id), os.O_RDWR)
		if err != nil {
			return false
		}
		taken, err := disk.TryLock(file)
		if !taken && err == nil {
			disk.Unlock(file)
			return false
		}
		file.Close()
		pauseBusy() // one who looks as well holds it for a moment
	}
	return true // rather is a call that can't run asked about than one that can denied
}

// SweepAgent removes the file of an agent that ended with the process that held it.
func (p *Project) SweepAgent(id string) {
	if l, err := p.lockAgent(dialog.AgentName(id), 0); err == nil && l != nil {
		l.Release()
	}
}
