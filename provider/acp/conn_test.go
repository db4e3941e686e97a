package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pair returns two connected sides that serve until the end of the test.
func pair(t *testing.T, a, b Config) (*Conn, *Conn) {
	t.Helper()
	x, y := net.Pipe()
	left, right := NewConn(x, a), NewConn(y, b)
	go left.Serve()
	go right.Serve()
	t.Cleanup(func() {
		left.Close()
		right.Close()
	})
	return left, right
}

// Updates, an answer and what comes behind it are seen in the order in which they were
// sent, however many there are.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		client, _ := pair(t, Config{Handle: func(r *Request) {
			seen = append(seen, r.Method+string(r.Params))
			r.Reply(struct{}{})
		}}, Config{Handle: func(r *Request) {
			for i := range 50 {
				r.c.Notify("update", i)
				r.c.Begin("permission", i, func(json.RawMessage, error) {})
			}
			r.Reply("done")
			r.c.Notify("late", 1)
		}})
		client.Begin("prompt", nil, func(result json.RawMessage, err error) {
			seen = append(seen, fmt.Sprint("answer ", string(result), err))
		})
		synctest.Wait()
		var want []string
		for i := range 50 {
			want = append(want, fmt.Sprint("update", i), fmt.Sprint("permission", i))
		}
		want = append(want, `answer "done"<nil>`, "late1")
		if got := strings.Join(seen, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("seen:\n%s", got)
		}
	})
}

func TestCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, agent := pair(t, Config{Handle: func(r *Request) { r.Fail(Errorf(CodeUnknownMethod, "no %s", r.Method)) }},
			Config{Handle: func(r *Request) {
				var p SessionParams
				if err := r.Decode(&p); err != nil {
					r.Fail(err)
					return
				}
				r.Reply(SessionResult{SessionID: "s of " + p.CWD})
				r.Reply(SessionResult{SessionID: "a second answer"})
			}})
		var got SessionResult
		if err := client.Call(t.Context(), MethodNew, SessionParams{CWD: "/<a>"}, &got); err != nil || got.SessionID != "s of /<a>" {
			t.Errorf("%+v, %v", got, err)
		}
		err := client.Call(t.Context(), MethodNew, 5, nil)
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeInvalidParams {
			t.Errorf("bad params: %v", err)
		}
		err = agent.Call(t.Context(), "x", nil, nil)
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeUnknownMethod {
			t.Errorf("the other direction: %v", err)
		}
	})
}

// A call that is given up tells the other side, whose request then ends; its late
// answer is dropped.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked *Request
		strays := 0
		client, _ := pair(t, Config{Handle: func(*Request) {}, Stray: func([]byte, string) { strays++ }},
			Config{Handle: func(r *Request) { asked = r }})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("stopped")
		var err error
		go func() { err = client.Call(ctx, "wait", nil, nil) }()
		synctest.Wait()
		if asked == nil || asked.Context().Err() != nil {
			t.Fatal("the request is not waiting")
		}
		cancel(why)
		synctest.Wait()
		if err != why || asked.Context().Err() == nil {
			t.Errorf("the call: %v; the request's context: %v", err, asked.Context().Err())
		}
		asked.Reply("late")
		synctest.Wait()
		if strays != 0 || client.Err() != nil {
			t.Errorf("%d strays, %v", strays, client.Err())
		}
	})
}

// The end of the connection ends what waits on both sides.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked *Request
		client, agent := pair(t, Config{Handle: func(*Request) {}}, Config{Handle: func(r *Request) { asked = r }})
		var called, begun error
		go func() { called = client.Call(t.Context(), "wait", nil, nil) }()
		client.Begin("wait", nil, func(_ json.RawMessage, err error) { begun = err })
		synctest.Wait()
		agent.Close()
		synctest.Wait()
		if called != io.EOF || begun != io.EOF || asked.Context().Err() == nil {
			t.Errorf("call %v, begun %v, request %v", called, begun, asked.Context().Err())
		}
		if err := client.Notify("x", nil); err != io.EOF {
			t.Errorf("a notification behind the end: %v", err)
		}
		if _, err := client.Begin("x", nil, func(json.RawMessage, error) { t.Error("done was called") }); err != io.EOF {
			t.Errorf("a request behind the end: %v", err)
		}
		if err := asked.Reply("x"); err != nil {
			t.Errorf("an answer behind the end: %v", err)
		}
	})
}

