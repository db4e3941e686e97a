package mcp

import (
	"mime"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// overHTTP is the transport to a server at an address. key is sent as a bearer token, ""
// for none. The address is the one that a human has named: a redirect is not followed.
func overHTTP(base http.RoundTripper, url, key string) sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: url, MaxRetries: 2, MaxEventSize: frameMost,
		HTTPClient: &http.Client{
			Transport:     bounded{base, key},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// bounded bounds an answer that the SDK reads whole: one that is no stream of events, of
// which it bounds each. It bounds how deep both are nested.
type bounded struct {
	base http.RoundTripper
	key  string
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	resp, err := b.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		resp.Body = http.MaxBytesReader(nil, resp.Body, frameMost)
	}
	return resp, nil
}
