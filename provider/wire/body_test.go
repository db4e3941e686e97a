package wire

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func TestBodyReader(t *testing.T) {
	for _, b := range []Body{nil, {nil}, {[]byte("a")}, {[]byte("a"), nil, []byte("bcd"), []byte("e"), nil}} {
		if err := iotest.TestReader(b.Open(), b.Bytes()); err != nil {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// writes counts the writes on a connection.
type writes struct {
	net.Conn
	n *int
}

func (w writes) Write(p []byte) (int, error) { *w.n++; return w.Conn.Write(p) }

func (w writes) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, r)
}

// A request's body is sent in few packets, of however many pieces it is.
func TestSmallPiecesAreSentTogether(t *testing.T) {
	n := 0
	body := Body{}
	for range 40 {
		body = append(body, []byte("piece "))
	}
	dial := func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			got := make([]byte, 1<<10)
			for all := ""; !strings.HasSuffix(all, string(body.Bytes())); {
				n, err := theirs.Read(got)
				if err != nil {
					return
				}
				all += string(got[:n])
			}
			io.Copy(theirs, strings.NewReader("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n"))
		}()
		return writes{ours, &n}, nil
	}
	c := &Call{URL: "http://test.example/", Body: body}
	c.Client = &http.Client{Transport: &http.Transport{DialContext: dial}}
	resp, err := c.send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n > 3 {
		t.Errorf("a body of %d pieces took %d writes, want 3 at most", len(body), n)
	}
}
