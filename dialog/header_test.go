package dialog

import (
	"strings"
	"testing"
)

// A fork is not launched, as long as its head says nothing else.
func TestHeadOfFork(t *testing.T) {
	const head, rest = "# Dialog\n> DialogId: 20260217-090000-y\n> Status: waiting\n", "\n## User\n> Id: u1\n\nəəəinput/markdown\nhello\nəəə\n\n## Assistant\n> Id: a1\n\nəəəoutput/markdown\nhi\nəəə\n"
	for from, want := range map[string]struct {
		launched  bool
		inherited int
		cache     string
	}{
		"> From: 20260216-201100-x at u1\n":                               {false, 1, "20260216-201100-x"},
		"> From: 20260216-201100-x at a1\n> Cache: 20260215-101010-w\n":   {false, 2, "20260215-101010-w"},
		"> From: 20260216-201100-x at a1\n> Cache: ../w\n":                {false, 2, "20260216-201100-x"},
		"> From: 20260216-201100-x at gone\n":                             {false, 0, "20260216-201100-x"},
		"> From: 20260216-201100-x at \n":                                 {true, 0, "id"},
		"> From: somewhere at u1\n":                                       {true, 0, "id"},
		"> From: 20260216-201100-x\n> Cache: 20260215-101010-w\n":         {true, 0, "id"},
		"> From: 20260216-201100-x at u1\n> Depth: 1\n":                   {true, 1, "20260216-201100-x"},
		"> From: 20260216-201100-x at u1\n> From: 20260216-200000-main\n": {true, 1, "20260216-201100-x"},
		"> From: 20260216-201100-x at u1\nFamily: 20260216-200000-main\n": {true, 1, "20260216-201100-x"},
	} {
		d := Parse(head + from + rest)
		if h := &d.Header; h.Launched() != want.launched || d.Inherited() != want.inherited || h.CacheKey("id") != want.cache {
			t.Errorf("%s: launched %v, inherits %d, %s", from, h.Launched(), d.Inherited(), h.CacheKey("id"))
		}
	}
}

// TestHeadDamage: one damaged byte in the head of a dialog that an agent launched,
// or a lost line, leaves it one that was launched.
func TestHeadDamage(t *testing.T) {
	const head = "# Dialog\n> DialogId: 20260216-201100-x\n> Provider: p\n> Model: m\n> Status: waiting\n> Started: 2026-02-16T20:11:00Z\n" +
		"> From: 20260216-200000-main\n> Family: 20260216-200000-main\n> Depth: 1\n"
	const rest = "\n## User\n> Id: u1\n\nəəəinput/markdown\nhello\nəəə\n"
	launched := func(what string, at int, head string) {
		d := Parse(head + rest)
		if !d.Header.Launched() || len(d.Sections) != 1 && !d.Sections[0].Torn {
			t.Errorf("byte %d %s: %+v %+v", at, what, d.Header, d.Sections)
		}
		if once := Format(d); Format(Parse(once)) != once {
			t.Errorf("byte %d %s: not settled:\n%s", at, what, once)
		}
	}
	for i := range head {
		for _, c := range []byte{'\n', ' ', '#', 'X', head[i] ^ 1, head[i] ^ 0x80, 0} {
			launched(string([]byte{c}), i, head[:i]+string([]byte{c})+head[i+1:])
		}
		launched("is gone", i, head[:i]+head[i+1:])
		if i == 0 || head[i-1] == '\n' {
			launched("begins a line that is gone", i, head[:i]+head[nextLine(head, i):])
		}
	}
	for head, want := range map[string]bool{
		head[:strings.Index(head, "> From")]: false, "# Dialog\n": false, "": false, "# Dialog\nMy notes on this.\n": false, "# Dialog\n> Model: m\n\nNotes, and more.\n": false,
	} {
		if d := Parse(head + rest); d.Header.Launched() != want {
			t.Errorf("%q: launched %v", head, !want)
		}
	}
}
