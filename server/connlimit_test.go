package server

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// closing is a connection that remembers whether it was closed.
type closing struct {
	net.Conn
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// One connection more than anonymousMax closes the oldest without a token, and
// never one over which the token has come.
func TestAnonymousMax(t *testing.T) {
	var limit connLimiter
	limit.watch(&http.Server{})
	all := make([]*closing, anonymousMax+2)
	for i := range all {
		all[i] = &closing{}
		l := limit.add(all[i])
		if i == 0 {
			l.authenticated.Store(true)
		}
	}
	for i, c := range all {
		if c.closed != (i == 1) {
			t.Errorf("connection %d: closed %v", i, c.closed)
		}
	}
}

// The pages say the number.
func TestAnonymousMaxIsTold(t *testing.T) {
	told := fmt.Sprintf("%d,%03d connections", anonymousMax/1000, anonymousMax%1000)
	for _, path := range []string{"../.github/SECURITY.md", "../vibey/vibey/doc-reference.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ToLower(string(text)), "at most "+told) {
			t.Errorf("%s does not say: at most %s", path, told)
		}
	}
}
