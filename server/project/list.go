package project

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vibey/dialog"
	"vibey/tools/caught"
	"vibey/tools/disk"
)

// DialogInfo is one dialog of a list.
type DialogInfo struct {
	ID       string
	Status   dialog.Status
	Filename string
	ModTime  time.Time
	Summary  // Needs is "none" for one that is active or done
}

// cached is the summary of a file with that stamp. racy means that the summary may
// change without another stamp, so that it is not used again: the file was written
// within a tick of being read, or the summary depends on other files too.
type cached struct {
	stamp stamp
	sum   Summary
	racy  bool
}

// tick is longer than the granularity of file systems' times.
const tick = 20 * time.Millisecond

// coldReaders is how many files are read at once to summarize them.
const coldReaders = 2

type listed struct {
	found
	id  string
	sum Summary
}

// Dialogs lists the project's dialogs, the one written last first. It reads only
// waiting ones that changed since the last list. Active ones whose lock is free are
// repaired, and wait.
func (p *Project) Dialogs() ([]DialogInfo, error) {
	all, err := p.scanDialogs()
	if err != nil {
		return nil, fmt.Errorf("list dialogs of %s: %w", p.name, err)
	}
	p.wakeOrphans(all)
	p.summarize(all)
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(b.stamp.mtime, a.stamp.mtime), strings.Compare(a.name, b.name))
	})
	infos := make([]DialogInfo, 0, len(all))
	for i := range all {
		l := &all[i]
		infos = append(infos, DialogInfo{l.id, l.status, l.name, l.stamp.modTime(), l.sum})
	}
	return infos, nil
}

// scanDialogs stats every dialog's file once. Of two files of one dialog it takes
// the newer, as find does.
func (p *Project) scanDialogs() ([]listed, error) {
	names, err := p.dir.names()
	if err != nil {
		return nil, err
	}
	all := make([]listed, 0, len(names))
	seen := make(map[string]int, len(names))
	for _, n := range names {
		id, st, ok := dialog.ParseName(n)
		if !ok {
			p.sweepNew(n)
			continue
		}
		at, err := p.dir.lstat(n)
		if err != nil || !at.plain {
			continue
		}
		next := listed{found: found{name: n, status: st, stamp: at}, id: id}
		if i, twice := seen[id]; twice {
			if next.newer(all[i].found) {
				all[i] = next
			}
			continue
		}
		seen[id] = len(all)
		all = append(all, next)
	}
	return all, nil
}

// newFor is longer than making a dialog takes.
const newFor = time.Minute

// sweepNew removes what a kill left of a dialog that was being made.
func (p *Project) sweepNew(name string) {
	if id := strings.TrimSuffix(name[1:], ".new"); newName(id) != name || !dialog.ValidID(id) {
		return
	}
	if st, err := p.dir.lstat(name); err != nil || !st.plain || time.Since(st.modTime()) < newFor {
		return
	}
	file, err := p.lockPlain(name)
	if err != nil {
		return
	}
	defer disk.Unlock(file)
	if err := p.dir.root.Remove(name); err != nil {
		p.store.o.Log.Warn("left-over file", "project", p.name, "name", name, "err", err)
	}
}

// wakeOrphans repairs the active dialogs whose lock is free, with one sync of the
// folder for all of them.
func (p *Project) wakeOrphans(all []listed) {
	renamed := false
	for i := range all {
		l := &all[i]
		if l.status != dialog.Active || p.Holds(l.id) {
			continue
		}
		p.touch(l.id, func() error { renamed = true; return nil })
		if at, err := p.find(l.id); err == nil {
			l.found = at
		}
	}
	if renamed {
		if err := p.dir.sync(); err != nil {
			p.store.o.Log.Warn("folder not synced", "project", p.name, "err", err)
		}
	}
}

// summarize fills in the summaries of waiting dialogs, from the cache or the files.
func (p *Project) summarize(all []listed) {
	old := map[string]cached{}
	if m := p.summaries.Load(); m != nil {
		old = *m
	}
	var cold []*listed
	waiting := 0
	for i := range all {
		l := &all[i]
		l.sum.Needs = string(dialog.NeedsNone)
		if l.status != dialog.Waiting {
			continue
		}
		waiting++
		if c, ok := old[l.name]; ok && c.stamp == l.stamp && !c.racy {
			l.sum = c.sum
			continue
		}
		cold = append(cold, l)
	}
	if len(cold) == 0 && waiting == len(old) {
		return
	}
	now := time.Now().Add(-tick).UnixNano() // the disk's time, not that of o.Now
	p.readCold(cold)
	next := make(map[string]cached, waiting)
	for i := range all {
		if l := &all[i]; l.status == dialog.Waiting {
			next[l.name] = cached{l.stamp, l.sum, l.sum.Fleeting || l.stamp.mtime > now}
		}
	}
	p.summaries.Store(&next)
}

func (p *Project) readCold(cold []*listed) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(coldReaders, len(cold)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(cold) {
					return
				}
				// After a panic the dialog is listed without a summary.
				caught.Logged(p.store.o.Log, "the summary of "+cold[i].name, func() { p.readSummary(cold[i]) })
			}
		})
	}
	wg.Wait()
}

// readSummary reads one file and summarizes it. One that can't be read is logged,
// and listed without a summary.
func (p *Project) readSummary(l *listed) {
	text, st, err := p.dir.readOnce(l.name)
	if err != nil {
		p.store.o.Log.Warn("dialog not read", "project", p.name, "dialog", l.id, "err", err)
		return
	}
	l.stamp = st
	l.sum = p.store.o.Summarize(p.name, l.id, text, l.status)
}
