package codebase

import (
	"os"
	"slices"
	"sync"
	"time"

	"vibey/tools/disk/tree"
)

// Cache keeps summaries for as long as nothing that they depend on has changed: the
// folders of a deed, by their times, and its manifests. Of an unchanged deed it costs
// one stat for each folder. Its zero value is empty; it may be used from many
// goroutines.
type Cache struct {
	mu   sync.Mutex
	kept map[string]kept
}

type kept struct {
	text   string
	stamps []stamped
}

const (
	// keptMost is how many deeds are kept; each has its stamps, of 64 bytes a folder.
	keptMost = 64
	// settled is how long ago the last change must be for a summary to be kept. A
	// later change within the tick of a file system's clock would leave the same times.
	settled = 2 * time.Second
)

// Summary returns the summary of the deed that is open as root, from the cache if nothing
// has changed. If the deed can't be read the text says so.
func (c *Cache) Summary(root *os.Root) string {
	c.mu.Lock()
	k, ok := c.kept[root.Name()]
	c.mu.Unlock()
	if ok && k.holds(root) {
		return k.text
	}
	begin := time.Now()
	t, err := walk(root, usual)
	if err != nil {
		return Unreadable
	}
	k = kept{t.summary(), t.stamps}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= keptMost {
		c.kept = map[string]kept{}
	}
	delete(c.kept, root.Name())
	if k.settled(begin) {
		c.kept[root.Name()] = k
	}
	return k.text
}

// holds reports whether everything still is as it was.
func (k kept) holds(root *os.Root) bool {
	top, err := tree.Open(root)
	if err != nil {
		return false
	}
	defer top.Close()
	return !slices.ContainsFunc(k.stamps, func(s stamped) bool {
		now, err := top.Stat(s.path)
		return err != nil || now != s.stamp
	})
}

// settled reports whether all changes were long before begin.
func (k kept) settled(begin time.Time) bool {
	return !slices.ContainsFunc(k.stamps, func(s stamped) bool {
		return begin.UnixNano()-max(s.stamp.Mtime, s.stamp.Ctime) < int64(settled)
	})
}
