package mcp

import (
	"bytes"
	"strings"
	"sync/atomic"
)

// strays takes the lines off a server's output that are no message, and makes the others
// exact: many servers log
// there, in words or in JSON of their own, and one such line would end the connection. A
// message is a line (the protocol forbids breaks in it) that begins with a brace and names
// jsonrpc.
type strays struct {
	line  []byte                 // read, without its end yet
	first atomic.Pointer[string] // what the first of them begins with
}

// strayMost is how many bytes of the first one are kept.
const strayMost = 2000

// take returns what of b, and of what it kept before, is to be read. long: a line has more
// bytes than a message may have, and nothing behind it is read. It is called by one
// goroutine.
func (s *strays) take(b []byte) (messages []byte, long bool) {
	for line := range bytes.Lines(b) {
		if s.line = append(s.line, line...); len(s.line) > frameMost {
			return messages, true
		}
		text, whole := bytes.CutSuffix(s.line, []byte("\n"))
		switch {
		case !whole:
			continue
		case isMessage(text):
			messages = append(append(messages, exactMessage(text)...), '\n')
		default:
			s.keep(text)
		}
		s.line = nil
	}
	return messages, false
}

// rest is a last line without an end.
func (s *strays) rest() []byte {
	line := s.line
	s.line = nil
	if !isMessage(line) {
		s.keep(line)
		return nil
	}
	return exactMessage(line)
}

func isMessage(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return len(line) > 0 && line[0] == '{' && bytes.Contains(line, []byte(`"jsonrpc"`))
}

func (s *strays) keep(line []byte) {
	text := strings.TrimSpace(string(line))
	if s.first.Load() != nil || text == "" {
		return
	}
	if len(text) > strayMost {
		text = text[:strayMost]
		text = text[:strings.LastIndexAny(text, " \t")+1] + "…" // a part of a key could not be masked
	}
	s.first.Store(&text)
}

// said is what the first of them begins with, "" for none.
func (s *strays) said() string {
	if first := s.first.Load(); first != nil {
		return *first
	}
	return ""
}
