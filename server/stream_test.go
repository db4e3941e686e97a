package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/markdown"
	"vibey/server/project"
)

// played is a source that gives its batches, the first one at a time.
type played struct {
	batches [][]hub.Event
	at      time.Time
	closed  bool
}

func (p *played) Next(ctx context.Context) ([]hub.Event, bool) {
	if len(p.batches) == 0 {
		return nil, false
	}
	select {
	case <-ctx.Done():
		return nil, false
	case <-time.After(time.Until(p.at)):
	}
	b := p.batches[0]
	p.batches = p.batches[1:]
	return b, true
}

func (p *played) Close() { p.closed = true }

// screen is a client that counts flushes, and may leave.
type screen struct {
	*httptest.ResponseRecorder
	flushes  int
	gone     bool
	deadline time.Time
}

func (s *screen) Flush() {
	if left := time.Until(s.deadline); left <= slowest-2*deadlineStep || left > slowest {
		panic("flushed with " + left.String() + " left for it")
	}
	s.flushes++
}

func (s *screen) SetReadDeadline(t time.Time) error { return nil }

func (s *screen) SetWriteDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

func (s *screen) Write(p []byte) (int, error) {
	if s.gone {
		return 0, errors.New("gone")
	}
	return s.ResponseRecorder.Write(p)
}

func chunk(whole, open int64, text string) hub.Event {
	return hub.Event{Type: hub.ChunkEvent, Pos: hub.Pos{Whole: whole, Open: open}, Content: text}
}

func TestStreamBeatsWhileSilentAndFlushesABatchOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &played{at: time.Now().Add(40 * time.Second), batches: [][]hub.Event{
			{chunk(10, 1, "a"), chunk(10, 2, "b\n\"")},
			{{Type: hub.ResetEvent}, {Type: hub.DoneEvent, Pos: hub.Pos{Whole: 20}, DialogID: "d", Filename: "f", Status: dialog.Waiting, Needs: dialog.NeedsReply}},
		}}
		w := &screen{ResponseRecorder: httptest.NewRecorder()}
		s := &server{html: markdown.New(nil).HTML}
		if err := s.stream(w, httptest.NewRequest("GET", "/", nil), src); err != nil {
			t.Fatal(err)
		}
		want := ":\n\n:\n\n" +
			"id: 10+1\nevent: chunk\ndata: {\"type\":\"chunk\",\"content\":\"a\"}\n\n" +
			"id: 10+2\nevent: chunk\ndata: {\"type\":\"chunk\",\"content\":\"b\\n\\\"\"}\n\n" +
			"id: 0+0\nevent: reset\ndata: {\"type\":\"reset\"}\n\n" +
			"id: 20+0\nevent: done\ndata: {\"type\":\"done\",\"dialogId\":\"d\",\"filename\":\"f\",\"status\":\"waiting\",\"needs\":\"reply\"," +
			"\"resources\":{\"in\":0,\"out\":0,\"total\":0,\"tools\":0,\"ms\":0}}\n\n"
		if got := w.Body.String(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if w.flushes != 4 || !src.closed {
			t.Errorf("%d flushes for two beats and two batches, closed %v", w.flushes, src.closed)
		}
		if h := w.Header(); h.Get("Content-Type") != eventStream || h.Get("X-Accel-Buffering") != "no" {
			t.Errorf("header %v", h)
		}
	})
}

func TestStreamEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := func() *played {
			return &played{batches: [][]hub.Event{{chunk(0, 1, "a")}, {chunk(0, 2, "b")}, {chunk(0, 3, "c")}}, at: time.Now().Add(time.Hour)}
		}
		s := &server{html: markdown.New(nil).HTML}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		src, w := forever(), &screen{ResponseRecorder: httptest.NewRecorder()}
		s.stream(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx), src)
		if !src.closed || strings.Contains(w.Body.String(), "chunk") {
			t.Errorf("left after a minute: closed %v, %q", src.closed, w.Body)
		}
		src, w = forever(), &screen{ResponseRecorder: httptest.NewRecorder(), gone: true}
		s.stream(w, httptest.NewRequest("GET", "/", nil), src)
		if !src.closed || len(src.batches) != 3 {
			t.Errorf("a broken line was noticed only after %d batches", 3-len(src.batches))
		}
	})
}

