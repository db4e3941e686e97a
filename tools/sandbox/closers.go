package sandbox

import (
	"io"
	"slices"
	"sync"
)

// closers is what is to be closed with something else: a server, or a command.
type closers struct {
	mu     sync.Mutex
	list   []io.Closer
	closed bool
}

// Close closes what is kept, and whatever is to be kept from then on.
func (c *closers) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, one := range c.list {
		one.Close()
	}
	c.list = nil
}

func (c *closers) add(one io.Closer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.list = append(c.list, one)
	}
	return !c.closed
}

func (c *closers) drop(one io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(o io.Closer) bool { return o == one })
}

// closeWith lets one be closed with each of all; false, and closed, where one of them
// is closed already.
func closeWith(one io.Closer, all []*closers) bool {
	for _, c := range all {
		if !c.add(one) {
			closeNow(one, all)
			return false
		}
	}
	return true
}

// closeNow closes one and lets it go.
func closeNow(one io.Closer, all []*closers) {
	one.Close()
	for _, c := range all {
		c.drop(one)
	}
}
