package project

import (
	"maps"
	"sync"
	"time"

	"vibey/server/project/folder"
)

// cache keeps what was read of files, by name, for as long as they have the same stamps.
// Without it each is read again. Its zero value is ready for use.
type cache[V any] struct {
	mu    sync.Mutex
	known map[string]cached[V]
}

type cached[V any] struct {
	at    folder.Stamp
	value V
}

// tick is longer than the granularity of file systems' times.
const tick = 20 * time.Millisecond

// get returns what is known of the file of that stamp, or what read returns, with the
// stamp that the file had then.
func (c *cache[V]) get(name string, at folder.Stamp, read func() (V, folder.Stamp, error)) (V, error) {
	if v, ok := c.find(name, at); ok {
		return v, nil
	}
	before := untouched()
	v, at, err := read()
	if err == nil {
		c.keep(name, at, v, before)
	}
	return v, err
}

func (c *cache[V]) find(name string, at folder.Stamp) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[name]
	return k.value, ok && k.at == at
}

// untouched is the last time, by the disk's clock, of a file that can't change any more
// without another stamp. It is asked for before the file is read.
func untouched() int64 { return time.Now().Add(-tick).UnixNano() }

// keep keeps what was read of a file, unless that was written after before.
func (c *cache[V]) keep(name string, at folder.Stamp, value V, before int64) {
	if at.Mtime > before {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]cached[V]{}
	}
	c.known[name] = cached[V]{at, value}
}

// prune forgets files that are not among names, which are all that may be known, as far as
// more than these are.
func (c *cache[V]) prune(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) <= len(names) {
		return
	}
	there := make(map[string]bool, len(names))
	for _, n := range names {
		there[n] = true
	}
	maps.DeleteFunc(c.known, func(name string, _ cached[V]) bool { return !there[name] })
}