// Frames are one line of data each, whatever stands in them.
func TestFramesAreWhole(t *testing.T) {
	s := &server{html: markdown.New(nil).HTML}
	ugly := "a\r\n\r\nevent: x\u2028\u2029\x00\xff\"\\<b>😀"
	clean := strings.ToValidUTF8(ugly, "\ufffd")
	for _, e := range []hub.Event{
		chunk(1, 2, ugly),
		{Type: hub.NoteEvent, Kind: ugly, Text: ugly},
		{Type: hub.ErrorEvent, Kind: "auth", Message: ugly, Code: 401},
		{Type: hub.SectionEvent, DialogID: "d", Filename: "f", Section: &dialog.Section{Role: dialog.User, ID: ugly,
			Meta: dialog.Fields{{Key: "By", Value: ugly}}, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: ugly}}}},
		{Type: hub.ToolEvent, Calls: []hub.Pending{{ID: "c", Tool: "t", Input: `{"a":"\n"}`, InputText: ugly, SHA256: "h"}}},
	} {
		text := string(s.appendFrame(nil, &e))
		lines := strings.Split(text, "\n")
		if len(lines) != 5 || lines[3] != "" || lines[4] != "" || !strings.HasPrefix(lines[2], "data: ") || strings.ContainsAny(text, "\r\u2028") {
			t.Errorf("%s: %q", e.Type, text)
			continue
		}
		var f frame
		if err := json.Unmarshal([]byte(lines[2][len("data: "):]), &f); err != nil || f.Type != e.Type {
			t.Errorf("%s: %v in %s", e.Type, err, lines[2])
		}
		if got := f.Content + f.Text + f.Message; e.Section == nil && e.Calls == nil && got != clean {
			t.Errorf("%s: %q", e.Type, got)
		}
		if e.Calls != nil && f.ToolCalls[0].InputText != clean {
			t.Errorf("call %+v", f.ToolCalls[0])
		}
		if e.Section != nil && (f.Section.ID != clean || f.Section.Meta["By"] != clean || f.Section.Payloads[0].Text != clean) {
			t.Errorf("section %+v", f.Section)
		}
	}
}

// A line of --json is its frame's data but for the HTML.
func TestLinesAreFramesWithoutHTML(t *testing.T) {
	s := &server{html: markdown.New(nil).HTML}
	e := hub.Event{Type: hub.SectionEvent, DialogID: "d", Filename: "f", Section: &dialog.Section{Role: dialog.User, ID: "1",
		Loose: "by hand", Torn: true, Void: true, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "*a*"}}}}
	line := string(AppendEvent(nil, &e, nil))
	sent := string(s.appendFrame(nil, &e))
	_, data, _ := strings.Cut(sent, "data: ")
	if want := strings.Replace(strings.TrimSpace(data), `,"html":"<p><em>a</em></p>\n"`, "", 1); line != want || strings.TrimSpace(data) == want {
		t.Errorf("the line is %s, the frame %s", line, data)
	}
	for _, want := range []string{`"loose":"by hand"`, `"torn":true`, `"void":true`} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
}

func TestProjectStreamTellsOfChanges(t *testing.T) {
	s := newShop(t)
	f := s.follow(s.request("GET", "/project/p/events", nil))
	s.write("p/doc-new.md", "x")
	for {
		fr, ok := f.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		if fr.event != "change" || fr.Type != "change" {
			t.Fatalf("frame %s", fr.data)
		}
		if fr.Kind == "files" && fr.Name == "doc-new.md" {
			break
		}
	}
	s.write("p/dialog-20260216-201100-x-waiting.md", waitingDialog)
	for {
		fr, ok := f.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		if fr.Kind == "dialogs" && fr.DialogID == "20260216-201100-x" {
			break
		}
	}
}

// silent takes a stream and keeps nothing.
type silent struct{ nobody }

func (*silent) Flush() {}

