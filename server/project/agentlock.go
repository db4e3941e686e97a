package project

import (
	"fmt"

	"vibey/tools/disk"
)

// AgentLock is held for as long as the agent of a dialog runs. It ends with the process
// that holds it, so that every other one, and a later one, knows from the disk whether
// the agent is still there.
type AgentLock struct{ held *disk.Held }

// LockAgent takes the lock of a dialog's agent. The error is ErrBusy if another holds it.
func (p *Project) LockAgent(id string) (*AgentLock, error) {
	h, err := p.try(agentLock(id))
	if err != nil {
		return nil, fmt.Errorf("lock the agent of %s: %w", id, err)
	}
	return &AgentLock{h}, nil
}

// agentLock is the name of the lock of a dialog's agent.
func agentLock(id string) string { return id + ".agent" }

// Release gives the lock back.
func (l *AgentLock) Release() { l.held.Release() }

// AgentRuns reports whether the agent of a dialog runs, in this process or another.
func (p *Project) AgentRuns(id string) bool { return p.locks().Taken(p.lockName(agentLock(id))) }

// SweepAgent removes what an agent left that ended with the process that held its lock.
func (p *Project) SweepAgent(id string) { p.locks().Clear(p.lockName(agentLock(id))) }
