package mcp

import (
	"bytes"
	"strings"
	"sync"
)

// strays takes the lines off a server's output that are no message: many servers log
// there, in words or in JSON of their own, and one such line would end the connection. A
// message is a line (the protocol forbids breaks in it) that begins with a brace and names
// jsonrpc. A longer line than a message may be is given on as it comes, to be refused.
type strays struct {
	line []byte // read, without its end yet
	open bool   // a line that was too long goes on

	mu    sync.Mutex
	first string // what the first of them begins with
}

// strayMost is how many bytes of the first one are kept.
const strayMost = 2000

// take returns what of b, and of what it kept before, is to be read. It is called by one
// goroutine.
func (s *strays) take(b []byte) (messages []byte) {
	for line := range bytes.Lines(b) {
		whole := line[len(line)-1] == '\n'
		if s.open {
			messages, s.open = append(messages, line...), !whole
			continue
		}
		s.line = append(s.line, line...)
		switch long := len(s.line) > frameMost; {
		case !whole && !long:
			continue
		case long || isMessage(s.line):
			messages, s.open = append(messages, s.line...), !whole
		default:
			s.keep(s.line)
		}
		s.line = nil
	}
	return messages
}

// rest is a last line without an end.
func (s *strays) rest() []byte {
	line := s.line
	s.line = nil
	if !isMessage(line) {
		s.keep(line)
		return nil
	}
	return line
}

func isMessage(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return len(line) > 0 && line[0] == '{' && bytes.Contains(line, []byte(`"jsonrpc"`))
}

func (s *strays) keep(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.TrimSpace(string(line))
	if s.first != "" || text == "" {
		return
	}
	if len(text) > strayMost {
		text = text[:strayMost]
		text = text[:strings.LastIndexAny(text, " \t")+1] + "…" // a part of a key could not be masked
	}
	s.first = text
}

// said is what the first of them begins with, "" for none.
func (s *strays) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}
