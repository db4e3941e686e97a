package main

import (
	"os"
	"strings"
	"testing"
)

// Of two servers whose names differ in capitals alone the program says so at its start,
// wherever they are named.
func TestServersAreToldApart(t *testing.T) {
	for _, c := range []struct {
		flags []string
		file  string
		want  string
	}{
		{[]string{"Git=a", "git=b"}, "", "differ in capitals alone"},
		{[]string{"git_hub=b"}, "GIT_HUB=a\n", "differ in capitals alone"},
		{[]string{"git=a", "git_hub=b", "git_=c", "hub_git=d"}, "git=other\n", ""},
	} {
		s := newState(t)
		if err := os.WriteFile(s.path(mcpFile), []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		servers, err := definedServers(c.flags, s)
		switch {
		case c.want == "" && (err != nil || len(servers) != 4):
			t.Errorf("%v: %v, %v", c.flags, servers, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, %q: %v", c.flags, c.file, err)
		}
	}
}