// What is no message is told and passed over; too much of it, or too long a line, ends
// the connection.
func TestBadLines(t *testing.T) {
	const good = `{"jsonrpc":"2.0","method":"hi"}` + "\n"
	for _, c := range []struct {
		name, in string
		strays   int
		seen     int
		err      error
	}{
		{"bad JSON", "not JSON\n" + good, 1, 1, io.EOF},
		{"a list", "[1,2]\n" + good, 1, 1, io.EOF},
		{"a message of nothing", "{}\n" + good, 1, 1, io.EOF},
		{"an answer to nothing", `{"id":7,"result":1}` + "\n" + good, 1, 1, io.EOF},
		{"an error without an id", `{"id":null,"error":{"code":-32700,"message":"x"}}` + "\n" + good, 1, 1, io.EOF},
		{"blank lines", "\n \r\n" + good, 0, 1, io.EOF},
		{"no line feed at the end", strings.TrimSuffix(good, "\n"), 0, 1, io.EOF},
		{"a flood of bad lines", strings.Repeat("x\n", maxStrays+1) + good, maxStrays, 0, ErrStrays},
		{"as long as may be", `{"method":"` + strings.Repeat("m", maxLine-14) + "\"}\n" + good, 0, 2, io.EOF},
		{"too long", `{"method":"` + strings.Repeat("m", maxLine-13) + "\"}\n" + good, 0, 0, ErrLine},
		{"too long without an end", strings.Repeat("x", maxLine+1), 0, 0, ErrLine},
	} {
		strays, seen := 0, 0
		conn := NewConn(&reader{strings.NewReader(c.in)}, Config{
			Handle: func(*Request) { seen++ },
			Stray:  func([]byte, string) { strays++ },
		})
		if err := conn.Serve(); err != c.err || strays != c.strays || seen != c.seen {
			t.Errorf("%s: %v with %d strays and %d seen; want %v, %d and %d", c.name, err, strays, seen, c.err, c.strays, c.seen)
		}
	}
}

// Raw JSON that is kept is text, whatever came.
func TestInvalidUTF8(t *testing.T) {
	var got json.RawMessage
	conn := NewConn(&reader{strings.NewReader("{\"method\":\"x\",\"params\":\"a\xffb\"}\n")}, Config{Handle: func(r *Request) { got = r.Params }})
	conn.Serve()
	if string(got) != "\"a\uFFFDb\"" {
		t.Errorf("%q", got)
	}
}

type reader struct{ io.Reader }

func (*reader) Write(p []byte) (int, error) { return len(p), nil }
func (*reader) Close() error                { return nil }

// A side that reads nothing does not fill our memory.
func TestNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, y := net.Pipe()
		defer y.Close()
		c := NewConn(x, Config{Handle: func(*Request) {}})
		go c.Serve()
		mega := strings.Repeat("x", 1<<20)
		sent := 0
		for sent = range 200 {
			if err := c.Notify("x", mega); err != nil {
				if err != ErrNotRead {
					t.Error(err)
				}
				break
			}
		}
		if sent < maxQueued>>20 || sent > maxQueued>>20+1 {
			t.Errorf("%d MiB were queued", sent)
		}
	})
}

