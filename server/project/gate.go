package project

import "sync"

// gate is where those who want to write one dialog meet within this process.
// The lock on the file keeps other processes out; the gate tells a running turn
// (holder is set: come back later) from a repair that is over in a moment
// (mu is held: wait).
type gate struct {
	mu     sync.Mutex
	holder *DialogFile
	users  int // guarded by Project.mu
}

// enter waits for a dialog's gate and returns it locked.
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

// leave unlocks a gate, and forgets one that nobody uses any more.
func (p *Project) leave(id string, g *gate) {
	p.mu.Lock()
	g.users--
	if g.users == 0 && g.holder == nil {
		delete(p.gates, id)
	}
	p.mu.Unlock()
	g.mu.Unlock()
}

// holder is the turn of this process that has the dialog, or nil.
func (p *Project) holder(id string) *DialogFile {
	g := p.enter(id)
	defer p.leave(id, g)
	return g.holder
}

// held tells whether a turn of this process has the dialog, without waiting.
// While somebody stands in the gate it says yes: who holds it will soon be known.
func (p *Project) held(id string) bool {
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
