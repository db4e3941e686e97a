package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vibey/provider/acp"
)

func TestOllamaIsFoundWhenItRuns(t *testing.T) {
	up := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up || r.URL.Path != "/v1/models" {
			http.Error(w, "no", http.StatusNotFound)
		}
	}))
	defer srv.Close()
	o := offered{newPlaces(t, env("OLLAMA_HOST", strings.TrimPrefix(srv.URL, "http://")))}
	if got := strings.Join(o.Names(), " "); got != "replay" {
		t.Errorf("something that is no Ollama is offered: %s", got)
	}
	up = true
	for range 2 {
		if got := strings.Join(o.Names(), " "); got != "ollama replay" {
			t.Errorf("offered: %s", got)
		}
	}
	if p := o.find(ollamaName); p.base != srv.URL+"/v1" || p.api != "chat" {
		t.Errorf("it is asked at %s, %s", p.base, p.api)
	}
	own := offered{newPlaces(t, env("OLLAMA_HOST", srv.URL), "ollama=chat,http://elsewhere/v1")}
	own.Names()
	if p := own.find(ollamaName); p.base != "http://elsewhere/v1" {
		t.Errorf("the one that a flag defines is asked at %s", p.base)
	}
}

// An Ollama is looked for by whoever names it: nothing depends on a list that was asked
// for before. What is made at a start depends on none.
func TestOllamaIsFoundWhereItIsNamed(t *testing.T) {
	up := true
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up {
			http.Error(w, "no", http.StatusNotFound)
		}
	}))
	defer srv.Close()
	at := env("OLLAMA_HOST", srv.URL)
	for _, listed := range []bool{false, true} {
		ps := newPlaces(t, at)
		ps.addAgents([]acp.Agent{{Name: "a"}})
		if listed {
			offered{ps}.Names()
		}
		if p, ok := ps.Provider(ollamaName); !ok || p.API() != "chat" {
			t.Errorf("listed before %v: it is not found", listed)
		}
		if got := ps.first(); got != ollamaName {
			t.Errorf("listed before %v: without a name %q is asked", listed, got)
		}
		if ps.configured() {
			t.Errorf("listed before %v: what was found counts as configured", listed)
		}
	}
	up = false
	if _, ok := newPlaces(t, at).Provider(ollamaName); ok {
		t.Error("something that is no Ollama can be asked")
	}
	unasked := newPlaces(t, at)
	unasked.keyless = true
	if _, ok := unasked.Provider(ollamaName); !ok {
		t.Error("where nothing is asked, it is not there")
	}
	for _, c := range []struct {
		env, flags []string
		want       bool
	}{{nil, nil, false}, {[]string{"OPENAI_API_KEY", "k"}, nil, true}, {nil, []string{"box=chat,http://h/v1"}, true}} {
		if got := newPlaces(t, env(c.env...), c.flags...).configured(); got != c.want {
			t.Errorf("%v %v: configured is %v", c.env, c.flags, got)
		}
	}
}

func TestOllamaBase(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "http://127.0.0.1:11434/v1",
		"0.0.0.0":              "http://127.0.0.1:11434/v1",
		"0.0.0.0:8080":         "http://127.0.0.1:8080/v1",
		"box":                  "http://box:11434/v1",
		"https://box.lan:1234": "https://box.lan:1234/v1",
		"[::]:99":              "http://127.0.0.1:99/v1",
		"://":                  "http://127.0.0.1:11434/v1",
	} {
		if got := ollamaBase(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