func BenchmarkChunkToWire(b *testing.B) {
	s := &server{html: markdown.New(nil).HTML}
	out := &sse{w: &silent{nobody{h: http.Header{}}}}
	out.ctl = http.NewResponseController(out.w)
	e := chunk(123456, 789, "a token or two of text")
	b.ReportAllocs()
	for b.Loop() {
		out.buf = s.appendFrame(out.buf, &e)
		out.flush()
	}
}

// pipe is a listener with one connection, in memory, so that its time is the bubble's.
type pipe struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conn:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipe) Addr() net.Addr { return &net.TCPAddr{} }

// The limits that keep slow requests and answers away do not end a stream.
func TestStreamOutlivesTheServersLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := project.Open(t.TempDir(), project.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s := &server{Config: Config{Store: store, Log: slog.New(slog.DiscardHandler)}, html: markdown.New(nil).HTML}
		src := &played{at: time.Now().Add(10*time.Minute + time.Second), batches: [][]hub.Event{{chunk(1, 1, "late")}}}
		srv := HTTP(s.run(&route{handle: func(s *server, w http.ResponseWriter, r *http.Request) error {
			if _, err := readBody(w, r); err != nil {
				return err
			}
			return s.stream(w, r, src)
		}}))
		near, far := net.Pipe()
		l := &pipe{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
		l.conn <- far
		go srv.Serve(l)
		io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
		got, err := io.ReadAll(near)
		if err != nil || !strings.Contains(string(got), `"content":"late"`) || strings.Count(string(got), ":\n\n") != 40 {
			t.Errorf("%v after %d beats: %q", err, strings.Count(string(got), ":\n\n"), got)
		}
		srv.Close()
	})
}

// A client that takes nothing is left after slowest, and the turn's source with it.
func TestStreamLeavesAClientThatTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{Config: Config{Log: slog.New(slog.DiscardHandler)}, html: markdown.New(nil).HTML}
		src := &played{at: time.Now(), batches: make([][]hub.Event, 1000)}
		for i := range src.batches {
			src.batches[i] = []hub.Event{chunk(1, 1, strings.Repeat("x", 10_000))}
		}
		left := make(chan time.Duration, 1)
		begin := time.Now()
		srv := HTTP(s.run(&route{handle: func(s *server, w http.ResponseWriter, r *http.Request) error {
			defer func() { left <- time.Since(begin) }()
			return s.stream(w, r, src)
		}}))
		near, far := net.Pipe()
		l := &pipe{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
		l.conn <- far
		go srv.Serve(l)
		io.WriteString(near, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if took := <-left; took > slowest || took < slowest-deadlineStep || !src.closed || len(src.batches) == 0 {
			t.Errorf("left after %v, closed %v", took, src.closed)
		}
		near.Close()
		srv.Close()
	})
}

// dialogOf is a source with one section of so many bytes, and its end.
func dialogOf(size int) *played {
	big := &dialog.Section{Role: dialog.User, ID: "u", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: strings.Repeat("x", size)}}}
	return &played{at: time.Now(), batches: [][]hub.Event{{{Type: hub.SectionEvent, Section: big}, {Type: hub.DoneEvent}}}}
}

