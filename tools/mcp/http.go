package mcp

import (
	"mime"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// overHTTP is the transport to a server at an address. key is sent as a bearer token, ""
// for none. The address is the one that a human has named: a redirect is not followed.
// What comes is counted in f.
func overHTTP(base http.RoundTripper, url, key string, f *flood) sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: url, MaxRetries: 2, MaxEventSize: frameMost,
		HTTPClient: &http.Client{
			Transport:     bounded{base, key, f},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// bounded bounds each answer, and all that come between two calls: the SDK bounds each
// event of a stream, and not how many there are.
type bounded struct {
	base  http.RoundTripper
	key   string
	flood *flood
}

// listing marks the context of a request for a page of tools.
type listing struct{}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	resp, err := b.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	most, stream := int64(frameMost), kind == "text/event-stream"
	if stream {
		most = floodMost
	}
	if r.Context().Value(listing{}) != nil {
		most = pageMost
	}
	resp.Body = &body{ReadCloser: resp.Body, flood: b.flood, most: most}
	exactBody(resp, stream)
	return resp, nil
}
