// Package codebase says in a few lines what a deed holds, so that an agent finds its
// common files without a search:
//
//	[CODEBASE — deed/]
//	Read this first: …
//	Framework: Next.js 16.2.0 (App Router), React 19.2.0, TypeScript
//	Package manager: npm (deed/package-lock.json)
//	Entry points:
//	- deed/src/app/page.tsx (home page)
//
// A summary is a function of the names in the deed and of its manifests (package.json,
// go.mod, …). It has at most Most bytes. What it takes from the deed is names, versions
// and nothing else: the deed is material, and no text of it reaches the system text.
//
// The words of this package: a manifest says what a part of the deed is made with; a
// part is the folder of one, with what lies below it; an entry point is a file at which
// reading begins.
// Source: vibey/vibey/doc-reference.md, "A turn".
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

// Most is how many bytes a summary has at most.
const Most = 1500

const (
	title = "[CODEBASE — deed/]\n"
	first = "Read this first: you should not need list_files or search_files to find common files. " +
		"Look around only in folders that are not listed here."
	bare = "Paths are relative to the project: those of the deed begin with `deed/`." // no file serves as an example
)

// Empty is the summary of a deed without files.
const Empty = title + "Empty; ready for a first file."

// Unreadable is the summary of a deed that can't be opened.
const Unreadable = title + "It can't be read at this time. " + bare
