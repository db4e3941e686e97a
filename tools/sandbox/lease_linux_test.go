package sandbox

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestLeases: what a killed server has left, even by killing its supervisors,
// is ended by the next start with the same folder; not by one with another, and
// not what a living one runs.
func TestLeases(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	dead := mark{program: 0x1abcdef}
	daemon := bystander(t) // whose marks say that it is a dead program's
	if !dead.put(daemon.Process.Pid) {
		t.Fatal("the mark can't be put")
	}
	lease := fmt.Sprintf("%s/%08x", dir, dead.program)
	if err := os.WriteFile(lease, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	endLeases(other)
	if !alive(daemon.Process.Pid) {
		t.Fatal("a start with another folder ends it")
	}
	held, err := os.Open(lease)
	if err != nil {
		t.Fatal(err)
	}
	if err := lockNow(held); err != nil {
		t.Fatal(err)
	}
	endLeases(dir)
	if !alive(daemon.Process.Pid) {
		t.Fatal("it is ended although its program lives")
	}
	held.Close()
	r := Probe(Config{Leases: dir})
	r.Begin()
	for begin := time.Now(); alive(daemon.Process.Pid); {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("it lives on")
		}
	}
	own := fmt.Sprintf("%s/%08x", dir, thisProgram)
	for begin := time.Now(); ; {
		if _, err := os.Stat(lease); os.IsNotExist(err) {
			break
		} else if time.Since(begin) > 10*time.Second {
			t.Fatal("the dead program's lease stays")
		}
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("this program has no lease: %v", err)
	}
	if unlocked(t, own) {
		t.Error("another program's start takes the lease of this one")
	}
	if o := r.Command(t.Context(), Spec{Command: "echo here", Dir: "/"}); string(o.Stdout.Text) != "here\n" {
		t.Errorf("%+v", o)
	}
}

// unlocked reports whether another program's start would take a lease for a dead one's.
func unlocked(t *testing.T, lease string) bool {
	t.Helper()
	f, err := os.Open(lease)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return lockNow(f) == nil
}

// TestLeaseShared: two Runners of this program share one lease, whichever ends first. A
// Runner that begins while the last one ends has a lease that is locked, and its folder.
func TestLeaseShared(t *testing.T) {
	dir := t.TempDir()
	own := leaseName(dir)
	check := func(when string) {
		t.Helper()
		if unlocked(t, own) {
			t.Fatalf("%s: the lease is not locked", when)
		}
		if _, err := os.Stat(own + scratchSuffix); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
	}
	first, second := Probe(Config{Leases: dir}), Probe(Config{Leases: dir})
	second.End()
	check("the second has ended")
	for round := range 300 {
		ended := make(chan struct{})
		old := first
		go func() { defer close(ended); old.End() }()
		first = Probe(Config{Leases: dir})
		endLeases(dir)
		<-ended
		check(fmt.Sprintf("round %d", round))
	}
	first.End()
	for _, name := range []string{own, own + scratchSuffix} {
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%s stays: %v", name, err)
		}
	}
}
