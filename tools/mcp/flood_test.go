package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// webLiar is a server at an address that begins as it should, and answers lists and calls
// with what these write. sent counts the bytes of them that were taken off it.
func webLiar(sent *atomic.Int64, list, call func(w io.Writer, id string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		json.NewDecoder(r.Body).Decode(&m)
		if r.Method != http.MethodPost || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		out := writer(func(b []byte) (int, error) { n, err := w.Write(b); sent.Add(int64(n)); return n, err })
		switch id := string(m.ID); m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"liar","version":"1"}}}`, id)
		case "tools/list":
			list(out, id)
		case "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			call(out, id)
		default:
			http.NotFound(w, r)
		}
	})
}

func oneTool(w io.Writer, id string) {
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"do","inputSchema":{"type":"object"}}]}}`, id)
}

// What a server at an address sends is read up to a bound, in a list, in one answer, and
// in all events together, and what is more is a Fault.
func TestHTTPFloods(t *testing.T) {
	event := "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"" + strings.Repeat("f", 60<<10) + "\"}}\n\n"
	endless := func(w io.Writer, _ string) {
		for n := 0; n < 4000; n++ { // 240 MB
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		list, call func(io.Writer, string)
		want       string
	}{
		"a page of tools": {list: func(w io.Writer, id string) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"_meta":{"a":[%s1]}}}`, id, strings.Repeat("[],", 3<<20))
		}, want: "an answer of it has more than 4 MiB"},
		"events": {list: oneTool, call: endless, want: "32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			m := overAddress(t, webLiar(&sent, c.list, c.call))
			at := Place{Project: "p"}
			_, err := m.List(t.Context(), at, "web")
			if c.call != nil {
				if err != nil {
					t.Fatal(err)
				}
				_, err = m.Call(t.Context(), at, "web", "do", "{}")
			}
			f, ok := errors.AsType[*Fault](err)
			if !ok || !strings.Contains(f.Err, c.want) {
				t.Errorf("%v", err)
			}
			if n := sent.Load(); n > 64<<20 {
				t.Errorf("%d MiB were read", n>>20)
			}
		})
	}
}

// A list with more tools than a server may have is not read to its end.
func TestListIsNotReadToItsEnd(t *testing.T) {
	var sent atomic.Int64
	pages := 0
	m := overAddress(t, webLiar(&sent, func(w io.Writer, id string) {
		var b strings.Builder
		for n := range 1000 {
			fmt.Fprintf(&b, `,{"name":"do-%d-%d","inputSchema":{"type":"object"}}`, pages, n)
		}
		pages++
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"nextCursor":"x%d"}}`, id, b.String()[1:], pages)
	}, nil))
	l, err := m.List(t.Context(), Place{Project: "p"}, "web")
	if err != nil || len(l.Tools) != toolsMost || pages != 1 {
		t.Errorf("%d tools of %d pages, %v", len(l.Tools), pages, err)
	}
}

// A number of a structured result keeps its digits, over pipes and over HTTP, in an answer
// and in an event; what else is there stays as it is.
func TestStructuredKeepsItsDigits(t *testing.T) {
	const want = `{"id":9007199254740993,"a":[1.10,"é\u0041"],"structuredContent":12345678901234567890}`
	result := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"é \"structuredContent\":1"}],"structuredContent":%s}}`, id, want)
	}
	check := func(r Reply, err error) {
		t.Helper()
		if err != nil || string(r.Structured) != want || said(r) != `é "structuredContent":1` {
			t.Errorf("%s %q %v", r.Structured, said(r), err)
		}
	}
	for _, event := range []string{"data: %s\n\n", "event: message\r\ndata:%s\r\n\r\n", "id: 1\ndata: %s\n\n"} {
		var sent atomic.Int64
		m := overAddress(t, webLiar(&sent, oneTool, func(w io.Writer, id string) {
			text := fmt.Sprintf(event, result(id))
			io.WriteString(w, text[:len(text)/2])
			io.WriteString(w, text[len(text)/2:])
		}))
		check(m.Call(t.Context(), Place{Project: "p"}, "web", "do", "{}"))
	}
	var whole any
	if err := json.Unmarshal(exactMessage([]byte(result("7"))), &whole); err != nil {
		t.Error(err)
	}
	pl, m := newPlace(t, Limits{}, "exact")
	check(m.Call(t.Context(), pl.at(false), "exact", "do", "{}"))
}
