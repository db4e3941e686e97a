package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// TestHalfOpen opens 2,500 connections that never finish their first request.
// The server goes on answering, keeps the line of one who has shown the token,
// does not spend its descriptors on them, and closes each in the end.
func TestHalfOpen(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	addr := strings.TrimPrefix(h.url, "http://")
	known := dial(t, addr)
	answers := bufio.NewReader(known)
	ask := func() int {
		fmt.Fprintf(known, "GET /projects HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", addr, h.token)
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, err = bufio.NewReader(res.Body).WriteTo(new(strings.Builder))
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode
	}
	if st := ask(); st != 200 {
		t.Fatalf("%d", st)
	}
	var half []net.Conn
	for range 2500 {
		c := dial(t, addr)
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nX-Slow: ", addr)
		half = append(half, c)
	}
	begin := time.Now()
	h.get("/projects").is(200)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("with 2,500 half-open connections an answer takes %v", took)
	}
	if st := ask(); st != 200 {
		t.Errorf("the line that had shown the token: %d", st)
	}
	fds, err := os.ReadDir("/proc/" + strconv.Itoa(h.cmd.Process.Pid) + "/fd")
	if errors.Is(err, fs.ErrPermission) { // the program lets only root look into it
		testenv.Partly(t, testenv.Root)
	} else if err != nil {
		t.Fatal(err)
	}
	if len(fds) > 2200 {
		t.Errorf("%d descriptors are open", len(fds))
	}
	for i, c := range half {
		c.SetReadDeadline(time.Now().Add(patience))
		_, err := bufio.NewReader(c).WriteTo(new(strings.Builder))
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Fatalf("connection %d was not closed", i)
		}
	}
	h.get("/projects").is(200)
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestHugeHeader is refused without being read to its end.
func TestHugeHeader(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	addr := strings.TrimPrefix(h.url, "http://")
	c := dial(t, addr)
	c.SetDeadline(time.Now().Add(patience))
	go fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nX-Huge: %s\r\n\r\n", addr, strings.Repeat("x", 1<<20))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%v %v", res, err)
	}
	h.get("/projects").is(200)
}
