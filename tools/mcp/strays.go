package mcp

import (
	"strings"
	"sync"
)

// strays takes the lines off a server's output that are no message: many servers log
// there, and one such line would end the connection. A message begins with a brace, or
// with a bracket.
type strays struct {
	inside bool // of a line that is kept or skipped
	skips  bool

	mu    sync.Mutex
	first []byte // what the first of them begins with
	whole bool   // no more of it is kept
}

// strayMost is how many bytes of the first one are kept.
const strayMost = 200

// leave moves what is kept to the front of b, and returns its length. It is called by one
// goroutine.
func (s *strays) leave(b []byte) (n int) {
	for _, c := range b {
		if !s.inside && c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			s.inside, s.skips = true, c != '{' && c != '['
		}
		if !s.skips {
			b[n] = c
			n++
		} else {
			s.keep(c)
		}
		if c == '\n' {
			s.inside, s.skips = false, false
		}
	}
	return n
}

func (s *strays) keep(c byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.whole:
	case c == '\n' || len(s.first) == strayMost:
		s.whole = true
	default:
		s.first = append(s.first, c)
	}
}

// said is what the first of them begins with, "" for none.
func (s *strays) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(string(s.first))
}
