package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseAgent(t *testing.T) {
	for _, c := range []struct {
		def  string
		args []string
		err  string
	}{
		{"gemini=gemini --experimental-acp", []string{"gemini", "--experimental-acp"}, ""},
		{"x=  a \t b=c  ", []string{"a", "b=c"}, ""},
		{"x=sh -c 'rm x'", []string{"sh", "-c", "'rm", "x'"}, ""}, // no shell reads it
		{"x=/opt/a/b", []string{"/opt/a/b"}, ""},
		{"x=./a", nil, "relative"},
		{"x=a/b c", nil, "relative"},
		{"x=", nil, "is defined as"},
		{"x", nil, "is defined as"},
		{"=a", nil, "the name"},
		{"a b=c", nil, "the name"},
	} {
		a, err := parseAgent(c.def)
		if !slices.Equal(a.Args, c.args) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.def, a.Args, err)
		}
	}
}

// A flag comes before the state dir's file, and both before what is found on PATH.
func TestNamedAgents(t *testing.T) {
	s := newState(t)
	if err := os.WriteFile(s.path("agents"), []byte("# mine\n\ncodex=my codex\nlocal=my agent\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := func(program string) (string, error) {
		if program == "claude-code-acp" || program == "codex-acp" || program == "opencode" {
			return filepath.Join("/bin", program), nil
		}
		return "", errors.New("not found")
	}
	agents, err := namedAgents([]string{"local=another"}, s, found)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range agents {
		got = append(got, a.Name+"="+strings.Join(a.Args, " "))
	}
	want := []string{"local=another", "codex=my codex", "claude=claude-code-acp", "opencode=opencode acp"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if env := agents[3].Env; !slices.Equal(env, []string{`OPENCODE_PERMISSION={"bash":"ask","edit":"ask","webfetch":"ask"}`}) {
		t.Errorf("opencode is started with %q", env)
	}
	if own, err := namedAgents([]string{"opencode=opencode acp"}, newState(t), found); err != nil || own[0].Env != nil {
		t.Errorf("one that a human defines is started with %q, %v", own[0].Env, err)
	}
	if _, err := namedAgents([]string{"a=b", "a=c"}, s, found); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a name that is there twice: %v", err)
	}
	if err := os.WriteFile(s.path("agents"), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := namedAgents(nil, s, found); err == nil || !strings.Contains(err.Error(), "agents:1") {
		t.Errorf("a bad line: %v", err)
	}
}

// What the environment denies stays denied, and nothing that it asks is allowed.
func TestOpencodeAsks(t *testing.T) {
	for set, want := range map[string]string{
		``:        `{"bash":"ask","edit":"ask","webfetch":"ask"}`,
		`no JSON`: `{"bash":"ask","edit":"ask","webfetch":"ask"}`,
		`{"edit":"allow","bash":"deny","read":"ask"}`: `{"bash":"deny","edit":"ask","read":"ask","webfetch":"ask"}`,
		`{"bash":{"*":"allow"},"*":"allow"}`:          `{"*":"allow","bash":"ask","edit":"ask","webfetch":"ask"}`,
		`{"*":"deny","edit":"allow"}`:                 `{"*":"deny","edit":"ask"}`,
		`"deny"`:                                      `{"*":"deny"}`,
		`null`:                                        `{"bash":"ask","edit":"ask","webfetch":"ask"}`,
	} {
		if got := opencodeAsks(set); got != want {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
}

// An agent is never asked by itself, and is no endpoint that a key or a flag makes.
func TestAgentsAreChosen(t *testing.T) {
	ps := newProviders(nil, &keyring{}, t.TempDir(), 0, nil, func(string) string { return "" })
	agents, err := namedAgents([]string{"x=y"}, newState(t), func(string) (string, error) { return "", errors.New("none") })
	if err != nil {
		t.Fatal(err)
	}
	ps.addAgents(agents)
	if names := ps.names(); !slices.Equal(names, []string{"acp", "replay"}) || ps.first() != "" {
		t.Errorf("%q, first %q", names, ps.first())
	}
	if ps.SetKey("acp", "x") == nil {
		t.Error("it takes a key")
	}
	if _, err := parseEndpoint("acp=chat,http://x"); err == nil {
		t.Error("a provider can be called acp")
	}
	ps = newProviders(nil, &keyring{}, t.TempDir(), 0, nil, func(string) string { return "" })
	ps.addAgents(nil)
	if names := ps.names(); !slices.Equal(names, []string{"replay"}) {
		t.Errorf("without agents: %q", names)
	}
}
