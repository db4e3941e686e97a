package wire

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vibey/provider"
)

// Call is one request to an API, to be made until it is answered.
type Call struct {
	provider.Config
	URL    string
	Header http.Header // beside Content-Type and Accept
	Model  string      // that is asked, for the words of an error; "" where it is not needed
	Body   Body
	Prefix string
	// Parser returns a new parser; each try has its own.
	Parser func() Parser
	// Amend, if not nil, may answer a refusal before any content by changing
	// Body to one that asks for less; true lets it be sent at once. It must
	// come to an end by itself.
	Amend func(*provider.Error) bool
}

// Parser gives an API's stream its meaning.
type Parser interface {
	// Next appends to out what one event brought. done is true for the terminal
	// event, which brings the Finish. An error is a *provider.Error, or any other
	// for data that is not what the API documents.
	Next(data []byte, out []provider.Event) (events []provider.Event, done bool, err error)
	// End is asked when the stream ended before Next said done: where the API
	// lets a stream end so, it appends the Finish and returns true.
	End(out []provider.Event) (events []provider.Event, done bool)
}

// Stream makes the call: Begin, what the parser brings, Finish. A try that
// fails before any content is made again, within limits; a Retry tells of it.
// After content nothing is tried again: what came is the caller's, and the
// error follows it.
func (c *Call) Stream(ctx context.Context) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		if !yield(provider.Begin{Prefix: c.Prefix}, nil) {
			return
		}
		start := time.Now()
		for tries := 1; ; tries++ {
			content, err := c.try(ctx, yield)
			if err == nil {
				return
			}
			failure, ok := errors.AsType[*provider.Error](err)
			if !ok {
				yield(nil, err)
				return
			}
			if !content && c.Amend != nil && c.Amend(failure) {
				tries--
				continue
			}
			wait, ok := again(failure, tries, time.Since(start))
			if content || !ok {
				yield(nil, failure)
				return
			}
			if !yield(provider.Retry{Reason: failure.Message}, nil) {
				return
			}
			if err := Sleep(ctx, wait); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// try makes one request and yields what it brings. content reports whether the
// caller saw any of the answer. A nil error means that there is no more to do:
// the answer is whole, or the caller broke off.
func (c *Call) try(ctx context.Context, yield func(provider.Event, error) bool) (content bool, err error) {
	inner, watch, cancel := newWatch(ctx, c.limit())
	end := cancel
	defer func() { end() }()
	resp, err := c.send(inner)
	if err != nil {
		return false, c.explain(ctx, inner, err)
	}
	end = func() { resp.Body.Close(); cancel() }
	watch.body = resp.Body
	if err := c.check(resp, watch); err != nil {
		return false, c.explain(ctx, inner, err)
	}
	events, parser := newEvents(watch), c.Parser()
	var out []provider.Event
	for done := false; !done; {
		data, readErr := events.next()
		var parseErr error
		if readErr == nil {
			out, done, parseErr = parser.Next(data, out[:0])
		} else {
			// A peer that is gone after the last word has still said it.
			if out, done = parser.End(out[:0]); done {
				readErr = nil
			}
		}
		for _, e := range out {
			content = content || isContent(e)
			if !yield(e, nil) {
				return content, nil
			}
		}
		if parseErr != nil {
			return content, c.malformed(parseErr)
		}
		if readErr != nil {
			return content, c.explain(ctx, inner, readErr)
		}
	}
	whole := end
	end = func() { go watch.drain(whole) } // it reads bytes and throws them away, and can't panic
	return content, nil
}

func isContent(e provider.Event) bool {
	switch e.(type) {
	case provider.Text, provider.Thinking, provider.Reasoning, provider.Call:
		return true
	}
	return false
}

func (c *Call) send(ctx context.Context) (*http.Response, error) {
	if err := c.checkAddress(); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, c.Body.Open())
	if err != nil {
		return nil, err
	}
	r.ContentLength = c.Body.Len()
	r.GetBody = func() (io.ReadCloser, error) { return c.Body.Open(), nil }
	for k, v := range c.Header {
		r.Header[k] = v
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	return c.client().Do(r)
}

// checkAddress refuses what can't be an address, which no other try would mend.
func (c *Call) checkAddress() error {
	u, err := url.Parse(c.URL)
	if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	return &provider.Error{Kind: provider.KindNotFound, Err: err, Message: "The base URL of " + c.Name + " is not an address that begins with http:// or https://. Correct it where the provider is configured."}
}

// client is the configured one, but for redirects: to follow one would carry
// the key to wherever it points.
func (c *Call) client() *http.Client {
	client := *DefaultClient
	if c.Client != nil {
		client = *c.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// check refuses a response that is not a stream of events.
func (c *Call) check(resp *http.Response, body io.Reader) error {
	ok, typ := resp.StatusCode == http.StatusOK, resp.Header.Get("Content-Type")
	if ok && (strings.HasPrefix(typ, "text/event-stream") || typ == "") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil && len(text) == 0 {
		return err
	}
	if !ok {
		return c.statusError(resp, text)
	}
	if p := readProblem(text); strings.HasPrefix(typ, "application/json") && p.Message != "" {
		return c.failure(0, p, 0)
	}
	return &provider.Error{
		Kind: provider.KindMalformed, Status: resp.StatusCode,
		Message: c.Name + " answered with something that is not a stream of events (" + c.quote(typ) + "). Check that the base URL is that of its API.",
	}
}