// Clients that read nothing of large sections: what is held for them is bounded,
// and one that reads waits for few of them only.
func TestLargeFramesOfClientsThatTakeNothing(t *testing.T) {
	const size, dead = 100_000, 30
	synctest.Test(t, func(t *testing.T) {
		s := &server{Config: Config{Log: slog.New(slog.DiscardHandler)}, html: markdown.New(nil).HTML, large: largeFrames{most: 1 << 20}}
		most := int64(0)
		srv := HTTP(s.run(&route{handle: func(s *server, w http.ResponseWriter, r *http.Request) error {
			return s.stream(w, r, dialogOf(size))
		}}))
		l := &pipe{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
		go srv.Serve(l)
		join := func() net.Conn {
			near, far := net.Pipe()
			l.conn <- far
			io.WriteString(near, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			synctest.Wait()
			s.large.mu.Lock()
			most = max(most, s.large.bytes)
			s.large.mu.Unlock()
			return near
		}
		var conns []net.Conn
		for range dead {
			conns = append(conns, join())
		}
		begin := time.Now()
		got, err := io.ReadAll(join())
		if err != nil || !strings.Contains(string(got), `event: done`) || len(got) < 2*size {
			t.Errorf("%v after %d bytes", err, len(got))
		}
		// Three fit at a time, and all three are cut when others have waited for them.
		if took := time.Since(begin); took > dead/3*patience+patience {
			t.Errorf("waited %v", took)
		}
		if most == 0 || most > 1<<20 {
			t.Errorf("held %d bytes", most)
		}
		for _, c := range conns {
			c.Close()
		}
		srv.Close()
		synctest.Wait()
		if s.large.bytes != 0 || s.large.in.Len() != 0 {
			t.Errorf("%d bytes are held for nobody", s.large.bytes)
		}
	})
}

// A stream whose frame waits long for room is not silent meanwhile, and does not
// wait for a client that has left.
func TestWaitingForRoomKeepsTheLineOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &largeFrames{most: 10}
		at, _, _ := l.try(openStream(&screen{ResponseRecorder: httptest.NewRecorder()}), 10)
		w := &screen{ResponseRecorder: httptest.NewRecorder()}
		out, entered := openStream(w), make(chan func())
		go func() { entered <- l.enter(t.Context(), out, 1) }()
		time.Sleep(3*heartbeat + time.Second)
		synctest.Wait()
		if got := w.Body.String(); got != ":\n\n:\n\n:\n\n" {
			t.Errorf("in three heartbeats %q", got)
		}
		l.leave(at, 10)
		(<-entered)()

		at, _, _ = l.try(openStream(&screen{ResponseRecorder: httptest.NewRecorder()}), 10)
		out.cut()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		l.enter(ctx, out, 1)()
		if l.leave(at, 10); out.err != errCut || l.in.Len() != 0 || l.bytes != 0 {
			t.Errorf("%v, %d bytes held", out.err, l.bytes)
		}
	})
}

// quietAfter is a source with one event, that comes after a while, and silence behind it.
type quietAfter struct{ wait time.Duration }

func (q *quietAfter) Next(ctx context.Context) ([]hub.Event, bool) {
	if q.wait == 0 {
		<-ctx.Done()
		return nil, false
	}
	time.Sleep(q.wait)
	q.wait = 0
	return []hub.Event{chunk(1, 1, "a")}, true
}

func (*quietAfter) Close() {}

// No stream is silent for longer than a heartbeat, whenever it wrote last.
func TestHeartbeatBehindTheLastWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w, begin := &server{}, &screen{ResponseRecorder: httptest.NewRecorder()}, time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*heartbeat-time.Second)
		defer cancel()
		out := openStream(w)
		s.play(ctx, out, &quietAfter{time.Second})
		if beat := out.wrote.Sub(begin); beat != time.Second+heartbeat || !strings.HasSuffix(w.Body.String(), "\n\n:\n\n") {
			t.Errorf("%v after it began, with an event after a second: %q", beat, w.Body)
		}
	})
}

// The window takes a live stream that says nothing for 2 s for that of a server that stalls.
func TestLiveBeatsEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second-1)
		defer cancel()
		w := &screen{ResponseRecorder: httptest.NewRecorder()}
		if err := (&server{}).watchAll(w, httptest.NewRequestWithContext(ctx, "GET", "/live", nil)); err != nil || w.Body.String() != strings.Repeat(":\n\n", 5) {
			t.Errorf("in 5 s %q, %v", w.Body, err)
		}
	})
}

// A stream that breaks says so, and names what the log has.
func TestStreamTellsThatItBroke(t *testing.T) {
	var log strings.Builder
	s := &server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	w := &screen{ResponseRecorder: httptest.NewRecorder()}
	src := &played{at: time.Now(), batches: [][]hub.Event{{chunk(1, 1, "a")}, {{Type: hub.SectionEvent}}}}
	if err := s.stream(w, httptest.NewRequest("GET", "/", nil), src); err != nil {
		t.Fatal(err)
	}
	got := w.Body.String()
	id := regexp.MustCompile(`under ([0-9a-f-]{36})\.`).FindStringSubmatch(got)
	if !strings.Contains(got, "event: chunk") || !strings.Contains(got, "event: error") || id == nil || !strings.Contains(log.String(), id[1]) || !src.closed {
		t.Errorf("%s\n%s", got, &log)
	}
}
