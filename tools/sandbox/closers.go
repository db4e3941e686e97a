package sandbox

import (
	"io"
	"slices"
	"sync"
)

// closers are the connections and listeners that end with a server or a command.
type closers struct {
	mu     sync.Mutex
	list   []io.Closer
	closed bool
}

// Close closes all of them; add refuses from then on.
func (c *closers) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, one := range c.list {
		one.Close()
	}
	c.list = nil
}

// add reports whether one will be closed with the others: false after Close.
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

// closeWith adds one to each of all. Where one of them is closed already it closes one
// and returns false.
func closeWith(one io.Closer, all []*closers) bool {
	for _, c := range all {
		if !c.add(one) {
			closeNow(one, all)
			return false
		}
	}
	return true
}

// closeNow closes one and takes it out of all.
func closeNow(one io.Closer, all []*closers) {
	one.Close()
	for _, c := range all {
		c.drop(one)
	}
}
