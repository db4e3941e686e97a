package e2e

import (
	"strings"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// file is a call that writes a file of its own name.
func file(id string) providertest.Call {
	return providertest.Call{ID: id, Name: "write_file", Args: providertest.Args(`{"path":"deed/` + id + `","content":"x"}`)}
}

// TestVerbs: allow runs, deny answers unasked, ask asks again; a prompt and a
// status answer what is open.
func TestVerbs(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "1", Calls: []providertest.Call{file("a")}},
		{Text: "2", Calls: []providertest.Call{file("b")}},
		{Text: "3"},
		{Text: "4", Calls: []providertest.Call{file("c")}},
		{Text: "5", Calls: []providertest.Call{file("d")}},
		{Text: "6", Calls: []providertest.Call{file("e"), file("f"), file("g")}},
		{Text: "7", Calls: []providertest.Call{file("h")}},
		{Text: "8", Calls: []providertest.Call{file("i")}},
	}}))
	h.make("p")
	id := h.post(dialogPath, body{"provider": "claude", "prompt": "go"}).ends("tool_request").data.DialogID
	put := func(send body, end string) {
		t.Helper()
		send["dialogId"] = id
		h.put(dialogPath, send).ends(end)
	}
	ran := func(want string) {
		t.Helper()
		var got []string
		for _, name := range h.names("p", "deed") {
			if len(name) == 1 {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, ""); s != want {
			t.Errorf("ran %s, want %s", s, want)
		}
	}
	put(body{"control": "allow write_file"}, "done") // a, and b unasked
	ran("ab")
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "deny write_file\nallow write_file"}).is(200) // deny beats allow
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "ask write_file"}).is(200)                    // and the last one wins
	put(body{"prompt": "on"}, "tool_request")
	ran("ab")
	h.ask("PUT", dialogPath, body{"dialogId": id, "status": "done"}).is(200) // denies c first
	if st := h.look("p", id); st.Status != "done" || len(st.Pending) > 0 || !strings.HasSuffix(st.roles(), "Tool Request, Tool Result/denied") {
		t.Errorf("%s: %s", st.Status, st.roles())
	}
	put(body{"prompt": "wake up"}, "tool_request") // and then d
	// Decide, deny the rest, the message, and then run.
	put(body{"control": "d approve", "prompt": "and go on"}, "tool_request")
	ran("abd")
	put(body{"control": "e approve\nf deny", "prompt": "and again"}, "tool_request")
	ran("abde")
	st := h.look("p", id)
	for call, status := range map[string]string{"e": "approved", "f": "denied", "g": "denied"} {
		if r, _ := st.find("Tool Result", call); r.Meta["Status"] != status {
			t.Errorf("%s: %+v", call, r)
		}
	}
	// The message is in the file before what was approved runs.
	if !strings.HasSuffix(st.roles(), "Tool Result/denied, Tool Result/denied, User, Note/started, Tool Result/approved, Assistant, Tool Request") {
		t.Errorf("decisions, message and result stand so: %s", st.roles())
	}
	// A standing deny answers unasked.
	put(body{"control": "h deny\ndeny write_file"}, "done")
	if r, _ := h.look("p", id).find("Tool Result", "i"); r.text() != `{"success":false,"error":"Denied by user"}` {
		t.Errorf("a standing deny: %+v", r)
	}
	ran("abde")
	h.bodies("")
	h.checked()
}

// TestFaults: whatever a provider does wrong is told, keeps what came, and one
// continue is enough to go on.
func TestFaults(t *testing.T) {
	testenv.Slow(t)
	text := "One two three four five six seven eight nine ten."
	for name, c := range map[string]struct {
		reply providertest.Reply
		kind  string // of the error; "" where retries mend it
		keeps bool
	}{
		"busy once":   {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "status", Status: 529, Times: 1}}, "", false},
		"wrong key":   {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "status", Status: 401, Times: 1}}, "auth", false},
		"no credit":   {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "status", Status: 402, Times: 1}}, "*", false},
		"long wait":   {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "status", Status: 429, RetryAfter: "3600", Times: 1}}, "*", false},
		"cut":         {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "cut", After: 6, Times: 1}}, "*", true},
		"no terminal": {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "end", After: 6, Times: 1}}, "*", true},
		"malformed":   {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "malformed", After: 6, Times: 1}}, "*", true},
		"error event": {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "error", After: 6, Times: 1, Message: "it is broken"}}, "*", true},
		"stall":       {providertest.Reply{Text: text, Fault: &providertest.Fault{Kind: "stall", After: 6, Times: 1}}, "idle", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			idle := "1m" // a busy machine is slower than any that is short
			if c.kind == "idle" {
				idle = "2s"
			}
			for _, provider := range providers {
				fault := *c.reply.Fault
				reply := c.reply
				reply.Fault, reply.Chunk = &fault, 5
				h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{reply, {Text: "I went on."}}}), "--idle", idle)
				h.make("p")
				s := h.post(dialogPath, body{"provider": provider, "model": "m", "prompt": "go"})
				f := s.last()
				if c.kind == "" {
					if f.kind != "done" || s.text() != text {
						t.Errorf("%s: %q, then %s", provider, s.text(), f.raw)
					}
					continue
				}
				if f.kind != "error" || f.data.Message == "" || f.data.Kind == "" || c.kind != "*" && f.data.Kind != c.kind {
					t.Errorf("%s: the stream ended with %s", provider, f.raw)
				}
				if strings.Contains(f.data.Message, "key-of-") {
					t.Errorf("%s: the key is told: %s", provider, f.raw)
				}
				id := s.wait()[0].data.DialogID
				st := h.look("p", id)
				if st.Status != "waiting" || st.Needs != "continue" || c.keeps && (s.text() == "" || lastAssistant(st).text() != s.text()) {
					t.Errorf("%s: %s, needs %s, shown %q, kept %q", provider, st.Status, st.Needs, s.text(), lastAssistant(st).text())
				}
				h.put(dialogPath, body{"dialogId": id, "continue": true}).ends("done")
				h.bodies("")
				h.checked()
				h.kill(syscall.SIGKILL)
			}
		})
	}
}