// A reader that is slow makes who sends wait, and takes no more than there is room for.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, y := net.Pipe()
		c := NewConn(x, Config{Handle: func(*Request) {}})
		go c.Serve()
		var sent atomic.Int32
		go func() {
			for range 100 {
				c.Room(t.Context(), 1000)
				c.Notify("x", strings.Repeat("x", 99))
				sent.Add(1)
			}
		}()
		synctest.Wait()
		if n := sent.Load(); n < 5 || n > 10 {
			t.Fatalf("%d were sent, and none was read", n)
		}
		in := bufio.NewScanner(y)
		for range 100 {
			in.Scan()
		}
		synctest.Wait()
		if n := sent.Load(); n != 100 {
			t.Errorf("%d were sent", n)
		}
		go func() { c.Notify("x", strings.Repeat("x", 2000)); c.Room(t.Context(), 1000); sent.Add(1) }()
		synctest.Wait()
		c.Close()
		synctest.Wait()
		if n := sent.Load(); n != 101 {
			t.Error("the end of the connection did not end the waiting")
		}
	})
}

// The end of the input waits for answers that are due, and not for ever.
func TestEndOfInputWaitsForAnswers(t *testing.T) {
	for _, answer := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var asked *Request
			var out strings.Builder
			c := NewConn(&stream{strings.NewReader(`{"id":7,"method":"x"}` + "\n"), &out}, Config{Handle: func(r *Request) { asked = r }, Linger: time.Second})
			start := time.Now()
			var took atomic.Pointer[time.Duration]
			go func() {
				if err := c.Serve(); err != io.EOF {
					t.Error(err)
				}
				d := time.Since(start)
				took.Store(&d)
			}()
			synctest.Wait()
			c.Notify("y", nil)
			synctest.Wait()
			if took.Load() != nil {
				t.Fatal("it did not wait")
			}
			want := time.Second
			if answer {
				want = 0
				asked.Reply("late")
			} else {
				time.Sleep(want)
			}
			synctest.Wait()
			if d := took.Load(); d == nil || *d != want || strings.Contains(out.String(), "late") != answer {
				t.Errorf("answered %v: it waited %v, and wrote %s", answer, d, out.String())
			}
		})
	}
}

type stream struct {
	io.Reader
	io.Writer
}

func (*stream) Close() error { return nil }

// A side that asks without end is refused what it asks beyond the bound.
func TestTooManyRequests(t *testing.T) {
	var in strings.Builder
	for i := range maxAsked + 2 {
		fmt.Fprintf(&in, `{"id":%d,"method":"x"}`+"\n", i)
	}
	in.WriteString(`{"id":0,"method":"twice"}` + "\n")
	synctest.Test(t, func(t *testing.T) {
		x, y := net.Pipe()
		var kept []*Request
		c := NewConn(x, Config{Handle: func(r *Request) { kept = append(kept, r) }})
		go c.Serve()
		var answers []string
		go func() {
			for s := bufio.NewScanner(y); s.Scan(); {
				answers = append(answers, s.Text())
			}
		}()
		io.WriteString(y, in.String())
		synctest.Wait()
		if len(kept) != maxAsked || len(answers) != 3 || !strings.Contains(answers[2], "requests wait") {
			t.Fatalf("%d handled, answers %q", len(kept), answers)
		}
		kept[0].Reply(1)
		io.WriteString(y, `{"id":"new","method":"x"}`+"\n"+`{"id":"new","method":"x"}`+"\n")
		synctest.Wait()
		if len(kept) != maxAsked+1 || len(answers) != 5 {
			t.Errorf("behind an answer: %d handled, answers %q", len(kept), answers[3:])
		}
		c.Close()
		y.Close()
		synctest.Wait()
	})
}

// What of the params is wrong is said in words.
func TestDecodeInWords(t *testing.T) {
	for params, want := range map[string]string{
		`{"cwd":7}`:                    "the params of m can't be read: cwd must be a text, and is a number",
		`{"cwd":"/","mcpServers":"x"}`: "the params of m can't be read: mcpServers must be a list, and is a string",
		`[]`:                           "the params of m can't be read: they are no object, but an array",
	} {
		var p SessionParams
		if err := (&Request{Method: "m", Params: []byte(params)}).Decode(&p); err == nil || err.Message != want {
			t.Errorf("%s: %v", params, err)
		}
	}
}
