package wire

import (
	"net"
	"net/http"
	"time"

	"vibey/provider"
)

// Bearer is the header that carries a key as most servers want it.
func Bearer(c provider.Config) http.Header {
	h := http.Header{}
	if key := c.Secret(); key != "" {
		h["Authorization"] = []string{"Bearer " + key}
	}
	return h
}

// DefaultClient is what adapters use that were given no client: one pool for all.
var DefaultClient = NewClient()

// NewClient returns a client for many long streams.
//
// It speaks HTTP/1.1 only: with one connection a stream, closing it cancels
// just that request, a stalled peer stalls nothing else, and 1,000 dialogs meet
// no limit on streams in a connection. There is no timeout for the whole or for
// the header: the idle limit watches both.
func NewClient() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			Protocols:           protocols,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConns:        0, // no limit in all
			MaxIdleConnsPerHost: 1024,
			IdleConnTimeout:     90 * time.Second,
			WriteBufferSize:     16 << 10, // a history of 1 MB in 64 writes, not 256
			DisableCompression:  true,     // a compressed stream comes in lumps
		},
	}
}
