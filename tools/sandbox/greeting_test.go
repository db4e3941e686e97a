package sandbox

import (
	"io"
	"net"
	"strings"
	"testing"
)

// What a connection to a preview begins with decides whether it is let in, and all
// of it reaches the server.
func TestGreeting(t *testing.T) {
	for _, c := range []struct{ sent, answer string }{
		{"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n", ""},
		{"GET / HTTP/1.1\r\nhost: LocalHost\r\nCookie: a\r\n\r\n", ""},
		{"GET / HTTP/1.1\r\nHost: [::1]:8000\r\n\r\n", ""},
		{"POST /x HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 4\r\n\r\nbody", ""},
		{"GET / HTTP/1.1\r\nHost: evil.example:8000\r\n\r\n", "HTTP/1.1 421 "},
		{"GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", "HTTP/1.1 421 "},
		{"GET / HTTP/1.1\r\nHost: 127.0.0.1:1:2\r\n\r\n", "HTTP/1.1 421 "},
		{"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 421 "},
		{"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 421 "},
		{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 421 "},
		{"\x16\x03\x01 no text\r\n\r\n", "HTTP/1.1 400 "},
		{"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nLong: " + strings.Repeat("x", greetingMax) + "\r\n\r\n", "HTTP/1.1 400 "},
		{"", ""},
	} {
		client, ours := net.Pipe()
		answered := make(chan string)
		go func() {
			// Whoever is refused may not have read all of it.
			go func() { io.WriteString(client, c.sent); closeIf(c.sent == "", client) }()
			b, _ := io.ReadAll(client)
			answered <- string(b)
		}()
		read, ok := greeting(ours)
		ours.Close()
		answer := <-answered
		if ok != (c.answer == "" && c.sent != "") || ok && string(read) != c.sent || !strings.HasPrefix(answer, c.answer) || c.answer == "" && answer != "" {
			t.Errorf("%.80q: let in %v with %.80q, told %q", c.sent, ok, read, answer)
		}
	}
}

func closeIf(yes bool, c net.Conn) {
	if yes {
		c.Close()
	}
}
