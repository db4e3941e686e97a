package project

import "vibey/tools/disk"

// LockAgent takes the lock of a dialog's agent, which is held for as long as that runs. It
// ends with the process that holds it, so that every other one, and a later one, knows from
// the disk whether the agent is still there. The error is ErrBusy if another holds it.
func (p *Project) LockAgent(id string) (_ *disk.Held, err error) {
	defer wrap(&err, "lock the agent of %s", id)
	return p.try(agentLock(id))
}

// agentLock is the name of the lock of a dialog's agent.
func agentLock(id string) string { return id + ".agent" }

// AgentRuns reports whether the agent of a dialog runs, in this process or another.
func (p *Project) AgentRuns(id string) bool { return p.locks().Taken(p.lockName(agentLock(id))) }

// SweepAgent removes what an agent left that ended with the process that held its lock.
func (p *Project) SweepAgent(id string) { p.locks().Clear(p.lockName(agentLock(id))) }
