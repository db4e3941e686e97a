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
	endLeases(dir) // another program's start
	if _, err := os.Stat(own); err != nil {
		t.Errorf("this program has no lease: %v", err)
	}
	if o := r.Command(t.Context(), Spec{Command: "echo here", Dir: "/"}); string(o.Stdout.Text) != "here\n" {
		t.Errorf("%+v", o)
	}
}
