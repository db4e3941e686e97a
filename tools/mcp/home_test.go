package mcp

import (
	"errors"
	"strings"
	"testing"
)

// A server that has a key or the network has a HOME of its own; the others have that of
// the project's commands. Where there is none for it, it is not started.
func TestHomes(t *testing.T) {
	pl, m := newPlace(t, Limits{}, "honest", "honest-key", "honest-homeless")
	for _, c := range []struct {
		server  string
		network bool
		want    string
	}{
		{"honest", false, "HOME=" + pl.dir + "/home"},
		{"honest", true, "HOME=" + pl.dir + "/home-honest"},
		{"honest-key", false, "HOME=" + pl.dir + "/home-honest-key"},
	} {
		r, err := m.Call(t.Context(), pl.at(c.network), c.server, "env", `{"name":"HOME"}`)
		if err != nil || said(r) != c.want {
			t.Errorf("%s, network %v: %s %v", c.server, c.network, said(r), err)
		}
	}
	before := pl.started()
	_, err := m.List(t.Context(), pl.at(false), "honest-homeless")
	if f, ok := errors.AsType[*Fault](err); !ok || !strings.Contains(f.Err, "it was not started: no home") || pl.started() != before {
		t.Errorf("without a HOME: %v", err)
	}
}

// A deed that leads elsewhere gets another process, and the one of the old deed ends.
func TestDeedLinkedElsewhere(t *testing.T) {
	pl, m := newPlace(t, Limits{}, "honest")
	at := pl.at(false)
	for n, deed := range []string{pl.dir + "/deed", pl.dir + "/elsewhere"} {
		at.Deed = deed
		for range 2 {
			if _, err := m.Call(t.Context(), at, "honest", "look", "{}"); err != nil {
				t.Fatal(err)
			}
		}
		if pl.started() != n+1 {
			t.Errorf("%d servers were started for %d deeds", pl.started(), n+1)
		}
	}
	if len(pl.all) != 2 {
		return
	}
	<-pl.all[0].ended
	select {
	case <-pl.all[1].ended:
		t.Error("that of the new deed ended")
	default:
	}
}
