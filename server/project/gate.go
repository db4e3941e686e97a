package project

import "sync"

// gate orders the writers of one dialog within this process; the lock on the file
// keeps other processes out. While holder is set a turn runs, and others get
// ErrBusy. mu is held for the moments of a repair, for which others wait.
type gate struct {
	mu     sync.Mutex
	holder *DialogFile
	users  int // guarded by Project.mu
}

// enter waits for a dialog's gate and returns it locked. The caller must leave it.
func (p *Project) enter(id string) *gate {
	p.mu.Lock()
	g := p.gates[id]
	if g == nil {
		g = &gate{}
		p.gates[id] = g
	}
	g.users++
	p.mu.Unlock()
	g.mu.Lock()
	return g
}

// leave unlocks a gate, and removes it if it has no users and no holder.
func (p *Project) leave(id string, g *gate) {
	p.mu.Lock()
	g.users--
	if g.users == 0 && g.holder == nil {
		delete(p.gates, id)
	}
	p.mu.Unlock()
	g.mu.Unlock()
}

// holder returns the DialogFile that a turn of this process holds, or nil.
func (p *Project) holder(id string) *DialogFile {
	g := p.enter(id)
	defer p.leave(id, g)
	return g.holder
}

// Holds reports whether a turn of this process holds the dialog, without waiting. It
// returns true while the gate is locked, since its user may become the holder.
func (p *Project) Holds(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gates[id]
	if g == nil {
		return false
	}
	if !g.mu.TryLock() {
		return true
	}
	defer g.mu.Unlock()
	return g.holder != nil
}
