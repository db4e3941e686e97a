package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// body is a JSON object on its way to or from the program.
type body map[string]any

// answer is what a request brought that is not a stream.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	text   string
}

// client has no connection pool that outlives a process, and no time limit of
// its own: streams may last.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// request makes a request with the token; nil sends no body, a string goes as it is.
func (h *host) request(method, path string, send any) *http.Request {
	h.t.Helper()
	var r io.Reader
	switch v := send.(type) {
	case nil:
	case string:
		r = strings.NewReader(v)
	case []byte:
		r = bytes.NewReader(v)
	default:
		b, err := json.Marshal(v)
		if err != nil {
			h.t.Fatal(err)
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, h.url+path, r)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// ask sends a request whose answer is not a stream.
func (h *host) ask(method, path string, send any) answer {
	h.t.Helper()
	return h.send(h.request(method, path, send))
}

func (h *host) send(req *http.Request) answer {
	h.t.Helper()
	what := req.Method + " " + req.URL.Path
	limit := time.AfterFunc(patience, func() { h.t.Errorf("%s: no answer in %v", what, patience); client.CloseIdleConnections() })
	defer limit.Stop()
	res, err := client.Do(req)
	if err != nil {
		h.t.Fatalf("%s: %v\n%s", what, err, h.log)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatalf("%s: %v\n%s", what, err, h.log)
	}
	return answer{h.t, what, res.StatusCode, res.Header, string(b)}
}

// is fails the test if the status is another one.
func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.what, a.status, status, a.text)
	}
	return a
}

// into reads the JSON answer.
func (a answer) into(v any) {
	a.t.Helper()
	if ct := a.header.Get("Content-Type"); ct != "application/json" {
		a.t.Fatalf("%s: Content-Type %q: %s", a.what, ct, a.text)
	}
	if err := json.Unmarshal([]byte(a.text), v); err != nil {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.text)
	}
}

// object is a JSON answer that is an object.
func (a answer) object() body {
	a.t.Helper()
	var b body
	a.into(&b)
	return b
}

// problem checks an error's shape and returns its detail.
func (a answer) problem(status int) string {
	a.t.Helper()
	a.is(status)
	var p struct {
		Type, Title, Detail string
		Status              int
	}
	if ct := a.header.Get("Content-Type"); ct != "application/problem+json" {
		a.t.Fatalf("%s: Content-Type %q: %s", a.what, ct, a.text)
	}
	if err := json.Unmarshal([]byte(a.text), &p); err != nil || p.Status != status || p.Type == "" || p.Title == "" || p.Detail == "" {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.text)
	}
	return p.Detail
}

func (h *host) get(path string) answer { h.t.Helper(); return h.ask("GET", path, nil) }

// make creates a project.
func (h *host) make(name string) {
	h.t.Helper()
	h.ask("POST", "/projects", body{"name": name}).is(200)
}
