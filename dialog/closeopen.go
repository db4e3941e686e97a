package dialog

import (
	"strings"
	"time"
)

// CloseOpen returns the sections of an open response whose server was killed, as
// they are to be appended to d: text and reasoning as far as they came, the calls
// that were whole, and "> Stop: interrupted". It returns nil where the response,
// or a part of it, is in d already, or holds nothing. now is the time of the last
// piece. Nothing behind a NUL, which a power cut leaves, is taken: only what
// stands before it was shown so.
func CloseOpen(open string, d *Dialog, now time.Time) []Section {
	open, _, _ = strings.Cut(open, "\x00")
	o := Parse(open)
	if len(o.Sections) == 0 || o.Sections[0].ID == "" {
		return nil
	}
	for i := range o.Sections {
		if s := &o.Sections[i]; d.has(s.Role, s.ID) {
			return nil
		}
	}
	var out []Section
	last := -1
	for i := range o.Sections {
		s, ok := o.Sections[i].interrupted(now)
		if !ok {
			continue
		}
		if s.Role == Assistant {
			last = len(out)
		}
		out = append(out, s)
	}
	if last < 0 {
		last = len(out)
		out = append(out, Section{Role: Assistant, ID: d.awaited(out, now), Time: Span(now, now), Payloads: []Payload{{OutputMarkdown, ""}}})
	}
	out[last].Meta = out[last].Meta.With("Stop", "interrupted")
	return out
}

// interrupted returns s as a whole section of a response that ended here. ok is
// false where too little of it is there to be one.
func (s Section) interrupted(now time.Time) (_ Section, ok bool) {
	if s.lost || !s.Role.spec().response {
		return s, false // damage; a response has no other sections
	}
	cut := s.unclosed || s.bare || s.half || len(s.Payloads) == 0
	if cut && s.Role == ToolRequest {
		return s, false
	}
	if s.bare {
		s.Payloads = nil // cut within its metadata or its fence
	}
	if n := len(s.Payloads); cut && n > 0 && strings.HasPrefix(s.Payloads[n-1].Type, "native/") {
		s.Payloads = s.Payloads[:n-1] // half a native block is no block
	} else if cut && n > 0 && s.Payloads[n-1].Type != s.Role.PayloadType() {
		s.Payloads = s.Payloads[:n-1] // cut within its fence
	}
	if len(s.Payloads) == 0 {
		s.Payloads = []Payload{{s.Role.PayloadType(), ""}}
	}
	start := s.Start()
	if _, err := time.Parse(time.RFC3339, start); err != nil {
		start = FormatTime(now)
	}
	s.Time = start + " - " + FormatTime(now)
	s.Loose = ""
	return s, s.ID != "" && CheckSection(&s) == nil
}

// awaited returns the id of the Assistant that calls of an open response name as
// their parent, but that no section has yet, or a fresh one.
func (d *Dialog) awaited(secs []Section, now time.Time) string {
	for i := range secs {
		id := secs[i].Meta.Get("Parent")
		if secs[i].Role == ToolRequest && id != "" && !d.has(Assistant, id) {
			return id
		}
	}
	return d.NextID(Assistant, now, 0)
}
