package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// frame is one frame of a stream, as JSON and as it stood on the wire.
type frame struct {
	id   string
	kind string
	raw  string
	data frameData
}

// frameData is the union of what frames say.
type frameData struct {
	Type      string    `json:"type"`
	DialogID  string    `json:"dialogId"`
	Filename  string    `json:"filename"`
	Content   string    `json:"content"`
	Section   section   `json:"section"`
	ToolCalls []call    `json:"toolCalls"`
	Needs     string    `json:"needs"`
	Resources resources `json:"resources"`
	Message   string    `json:"message"`
	Kind      string    `json:"kind"`
	Text      string    `json:"text"`
	Name      string    `json:"name"` // of a change
}

// status is the word of a done frame; in an error's it is a number.
func (f frame) status() string {
	var d struct{ Status string }
	json.Unmarshal([]byte(f.raw), &d) // a number leaves it empty
	return d.Status
}

type resources struct{ In, Out, Total, Tools, MS, Cached, Written, Reasoning int64 }

type section struct {
	Role      string
	ID        string
	Time      string
	Resources resources
	Meta      map[string]string
	Payloads  []struct{ Type, Text string }
	HTML      string
}

// is reports whether a section is another, as it was told. What a busy machine did not
// render in time is shown as it is written, and no difference.
func (s section) is(told section) bool {
	const verbatim = `<pre class="plain">`
	if strings.HasPrefix(s.HTML, verbatim) || strings.HasPrefix(told.HTML, verbatim) {
		s.HTML = told.HTML
	}
	return fmt.Sprint(s) == fmt.Sprint(told)
}

func (s section) text() string {
	if len(s.Payloads) == 0 {
		return ""
	}
	return s.Payloads[0].Text
}

type call struct {
	ID          string
	Name        string // in a frame
	Tool        string // in an answer
	Input       json.RawMessage
	InputText   string
	SHA256      string
	Description string
}

// stream is a text/event-stream that is being read.
type stream struct {
	t    *testing.T
	what string
	res  *http.Response

	mu     sync.Mutex
	frames []frame
	fresh  chan struct{} // closed and replaced at each frame
	over   bool
	err    error // what broke it off
}

// open sends a request whose answer must be a stream.
func (h *host) open(req *http.Request) *stream {
	h.t.Helper()
	s, a := h.try(req)
	if s == nil {
		h.t.Fatalf("%s: no stream but status %d: %s", a.what, a.status, a.text)
	}
	return s
}

// try sends a request whose answer may be a stream or not.
func (h *host) try(req *http.Request) (*stream, answer) {
	h.t.Helper()
	what := req.Method + " " + req.URL.Path
	res, err := client.Do(req)
	if err != nil {
		return nil, answer{h.t, what, 0, nil, err.Error()}
	}
	if res.Header.Get("Content-Type") != "text/event-stream" {
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return nil, answer{h.t, what, res.StatusCode, res.Header, string(b)}
	}
	s := &stream{t: h.t, what: what, res: res, fresh: make(chan struct{})}
	go s.read()
	return s, answer{}
}

func (h *host) post(path string, send any) *stream {
	h.t.Helper()
	return h.open(h.request("POST", path, send))
}

func (h *host) put(path string, send any) *stream {
	h.t.Helper()
	return h.open(h.request("PUT", path, send))
}

// join follows a dialog; last is a Last-Event-ID or "".
func (h *host) join(project, id, last string) *stream {
	h.t.Helper()
	req := h.request("GET", "/project/"+project+"/dialog/"+id+"/stream", nil)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	return h.open(req)
}

// read takes frames until the stream ends.
func (s *stream) read() {
	defer s.res.Body.Close()
	r := bufio.NewReader(s.res.Body)
	var f frame
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			s.mu.Lock()
			if s.over = true; err != io.EOF {
				s.err = err
			}
			close(s.fresh)
			s.mu.Unlock()
			return
		}
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); key {
		case "id":
			f.id = value
		case "event":
			f.kind = value
		case "data":
			f.raw = value
		case "":
			if f.raw != "" {
				s.take(f)
			}
			f = frame{}
		}
	}
}

func (s *stream) take(f frame) {
	err := json.Unmarshal([]byte(f.raw), &f.data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.t.Errorf("%s: a frame's data: %v: %s", s.what, err, f.raw)
	}
	if f.kind != f.data.Type {
		s.t.Errorf("%s: event %q has type %q inside", s.what, f.kind, f.data.Type)
	}
	s.frames = append(s.frames, f)
	close(s.fresh)
	s.fresh = make(chan struct{})
}

// until waits for the first frame, from the n-th on, that ok accepts, and
// returns it and the number behind it.
func (s *stream) until(n int, ok func(frame) bool) (frame, int) {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		s.mu.Lock()
		fresh, over := s.fresh, s.over
		for ; n < len(s.frames); n++ {
			if f := s.frames[n]; ok(f) {
				s.mu.Unlock()
				return f, n + 1
			}
		}
		s.mu.Unlock()
		if over {
			s.t.Fatalf("%s: the stream ended without the frame that was waited for:\n%s", s.what, s)
		}
		select {
		case <-fresh:
		case <-limit.C:
			s.t.Fatalf("%s: no such frame in %v:\n%s", s.what, patience, s)
		}
	}
}

// count is how many frames have come.
func (s *stream) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.frames)
}

// kind waits for the first frame of a type.
func (s *stream) kind(kind string) frame {
	s.t.Helper()
	f, _ := s.until(0, func(f frame) bool { return f.kind == kind })
	return f
}

// wait reads the stream to its end.
func (s *stream) wait() []frame {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		s.mu.Lock()
		fresh, over, frames := s.fresh, s.over, s.frames
		s.mu.Unlock()
		if over {
			return frames
		}
		select {
		case <-fresh:
		case <-limit.C:
			s.t.Fatalf("%s: no end in %v:\n%s", s.what, patience, s)
		}
	}
}

// last is the frame that the stream ended with.
func (s *stream) last() frame {
	s.t.Helper()
	frames := s.wait()
	if len(frames) == 0 {
		s.t.Fatalf("%s: an empty stream", s.what)
	}
	return frames[len(frames)-1]
}

// ends fails the test unless the stream ends with a frame of that type.
func (s *stream) ends(kind string) frame {
	s.t.Helper()
	f := s.last()
	if f.kind != kind {
		s.t.Fatalf("%s: it ended with %q, not %q:\n%s", s.what, f.kind, kind, s)
	}
	return f
}

// text is all that was streamed.
func (s *stream) text() string {
	var b strings.Builder
	for _, f := range s.wait() {
		b.WriteString(f.data.Content)
	}
	return b.String()
}

// close leaves; the turn works on.
func (s *stream) close() { s.res.Body.Close() }

// String is for messages: what came, shortened.
func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, f := range s.frames {
		b.WriteString("  " + f.id + " " + f.raw[:min(len(f.raw), 300)] + "\n")
	}
	return b.String()
}
