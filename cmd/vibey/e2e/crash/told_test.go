package crash

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vibey/dialog"
)

// told is what clients were sent, and which calls ran, up to one moment: a crash at
// that moment must not lose it. Its lists only grow.
type told struct {
	project  bool
	sections []toldSection
	text     map[string]string    // dialog -> what was streamed of an answer that is not whole
	done     map[string]bool      // dialogs that were said to be done, and were not woken since
	files    map[string]string    // path -> the hash that was told last
	versions map[string][]string  // path -> the hashes that it had, in order; "" where it was removed
	ran      map[string]bool      // calls whose tool began
	heard    int                  // how many things, for telling one moment from another
	conns    map[string]*answered // what each connection has heard
}

// toldSection is a section as a client was sent it.
type toldSection struct {
	dialog   string
	Role     dialog.Role      `json:"role"`
	ID       string           `json:"id"`
	Payloads []dialog.Payload `json:"payloads"`
}

func newTold() *told {
	return &told{
		text: map[string]string{}, done: map[string]bool{}, files: map[string]string{},
		versions: map[string][]string{}, ran: map[string]bool{}, conns: map[string]*answered{},
	}
}

// now is a copy that does not change any more.
func (t *told) now() *told {
	c := *t
	c.text, c.done, c.files = maps.Clone(t.text), maps.Clone(t.done), maps.Clone(t.files)
	c.versions, c.ran = maps.Clone(t.versions), maps.Clone(t.ran)
	c.sections, c.conns = t.sections[:len(t.sections):len(t.sections)], nil
	return &c
}

// happened takes in an event that changed d.
func (t *told) happened(e event, d *disk) {
	to := e.to
	switch {
	case e.kind == rename && strings.HasSuffix(to, ".md"), e.kind == rename && strings.Contains(to, "/deed/"):
		if id, _, ok := dialog.ParseName(to[strings.LastIndexByte(to, '/')+1:]); ok {
			delete(t.done, id)
			return
		}
		version := dialog.SHA256(d.names[to].text)
		t.versions[to] = append(slices.Clip(t.versions[to]), version)
		for n, call := range writes[to] {
			if n == len(t.versions[to])-1 {
				t.ran[call] = true
			}
		}
	case e.kind == remove:
		t.versions[e.path] = append(slices.Clip(t.versions[e.path]), "")
	}
}

// answered is one connection's answer as far as it came.
type answered struct {
	raw    []byte
	frames int // of an event stream, that were taken in
	whole  bool
}

// hear adds what was written to a connection. Requests to the provider are ignored.
func (t *told) hear(e event) {
	a := t.conns[e.conn]
	if a == nil || strings.HasPrefix(e.text, "HTTP/1.1 ") {
		a = &answered{}
		t.conns[e.conn] = a
	}
	a.raw = append(a.raw, e.text...)
	head, rest, ok := bytes.Cut(a.raw, []byte("\r\n\r\n"))
	if !ok || !bytes.HasPrefix(head, []byte("HTTP/1.1 2")) {
		return
	}
	if bytes.Contains(head, []byte("text/event-stream")) {
		frames := strings.Split(string(unchunked(rest)), "\n\n")
		for ; a.frames < len(frames)-1; a.frames++ {
			t.frame(frames[a.frames])
		}
		return
	}
	if json.Valid(rest) && !a.whole {
		a.whole = true
		t.answer(rest)
	}
}

// unchunked is the body of an answer in chunks, as far as it came.
func unchunked(b []byte) (out []byte) {
	for {
		size, rest, ok := bytes.Cut(b, []byte("\r\n"))
		n, err := strconv.ParseInt(string(size), 16, 64)
		if !ok || err != nil {
			return out
		}
		k := min(int(n), len(rest))
		out = append(out, rest[:k]...)
		if k < int(n) {
			return out
		}
		b = bytes.TrimPrefix(rest[k:], []byte("\r\n"))
	}
}

// frame is one event of a dialog's stream.
func (t *told) frame(text string) {
	_, data, ok := strings.Cut(text, "\ndata: ")
	var f struct {
		Type, Content, DialogID, Status string
		Section                         toldSection
	}
	if !ok || json.Unmarshal([]byte(data), &f) != nil {
		return
	}
	t.heard++
	switch f.Type {
	case "chunk":
		t.text[""] += f.Content // the script has one dialog at a time
	case "section":
		f.Section.dialog = f.DialogID
		t.sections = append(t.sections, f.Section)
		if f.Section.Role == dialog.Assistant {
			delete(t.text, "")
		}
	case "done":
		if f.Status == "done" {
			t.done[f.DialogID] = true
		}
	}
	for _, p := range f.Section.Payloads {
		var r struct {
			Success      bool
			Path, SHA256 string
		}
		if f.Section.Role == dialog.ToolResult && json.Unmarshal([]byte(p.Text), &r) == nil && r.Success && r.SHA256 != "" {
			t.files[projectName+"/"+r.Path] = r.SHA256
		}
	}
}

// answer is one answer in JSON.
func (t *told) answer(b []byte) {
	var a struct{ Name, ETag, DialogID, Status string }
	if json.Unmarshal(b, &a) != nil {
		return
	}
	t.heard++
	switch {
	case a.DialogID != "":
		if a.Status == "done" {
			t.done[a.DialogID] = true
		}
	case a.ETag != "":
		t.files[projectName+"/"+a.Name] = strings.Trim(a.ETag, `"`)
	case a.Name != "":
		t.project = true
	}
}

// However an answer is split into writes, the same is heard.
func TestHear(t *testing.T) {
	chunk := func(s string) string {
		return string("0123456789abcdef"[len(s)/16]) + string("0123456789abcdef"[len(s)%16]) + "\r\n" + s + "\r\n"
	}
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
		chunk("id: 1+0\nevent: section\ndata: {\"type\":\"section\",\"dialogId\":\"d\",") + chunk("\"section\":{\"role\":\"User\",\"id\":\"u\",\"payloads\":[{\"type\":\"input/markdown\",\"text\":\"hi\"}]}}\n\n") +
		chunk("id: 1+2\nevent: chunk\ndata: {\"type\":\"chunk\",\"content\":\"He\"}\n\nid: 1+5\nevent: chunk\ndata: {\"type\":\"chunk\",\"content\":\"llo\"}\n\n") + "0\r\n\r\n"
	for cut := range len(answer) {
		said := newTold()
		for _, part := range []string{answer[:cut], answer[cut:]} {
			said.hear(event{kind: "said", conn: "c", text: part})
		}
		if cut > 0 && cut < len("HTTP/1.1 ") {
			continue // nobody writes half a status line
		}
		if len(said.sections) != 1 || said.sections[0].ID != "u" || said.sections[0].Payloads[0].Text != "hi" || said.text[""] != "Hello" || said.heard != 3 {
			t.Fatalf("cut at %d: heard %+v", cut, said)
		}
	}
	request := newTold()
	request.hear(event{conn: "p", text: strings.Replace(answer, "HTTP/1.1 200 OK", "POST / HTTP/1.1", 1)})
	if request.heard != 0 {
		t.Error("what was said to a provider was taken for an answer")
	}
}
