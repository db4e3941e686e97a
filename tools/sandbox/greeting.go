package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// A browser sends the beginning of its first request at once. What does not, or
// sends one that is longer, is no browser.
const (
	greetingTime = 10 * time.Second
	greetingMax  = 64 << 10 // bytes
)

// greeting reads the first request's head from a connection to a preview, and
// returns all that it has read. Where the Host header does not name this computer,
// it answers with 421 and returns false: a website whose name was made to point here
// (DNS rebinding) sends its own. A browser keeps connections apart by that name, so
// that the first request speaks for those behind it.
func greeting(c net.Conn) (read []byte, ok bool) {
	c.SetDeadline(time.Now().Add(greetingTime))
	var seen bytes.Buffer
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(io.LimitReader(c, greetingMax), &seen)))
	switch {
	case err != nil && seen.Len() == 0:
		return nil, false // closed, or opened in advance and not needed
	case err != nil:
		answerText(c, http.StatusBadRequest, "A preview is for browsers: this is no request of HTTP/1.1.\n")
		return nil, false
	case !isLoopbackName(r.Host):
		answerText(c, http.StatusMisdirectedRequest, "This preview does not answer under the name in the Host header. Open it at http://"+c.LocalAddr().String()+"/\n")
		return nil, false
	}
	c.SetDeadline(time.Time{})
	return seen.Bytes(), true
}

// isLoopbackName reports whether a Host header names this computer, with whatever
// port: a port that is forwarded may have another number at its other end.
func isLoopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "127.0.0.1" || strings.EqualFold(host, "localhost") || host == "::1" || host == "[::1]"
}

// answerText answers a request of HTTP/1.1 with plain text.
func answerText(c net.Conn, status int, text string) {
	fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(text), text) // an error is a client that left
}
