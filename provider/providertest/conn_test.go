package providertest_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
	"vibey/provider/texttag"
	"vibey/provider/wire"
)

// One request after the other goes over one connection: a new one would cost
// every round a handshake. The server withholds the end of each stream until
// its caller has gone on, so that who does not wait for it loses the connection.
func TestConnectionIsKept(t *testing.T) {
	for _, api := range []string{"messages", "responses", "chat", "tags"} {
		mock := providertest.New(providertest.Script{Replies: []providertest.Reply{{Text: "Hi."}}})
		release, idle := make(chan bool), make(chan bool, 100)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mock.ServeHTTP(w, r)
			<-release
		}))
		var opened atomic.Int32
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				opened.Add(1)
			case http.StateIdle, http.StateClosed:
				idle <- true
			}
		}
		server.Start()
		c := provider.Config{Name: api, BaseURL: server.URL + "/v1", Client: wire.NewClient()}
		p := map[string]provider.Provider{"messages": anthropic.New(c), "responses": responses.New(c), "chat": chat.New(c), "tags": texttag.New(c)}[api]
		for range 20 {
			for _, err := range p.Stream(t.Context(), providertest.Question()) {
				if err != nil {
					t.Fatal(err)
				}
			}
			release <- true
			<-idle
		}
		if n := opened.Load(); n > 5 { // without waiting it is 20
			t.Errorf("%s: 20 requests opened %d connections", api, n)
		}
		server.Close()
	}
}
