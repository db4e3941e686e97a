package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Body is one request that a Mock got.
type Body struct {
	API  string `json:"api"` // messages, responses, chat
	Text string `json:"text"`
	// Fault says what Validate found, "" for a legal one.
	Fault string `json:"fault,omitempty"`
}

// Mock is a scripted provider: an http.Handler for {/v1}/messages,
// /responses, /chat/completions and /models, for /_bodies, which gives the
// recorded requests as JSON and forgets them at DELETE, and for PUT /_script.
type Mock struct {
	mu     sync.Mutex
	script Script
	bodies []Body
	struck map[*Fault]int
	left   int
}

// New returns a Mock that plays s.
func New(s Script) *Mock { return &Mock{script: s, struck: map[*Fault]int{}} }

// Bodies returns the requests so far in the order of their arrival.
func (m *Mock) Bodies() []Body {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Body{}, m.bodies...)
}

// Left returns how many streams their client left before their end.
func (m *Mock) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// Reset forgets the recorded requests.
func (m *Mock) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = nil
}

// Play replaces the script.
func (m *Mock) Play(s Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = s
}

func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case path == "/_bodies" && r.Method == http.MethodDelete:
		m.Reset()
	case path == "/_bodies":
		writeJSON(w, http.StatusOK, m.Bodies())
	case path == "/_script" && r.Method == http.MethodPut:
		var s Script
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.Play(s)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		m.models(w, r)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/messages"):
		m.answer(w, r, "messages")
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/chat/completions"):
		m.answer(w, r, "chat")
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		m.answer(w, r, "responses")
	default:
		refuse(w, &Fault{Status: http.StatusNotFound, Type: "not_found_error", Message: "no such path: " + r.Method + " " + r.URL.Path})
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// refuse answers with an error body that both families of API can read.
func refuse(w http.ResponseWriter, f *Fault) {
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	writeJSON(w, f.Status, map[string]any{
		"type":  "error",
		"error": map[string]any{"type": f.kind(), "code": f.kind(), "message": f.words()},
	})
}

func (f *Fault) words() string {
	if f.Message == "" {
		return "a fault that the script asks for"
	}
	return f.Message
}

func (f *Fault) kind() string {
	switch {
	case f.Type != "":
		return f.Type
	case f.Status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case f.Status == http.StatusUnauthorized:
		return "authentication_error"
	case f.Status == 529:
		return "overloaded_error"
	case f.Status == http.StatusBadRequest:
		return "invalid_request_error"
	}
	return "api_error"
}

// allowed reports whether the request carries the script's key, and answers if not.
func (m *Mock) allowed(w http.ResponseWriter, r *http.Request) bool {
	m.mu.Lock()
	key := m.script.Key
	m.mu.Unlock()
	if key == "" || r.Header.Get("X-Api-Key") == key || r.Header.Get("Authorization") == "Bearer "+key {
		return true
	}
	refuse(w, &Fault{Status: http.StatusUnauthorized, Message: "the key is not the one that the script asks for"})
	return false
}

func (m *Mock) models(w http.ResponseWriter, r *http.Request) {
	if !m.allowed(w, r) {
		return
	}
	m.mu.Lock()
	names := m.script.Models
	m.mu.Unlock()
	if len(names) == 0 {
		names = []string{"mock-1"}
	}
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
		Type   string `json:"type"`
	}
	data := []model{}
	for _, n := range names {
		data = append(data, model{n, "model", "model"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data, "has_more": false})
}

func (m *Mock) answer(w http.ResponseWriter, r *http.Request, api string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !m.allowed(w, r) {
		return
	}
	fault := ""
	if err := Validate(api, body); err != nil {
		fault = err.Error()
	}
	m.mu.Lock()
	m.bodies = append(m.bodies, Body{api, string(body), fault})
	lenient := m.script.Lenient
	m.mu.Unlock()
	if fault != "" && !lenient {
		refuse(w, &Fault{Status: http.StatusBadRequest, Message: fault})
		return
	}
	q, err := survey(api, body)
	if err != nil {
		refuse(w, &Fault{Status: http.StatusBadRequest, Message: err.Error()})
		return
	}
	m.mu.Lock()
	refusal := m.script.NoTools
	m.mu.Unlock()
	if refusal != nil && q.tools {
		refuse(w, refusal)
		return
	}
	m.reply(w, r, api, q)
}

// reply plays the reply that is due for a request.
func (m *Mock) reply(w http.ResponseWriter, r *http.Request, api string, q request) {
	m.mu.Lock()
	replies := m.script.replies(q.first)
	reply := Reply{Text: "The script has no further reply."}
	if q.responses < len(replies) {
		reply = replies[q.responses]
	}
	if q.mute {
		reply = Reply{Text: Honestly}
	}
	var fault *Fault
	if f := reply.Fault; f != nil {
		if m.struck[f]++; f.Times == 0 || m.struck[f] <= f.Times {
			fault = f
		}
	}
	m.mu.Unlock()
	if fault != nil && fault.Kind == "status" {
		refuse(w, fault)
		return
	}
	reply.complete(q)
	if !pause(r, reply.FirstMS) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	s := &stream{w: w, rc: http.NewResponseController(w), r: r, api: api, fault: fault}
	defer func() {
		if r.Context().Err() != nil {
			m.mu.Lock()
			m.left++
			m.mu.Unlock()
		}
	}()
	defer s.end()
	switch api {
	case "messages":
		s.messages(&reply, q)
	case "responses":
		s.responses(&reply, q)
	default:
		s.chat(&reply, q)
	}
}

// complete fills in what a reply leaves to the mock.
func (p *Reply) complete(q request) {
	calls := append([]Call(nil), p.Calls...)
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d_%d", q.responses+1, i+1)
		}
	}
	p.Calls = calls
	if p.Chunk <= 0 {
		p.Chunk = 12
	}
	if p.Usage == nil {
		p.Usage = &Usage{In: q.bytes / 4, Out: 1 + (len(p.Text)+len(p.Reasoning))/4}
	}
}

// pause waits, and reports whether the client is still there.
func pause(r *http.Request, ms int) bool {
	if ms <= 0 {
		return r.Context().Err() == nil
	}
	t := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
