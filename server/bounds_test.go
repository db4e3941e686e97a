package server

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vibey/cmd/tally/testenv"
)

// piped is a listener whose connections are pipes, so that time can be a bubble's.
type piped chan net.Conn

func (l piped) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l piped) Close() error   { return nil }
func (l piped) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3001} }

// A header has ten seconds, however little of it comes and however often: behind nothing
// at all, within a line, between lines, and on a line that has had an answer before.
func TestSlowHeaders(t *testing.T) {
	const whole = "GET / HTTP/1.1\r\nHost: 127.0.0.1:3001\r\n\r\n"
	for _, c := range []struct {
		what, at, more string
		after          time.Duration // between two pieces
		first          bool          // a whole request comes before
	}{
		{"nothing", "", "", time.Second, false},
		{"half a line", "GET / HT", "", time.Second, false},
		{"a letter each second", "GET /", "x", time.Second, false},
		{"a letter every 9 seconds", "GET /", "x", 9 * time.Second, false},
		{"a line each second", "GET / HTTP/1.1\r\n", "X-A: b\r\n", time.Second, false},
		{"all but the last byte", whole[:len(whole)-1], "", time.Second, false},
		{"a second one", "GET /", "x", time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := make(piped)
			srv := HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
			go srv.Serve(l)
			defer srv.Close()
			defer close(l)
			mine, its := net.Pipe()
			defer mine.Close()
			l <- its
			r := bufio.NewReader(mine)
			if c.first {
				go io.WriteString(mine, whole)
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
			}
			begun, ended := time.Now(), make(chan bool)
			go func() {
				defer close(ended)
				_, err := io.WriteString(mine, c.at) // fails once it is closed
				for err == nil && c.more != "" {
					time.Sleep(c.after)
					_, err = io.WriteString(mine, c.more)
				}
			}()
			io.Copy(io.Discard, r) // until it is closed
			took := time.Since(begun)
			<-ended
			if took > 10*time.Second || took < 9*time.Second {
				t.Errorf("%s: closed after %v", c.what, took)
			}
		})
	}
}

// A header of 64 KiB is read and one of 4 KiB more is not (net/http reads so much
// further), in one line or in many, in a name, a value or the path, at each port.
func TestHeaderSize(t *testing.T) {
	s := newShop(t)
	_, pages := s.pages()
	const most, slop = 64 << 10, 4 << 10
	for _, at := range []string{s.url, pages} {
		host := strings.TrimPrefix(at, "http://")
		for what, head := range map[string]func(n int) string{
			"a value": func(n int) string { return "GET / HTTP/1.1\r\nX-A: " + strings.Repeat("v", n) + "\r\n" },
			"a name":  func(n int) string { return "GET / HTTP/1.1\r\n" + strings.Repeat("n", n) + ": v\r\n" },
			"a path":  func(n int) string { return "GET /" + strings.Repeat("p", n) + " HTTP/1.1\r\n" },
			"a query": func(n int) string { return "GET /?" + strings.Repeat("q", n) + " HTTP/1.1\r\n" },
			"lines":   func(n int) string { return "GET / HTTP/1.1\r\n" + strings.Repeat("X-A: 45678\r\n", n/12) },
			"a token": func(n int) string {
				return "GET / HTTP/1.1\r\nAuthorization: Bearer " + strings.Repeat("t", n) + "\r\n"
			},
		} {
			for n, fits := range map[int]bool{most - 200: true, most + slop + 200: false, 1 << 20: false} {
				c, err := net.Dial("tcp", host)
				if err != nil {
					t.Fatal(err)
				}
				c.SetDeadline(time.Now().Add(10 * time.Second))
				go fmt.Fprintf(c, "%sHost: %s\r\nConnection: close\r\n\r\n", head(n), host)
				res, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil && fits {
					t.Errorf("%s of %d at %s: %v", what, n, at, err)
				} else if err == nil && (res.StatusCode != http.StatusRequestHeaderFieldsTooLarge) != fits {
					t.Errorf("%s of %d at %s: %s", what, n, at, res.Status)
				}
				c.Close()
			}
		}
	}
}

// A body of 16 MiB, or of what its route takes, is read and one of a byte more is not, by
// every route that takes one, whether its length is told or not.
func TestBodySize(t *testing.T) {
	s := newShop(t)
	s.config.MCP = http.NotFoundHandler() // is not asked
	h := New(s.config)
	host := strings.TrimPrefix(s.url, "http://")
	before := treeHash(t, s.root)
	tried, step := 0, testenv.Stride(t, 7)
	for _, r := range routes() {
		if r.body == nil && r.takes == nil {
			continue
		}
		most := cmp.Or(r.most, 16<<20)
		for _, typ := range append([]string{"application/json"}, r.takes...) {
			for _, n := range []int64{most, most + 1, 200 << 20} {
				for _, told := range []bool{true, false} {
					if tried++; tried%step > 0 {
						continue
					}
					body := &fill{n, 0x7f} // neither JSON, a zip nor a file that is taken, so that nothing is done
					w := &counted{header: http.Header{}}
					req := s.request(r.method, concrete(strings.Replace(r.path, "{project}", "p", 1))+"?name=q", nil, "Content-Type", typ)
					req.Body, req.ContentLength = io.NopCloser(body), -1
					if told {
						req.ContentLength = n
					}
					h.ServeHTTP(w, req.WithContext(at(t, host)))
					if tooLarge := w.status == http.StatusRequestEntityTooLarge; tooLarge != (n > most) {
						t.Errorf("%s %s (%s) of %d bytes, told %v: %d", r.method, r.path, typ, n, told, w.status)
					}
					if read := n - body.n; read > most+1<<20 || told && n > most && read > 0 {
						t.Errorf("%s %s (%s): %d of %d bytes were read, told %v", r.method, r.path, typ, read, n, told)
					}
				}
			}
		}
	}
	if now := treeHash(t, s.root); now != before || tried < 60 {
		t.Errorf("%d requests; something on disk has changed: %v", tried, now != before)
	}
}

// counted is an answer of which the status alone is kept.
type counted struct {
	header http.Header
	status int
}

func (c *counted) Header() http.Header         { return c.header }
func (c *counted) Write(b []byte) (int, error) { return len(b), nil }
func (c *counted) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}
