package providertest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/responses"
	"vibey/provider/texttag"
)

// Whether a model sees is asked of the server in each form that servers have, then of
// Ollama's own address, then of the table; what a human says goes before all.
func TestSees(t *testing.T) {
	for _, c := range []struct {
		what, list, show string
		model            string
		want             bool
	}{
		{"OpenRouter", `{"data":[{"id":"a/b","architecture":{"input_modalities":["text","image"]}}]}`, "", "a/b", true},
		{"OpenRouter, without", `{"data":[{"id":"gpt-5","architecture":{"input_modalities":["text"]}}]}`, "", "gpt-5", false},
		{"modalities beside the id", `{"data":[{"id":"m","input_modalities":["image"]}]}`, "", "m", true},
		{"Mistral", `{"data":[{"id":"m","capabilities":{"vision":true}}]}`, "", "m", true},
		{"Anthropic", `{"data":[{"id":"m","capabilities":{"image_input":{"supported":true}}}]}`, "", "m", true},
		{"words", `{"data":[{"id":"m","capabilities":["completion","vision"]}]}`, "", "m", true},
		{"an odd form", `{"data":[{"id":"claude-x","capabilities":7,"input_modalities":{"a":1},"architecture":{"input_modalities":"text"}}]}`, "", "claude-x", true},
		{"Ollama", `{"data":[{"id":"m:7b"}]}`, `{"capabilities":["completion","vision"]}`, "m:7b", true},
		{"Ollama, without", `{"data":[{"id":"llava"}]}`, `{"capabilities":["completion"]}`, "llava", false},
		{"Ollama of before", `{"data":[{"id":"llava"}]}`, `{"details":{}}`, "llava", true},
		{"the table", `{"data":[]}`, "", "claude-opus-5", true},
		{"a human", `{"data":[{"id":"said","input_modalities":["text"]}]}`, "", "said", true},
		{"nobody", `{"data":[{"id":"m"}]}`, "", "m", false},
		{"no list", `<html>`, "", "gpt-5", true},
	} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			switch {
			case r.URL.Path == "/v1/models" && r.Header.Get("Authorization") == "Bearer k":
				fmt.Fprint(w, c.list)
			case r.URL.Path == "/api/show" && r.Method == "POST" && c.show != "":
				fmt.Fprint(w, c.show)
			default:
				http.NotFound(w, r)
			}
		}))
		config := provider.Config{Name: "x", BaseURL: server.URL + "/v1", Key: func() string { return "k" }, Sees: func(m string) bool { return m == "said" }}
		for _, p := range []provider.Provider{chat.New(config), texttag.New(config), texttag.NewInstead(config), responses.New(config), anthropic.New(config)} {
			if c.show != "" && (p.API() == "responses" || p.API() == "messages") {
				continue
			}
			asked.Store(0)
			for range 3 {
				if got := p.(provider.Seer).Sees(context.Background(), c.model); got != c.want {
					t.Errorf("%s, %s: %v", c.what, p.API(), got)
				}
			}
			if n := asked.Load(); n > 2 && c.list[0] == '{' {
				t.Errorf("%s, %s: it was asked %d times", c.what, p.API(), n)
			}
			models, err := p.Models(context.Background())
			if strings.Contains(c.list, `"id"`) && c.show == "" && (err != nil || models[0].Sees != c.want) {
				t.Errorf("%s, %s: the list says %v: %v", c.what, p.API(), models, err)
			}
		}
		server.Close()
	}
}

// A server that is away is asked again: what the table says in its place is not kept.
func TestSeesLater(t *testing.T) {
	up := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up {
			http.Error(w, "away", 500)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"m","input_modalities":["image"]}]}`)
	}))
	defer server.Close()
	p := responses.New(provider.Config{BaseURL: server.URL})
	if p.Sees(t.Context(), "m") {
		t.Error("it sees while its server is away")
	}
	up = true
	if !p.Sees(t.Context(), "m") {
		t.Error("it does not see")
	}
}
