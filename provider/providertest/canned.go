package providertest

import (
	"io"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog/history"
	"vibey/provider"
)

// Canned is an http.RoundTripper without a network: it answers the n-th
// request with the n-th of its answers, and all later ones with the last.
type Canned struct {
	Answers []Answer
	// Got are the requests' bodies.
	Got []string
}

// Answer is one answer of Canned.
type Answer struct {
	Status int // 0 is 200
	Header http.Header
	Body   string
	Chunk  int   // the most bytes that one Read gives; 0 is all
	Err    error // instead of an answer
	// Then is what follows the body: nil is its end, "cut" an unexpected one,
	// "silence" nothing at all until the request is given up.
	Then string
}

// Client returns a client that asks c.
func (c *Canned) Client() *http.Client { return &http.Client{Transport: c} }

// RoundTrip answers one request.
func (c *Canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		c.Got = append(c.Got, string(b))
	}
	a := c.Answers[min(max(len(c.Got), 1), len(c.Answers))-1]
	if a.Err != nil {
		return nil, a.Err
	}
	h := a.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/event-stream")
	}
	body := &cannedBody{r: strings.NewReader(a.Body), a: a, done: r.Context().Done()}
	return &http.Response{
		StatusCode: a.Status, Header: h, Body: io.NopCloser(body), Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
	}, nil
}

type cannedBody struct {
	r    *strings.Reader
	a    Answer
	done <-chan struct{}
}

func (b *cannedBody) Read(p []byte) (int, error) {
	if b.r.Len() == 0 {
		switch b.a.Then {
		case "cut":
			return 0, io.ErrUnexpectedEOF
		case "silence":
			<-b.done
			return 0, io.ErrClosedPipe
		}
	}
	if b.a.Chunk > 0 {
		p = p[:min(len(p), b.a.Chunk)]
	}
	return b.r.Read(p)
}

// Part returns a file of an archive, or "".
func Part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// Question is a request with a system text, two tools and one user text.
func Question() *provider.Request {
	schema := history.RawJSON(`{"type":"object","properties":{"command":{"type":"string"}}}`)
	return &provider.Request{
		Provider: "test", Model: "test-1", CacheKey: "20260216-201100-test",
		History: history.History{
			System: "You are a test.",
			Tools: []history.ToolSpec{
				{Name: "run_command", Description: "Runs a command.", Schema: schema},
				{Name: "write_file", Description: "Writes a file.", Schema: schema},
			},
			Items: []history.Item{{Kind: history.UserText, Text: "Go."}},
		},
	}
}
