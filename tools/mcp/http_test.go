package mcp

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vibey/tools/mcp/mcptest"
)

func overAddress(t *testing.T, h http.Handler, keys ...string) *Manager {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	m := New(Config{Servers: []Server{{Name: "web", URL: s.URL, Keys: keys}}, Limits: patient, Getenv: func(name string) string { return "value of " + name }})
	t.Cleanup(func() { m.Close("") })
	return m
}

func TestHTTP(t *testing.T) {
	var bearer string
	h := mcptest.Handler()
	m := overAddress(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bearer = r.Header.Get("Authorization")
		h.ServeHTTP(w, r)
	}), "WEB_KEY")
	l, err := m.List(t.Context(), Place{Project: "p"}, "web")
	if err != nil || len(l.Tools) != 14 {
		t.Fatal(len(l.Tools), err)
	}
	r, err := m.Call(t.Context(), Place{Project: "p"}, "web", "echo", `{"text":"over the wire"}`)
	if err != nil || said(r) != "over the wire" {
		t.Errorf("%q %v", said(r), err)
	}
	if bearer != "Bearer value of WEB_KEY" {
		t.Errorf("authorization %q", bearer)
	}
}

// A server that offers HTTP/2 is spoken to in HTTP/1.1: the program as it is given away
// has nothing else.
func TestHTTPOneOnly(t *testing.T) {
	var proto string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { proto = r.Proto }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c := New(Config{}).http
	c.TLSClientConfig = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	defer c.CloseIdleConnections()
	r, err := http.NewRequest("GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if proto != "HTTP/1.1" {
		t.Error(proto)
	}
}

// An address that is none of a server, that leads elsewhere, or that answers what a
// program could not bear, is a Fault.
func TestHTTPLiars(t *testing.T) {
	elsewhere := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere = true }))
	defer other.Close()
	write := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, body)
		}
	}
	deep := `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 4<<20)
	for name, h := range map[string]http.HandlerFunc{
		"a page":    write("text/html", "<h1>no</h1>"),
		"not found": http.NotFound,
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"deep":       write("application/json", deep),
		"deep event": write("text/event-stream", "id: \"\ndata: "+deep+"\n\n"),
		"long event": write("text/event-stream", "data: {\"a\":\""+strings.Repeat("l", 20<<20)+"\"}\n\n"),
		"long":       write("application/json", `{"a":"`+strings.Repeat("l", 20<<20)+`"}`),
		"silent":     func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
	} {
		m := overAddress(t, h)
		if name == "silent" {
			m.c.Limits.Start = 100 * time.Millisecond
		}
		_, err := m.List(t.Context(), Place{Project: "p"}, "web")
		if _, ok := errors.AsType[*Fault](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if elsewhere {
		t.Error("a redirect was followed")
	}
}

// The message of an event may stand in several lines.
func TestHTTPLines(t *testing.T) {
	h := mcptest.Handler()
	m := overAddress(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a stream without end
			http.Error(w, "none", http.StatusMethodNotAllowed)
			return
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		io.WriteString(w, strings.ReplaceAll(rec.Body.String(), `,"result":`, "\ndata: ,\"result\":\r\ndata:"))
	}))
	r, err := m.Call(t.Context(), Place{Project: "p"}, "web", "echo", `{"text":"in lines"}`)
	if err != nil || said(r) != "in lines" {
		t.Errorf("%q %v", said(r), err)
	}
}
