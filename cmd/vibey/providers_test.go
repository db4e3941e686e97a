package main

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func newPlaces(t *testing.T, getenv func(string) string, flags ...string) *providers {
	t.Helper()
	s := newState(t)
	keys, err := openKeyring(s)
	if err != nil {
		t.Fatal(err)
	}
	defined, err := definedEndpoints(flags, s)
	if err != nil {
		t.Fatal(err)
	}
	return newProviders(defined, keys, t.TempDir(), time.Second, nil, getenv)
}

func TestNamesAreThoseThatCanBeAsked(t *testing.T) {
	for _, c := range []struct {
		env, flags []string
		names      string
	}{
		{nil, nil, "replay"},
		{[]string{"ANTHROPIC_API_KEY", "k"}, nil, "claude replay"},
		{[]string{"OPENAI_API_KEY", "k", "ANTHROPIC_API_KEY", "k"}, nil, "claude openai replay"},
		{nil, []string{"b=chat,http://h/v1", "a=responses,http://h/v1,KEY"}, "b a replay"},
		{nil, []string{"t=tags,http://h/v1"}, "t replay"},
		{[]string{"ANTHROPIC_API_KEY", "k"}, []string{"claude=messages,http://h"}, "claude replay"},
		{nil, []string{"claude=messages,http://h"}, "claude replay"},
	} {
		ps := newPlaces(t, env(c.env...), c.flags...)
		if got := strings.Join(ps.names(), " "); got != c.names {
			t.Errorf("%q %q: %s, want %s", c.env, c.flags, got, c.names)
		}
		for _, name := range ps.names() {
			if p, ok := ps.Provider(name); !ok || p == nil {
				t.Errorf("%s is named, but not there", name)
			} else if want := ps.find(name).api; p.API() != want {
				t.Errorf("%s speaks %s, not %s", name, p.API(), want)
			}
		}
		if _, ok := ps.Provider("nobody"); ok {
			t.Error("nobody is there")
		}
	}
}

func TestKeysTypedIn(t *testing.T) {
	ps := newPlaces(t, env("BOX", "of the environment"), "box=chat,http://h/v1,BOX")
	if _, ok := ps.Provider("claude"); ok {
		t.Error("claude is there without a key")
	}
	if err := ps.SetKey("claude", "typed"); err != nil {
		t.Fatal(err)
	}
	if _, ok := ps.Provider("claude"); !ok {
		t.Error("claude is not there with a key")
	}
	box := ps.find("box")
	if k := ps.key(box); k != "of the environment" {
		t.Errorf("box has the key %q", k)
	}
	if err := ps.SetKey("box", "typed later"); err != nil {
		t.Fatal(err)
	}
	if k := ps.key(box); k != "typed later" {
		t.Errorf("box has the key %q, though another was typed in", k)
	}
	secrets := ps.Secrets()
	slices.Sort(secrets)
	if want := []string{"of the environment", "typed", "typed later"}; !slices.Equal(secrets, want) {
		t.Errorf("secrets are %q", secrets)
	}
	if err := ps.SetKey("claude", ""); err != nil {
		t.Fatal(err)
	}
	if _, ok := ps.Provider("claude"); ok {
		t.Error("claude is there, though its key was taken away")
	}
	for _, name := range []string{"nobody", replayName} {
		if err := ps.SetKey(name, "k"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a key for %s: %v", name, err)
		}
	}
}

func TestBuiltInAddresses(t *testing.T) {
	ps := newPlaces(t, env("ANTHROPIC_BASE_URL", "http://a:1", "OPENAI_BASE_URL", "http://o:2/v1"))
	for name, want := range map[string]string{"claude": "http://a:1", "openai": "http://o:2/v1"} {
		if p := ps.find(name); p.base != want {
			t.Errorf("%s is asked at %s", name, p.base)
		}
	}
	if p := newPlaces(t, env()).find("claude"); p.base != "https://api.anthropic.com" {
		t.Errorf("claude is asked at %s", p.base)
	}
}
