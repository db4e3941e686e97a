package project

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The lock of an agent is one for all, is seen by who looks, and leaves nothing.
func TestAgentLock(t *testing.T) {
	p := testProject(t)
	const id = "20260216-201100-x"
	file := filepath.Join(p.store.path, ".locks/game+"+id+".agent")
	if p.AgentRuns(id) {
		t.Error("an agent runs that was never started")
	}
	l, err := p.LockAgent(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.LockAgent(id); !errors.Is(err, ErrBusy) {
		t.Errorf("a second lock: %v", err)
	}
	p.SweepAgent(id)
	if _, err := os.Stat(file); err != nil || !p.AgentRuns(id) {
		t.Errorf("runs: %v, file: %v", p.AgentRuns(id), err)
	}
	l.Release()
	if _, err := os.Stat(file); err == nil || p.AgentRuns(id) {
		t.Errorf("after its end: runs: %v, file: %v", p.AgentRuns(id), err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	if p.AgentRuns(id) {
		t.Error("a file without a lock counts")
	}
	p.SweepAgent(id)
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is not swept")
	}
	if l, err = p.LockAgent(id); err != nil {
		t.Fatal(err)
	}
	l.Release()
}
