package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vibey/provider/acp"
)

// noModels is what an Ollama says that has no model yet.
const noModels = `{"object":"list","data":null}`

// What else may answer at the port of Ollama is not offered; an Ollama is, however many
// models it has, wherever OLLAMA_HOST says that it is, and once it is started.
func TestOllamaIsFoundAmongOthers(t *testing.T) {
	var answer http.HandlerFunc
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
	defer srv.Close()
	says := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	port := srv.URL[strings.LastIndexByte(srv.URL, ':')+1:]
	hosts := []string{"127.0.0.1:" + port, "0.0.0.0:" + port, ":" + port, srv.URL, srv.URL + "/", " " + srv.URL + " ", `"` + srv.URL + `"`}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   bool
	}{
		{"no model yet", says(200, noModels), true},
		{"an empty list", says(200, `{"object":"list","data":[]}`), true},
		{"models", says(200, `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"library"}]}`+"\n"), true},
		{"a page for each path", says(200, "<!doctype html><title>Mine</title>"), false},
		{"nothing", says(200, ""), false},
		{"another API", says(200, `{"ok":true}`), false},
		{"a list of another kind", says(200, `["m"]`), false},
		{"half an answer", says(200, `{"object":"list","da`), false},
		{"a door", says(401, noModels), false},
		{"nothing there", says(404, "404 page not found"), false},
		{"a fault", says(500, noModels), false},
		{"a way to a page", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/login" {
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		}, false},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				io.WriteString(conn, "SSH-2.0-OpenSSH_9.6\r\n")
				conn.Close()
			}
		}, false},
		{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false},
	} {
		for _, host := range hosts {
			ps := newPlaces(t, env("OLLAMA_HOST", host))
			answer = c.answer
			if _, ok := ps.Provider(ollamaName); ok != c.want {
				t.Errorf("%s, at %q: found is %v", c.name, host, ok)
			}
			answer = says(200, noModels) // it is started later
			if _, ok := ps.Provider(ollamaName); !ok {
				t.Errorf("%s, at %q: it is not found where it starts later", c.name, host)
			}
			if c.name == "silence" {
				break // which takes its time
			}
		}
	}
}

func TestOllamaIsFoundWhenItRuns(t *testing.T) {
	up := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up || r.URL.Path != "/v1/models" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		io.WriteString(w, noModels)
	}))
	defer srv.Close()
	o := newPlaces(t, env("OLLAMA_HOST", strings.TrimPrefix(srv.URL, "http://")))
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
	own := newPlaces(t, env("OLLAMA_HOST", srv.URL), "ollama=chat,http://elsewhere/v1")
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
			return
		}
		io.WriteString(w, noModels)
	}))
	defer srv.Close()
	at := env("OLLAMA_HOST", srv.URL)
	for _, listed := range []bool{false, true} {
		ps := newPlaces(t, at)
		ps.addAgents([]acp.Agent{{Name: "a"}})
		if listed {
			ps.Names()
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
		"[::]":                 "http://127.0.0.1:11434/v1",
		"[::1]:99":             "http://[::1]:99/v1",
		":99":                  "http://127.0.0.1:99/v1",
		"localhost":            "http://localhost:11434/v1",
		"box/":                 "http://box:11434/v1",
		" 'box:99' ":           "http://box:99/v1",
		"http://box":           "http://box:80/v1",
		"https://box.lan":      "https://box.lan:443/v1",
		"https://box.lan/ai/":  "https://box.lan:443/ai/v1",
		"box:no":               "http://127.0.0.1:11434/v1",
		"://":                  "http://127.0.0.1:11434/v1",
	} {
		if got := ollamaBase(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
