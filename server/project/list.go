package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/caught"
)

// DialogInfo is one dialog of a list.
type DialogInfo struct {
	ID       string
	Status   dialog.Status
	Filename string
	Other    string // a second file of the same dialog, or ""; until one is gone it takes no request
	ModTime  time.Time
	*Summary // shared with the cache
}

// summarized is the summary of a file that was read, as of a dialog of that status.
type summarized struct {
	status dialog.Status
	sum    *Summary
}

// coldReaders is how many files are read at once to summarize them.
const coldReaders = 2

type listed struct {
	found
	id   string
	sum  *Summary
	live bool // sum is of a turn that runs in this process, and not of the file alone
}

func (l *listed) info() DialogInfo {
	return DialogInfo{l.id, l.status, l.name, l.other, l.stamp.ModTime(), l.sum}
}

// Dialogs lists the project's dialogs, the one written last first. It reads only
// those that changed since they were read. Active ones whose lock is free are
// repaired, and wait, also where their file can't be renamed.
func (p *Project) Dialogs() ([]DialogInfo, error) {
	all, err := p.scanDialogs(false)
	if err != nil {
		return nil, fmt.Errorf("list dialogs of %s: %w", p.name, err)
	}
	p.repairOrphans(all)
	p.summarize(all)
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(b.stamp.Mtime, a.stamp.Mtime), strings.Compare(a.name, b.name))
	})
	names, infos := make([]string, len(all)), make([]DialogInfo, len(all))
	for i := range all {
		names[i], infos[i] = all[i].name, all[i].info()
	}
	p.summaries.prune(names)
	p.gaps.prune(names)
	p.paths.prune(names)
	return infos, nil
}

// Dialog returns a dialog's entry of the list. The error is fs.ErrNotExist where there
// is none of that id. Many are told of a change at the same moment: a dialog that is being
// read is read once for all who ask for it as it is.
func (p *Project) Dialog(id string) (DialogInfo, error) {
	at, err := p.find(id)
	if err != nil {
		return DialogInfo{}, err
	}
	read, _ := p.reading.LoadOrStore(at, sync.OnceValue(func() DialogInfo {
		defer p.reading.Delete(at)
		one := []listed{{found: at, id: id, sum: &Summary{Needs: string(dialog.NeedsNone)}}}
		p.repairOrphans(one)
		p.summarize(one)
		return one[0].info()
	}))
	return read.(func() DialogInfo)(), nil
}

// Needs counts the dialogs that wait for a human's decision or Continue, and those
// that are active. It looks at no file of one that is done.
func (p *Project) Needs() (waiting, active int, err error) {
	all, err := p.scanDialogs(true)
	if err != nil {
		return 0, 0, fmt.Errorf("list dialogs of %s: %w", p.name, err)
	}
	p.repairOrphans(all)
	p.summarize(all)
	for i := range all {
		switch l := &all[i]; {
		case l.status == dialog.Active:
			active++
		case l.sum.Needs == string(dialog.NeedsApproval), l.sum.Needs == string(dialog.NeedsContinue):
			waiting++
		}
	}
	return waiting, active, nil
}

// Changed returns when a file of the project came, went, was replaced or renamed last.
func (p *Project) Changed() (_ time.Time, err error) {
	defer wrap(&err, "stat %s", p.name)
	st, err := p.dir.Stat()
	return st.ModTime(), err
}

// scanDialogs stats every dialog's file once, with open only of dialogs that have a
// file which is not done. Of two files of one dialog it takes one as either does.
func (p *Project) scanDialogs(open bool) ([]listed, error) {
	names, err := p.dir.Names()
	if err != nil {
		return nil, err
	}
	if open {
		names = openNames(names)
	}
	all := make([]listed, 0, len(names))
	seen := make(map[string]int, len(names))
	for _, n := range names {
		id, st, ok := dialog.ParseName(n)
		if !ok {
			p.sweepNew(n)
			continue
		}
		at, err := p.dir.Lstat(n)
		if err != nil || !at.Plain {
			continue
		}
		next := listed{found: found{name: n, status: st, stamp: at}, id: id}
		if i, twice := seen[id]; twice {
			all[i].found = p.either(id, all[i].found, next.found)
			continue
		}
		seen[id] = len(all)
		all = append(all, next)
	}
	return all, nil
}

// openNames leaves out the files of dialogs that are done under each of their names.
func openNames(names []string) []string {
	undone := map[string]bool{}
	for _, n := range names {
		if id, st, ok := dialog.ParseName(n); ok && st != dialog.Done {
			undone[id] = true
		}
	}
	return slices.DeleteFunc(names, func(n string) bool {
		id, _, _ := dialog.ParseName(n)
		return !undone[id]
	})
}

// newFor is longer than making a dialog takes.
const newFor = time.Minute

// sweepNew removes what a kill left of a dialog that was being made.
func (p *Project) sweepNew(name string) {
	id := strings.TrimSuffix(name[1:], ".new")
	if newName(id) != name || !dialog.ValidID(id) {
		return
	}
	if st, err := p.dir.Lstat(name); err != nil || !st.Plain || time.Since(st.ModTime()) < newFor {
		return
	}
	lock, err := p.try(id)
	if err != nil {
		return
	}
	defer lock.Release()
	if err := p.dir.Remove(name); err != nil {
		p.store.o.Log.Warn("left-over file", "project", p.name, "name", name, "err", err)
	}
}

// repairOrphans repairs the active dialogs whose lock is free, with one sync of the
// folder for all of them.
func (p *Project) repairOrphans(all []listed) {
	renamed := false
	for i := range all {
		l := &all[i]
		if l.status != dialog.Active || p.Holds(l.id) {
			continue
		}
		p.repairIfFree(l.id, func() error { renamed = true; return nil })
		if at, err := p.find(l.id); err == nil {
			l.found = at
		}
		l.status = p.shownStatus(l.id, l.found)
	}
	if renamed {
		if err := p.dir.Sync(); err != nil {
			p.store.o.Log.Warn("folder not synced", "project", p.name, "err", err)
		}
	}
}

// summarize fills in the summaries, from the cache or the files.
func (p *Project) summarize(all []listed) {
	var cold []*listed
	for i := range all {
		l := &all[i]
		known, ok := p.summaries.find(l.name, l.stamp)
		if l.sum = known.sum; !ok || known.status != l.status {
			l.sum = &Summary{Needs: string(dialog.NeedsNone)}
			cold = append(cold, l)
		}
	}
	before := untouched()
	p.readCold(cold)
	for _, l := range cold {
		if !l.live && !l.sum.Fleeting {
			p.summaries.keep(l.name, l.stamp, summarized{l.status, l.sum}, before)
		}
	}
	for i := range all {
		all[i].noteSecond()
	}
}

// noteSecond says in the summary of a dialog that has two files what a human is to do: one
// that waits needs that, whatever its text says.
func (l *listed) noteSecond() {
	if l.other == "" {
		return
	}
	sum := *l.sum // the cache's stays
	l.sum = &sum
	if l.status == dialog.Waiting {
		sum.Needs = string(dialog.NeedsContinue)
	}
	ending := func(name string) string { return "…" + name[len("dialog-")+len(l.id):] }
	sum.Words = "two files of this dialog are in the folder, " + ending(l.name) + ", which is shown, and " + ending(l.other) +
		"; delete one, or run vibey repair"
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

// renameTries is how often a dialog is looked for whose status changes.
const renameTries = 3

// readSummary summarizes one dialog. One that can't be read is logged, and listed
// without a summary.
func (p *Project) readSummary(l *listed) {
	if l.status == dialog.Active {
		if f := p.holder(l.id); f != nil && f.summarize(l) {
			return
		}
	}
	text, st, err := p.readListed(l)
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < renameTries; try++ { // renamed since it was found
		at, ferr := p.find(l.id)
		if ferr != nil {
			break
		}
		l.found = at
		text, st, err = p.readListed(l)
	}
	if err != nil {
		p.store.o.Log.Warn("dialog not read", "project", p.name, "dialog", l.id, "err", err)
		return
	}
	l.stamp = st
	d := dialog.Parse(text)
	var g dialog.Digest
	g.Extend(d)
	*l.sum = p.store.o.Summarize(p.name, l.id, l.status, d, &g)
}

// readListed reads a dialog as it is shown. Most are small, and read with few calls.
func (p *Project) readListed(l *listed) (text string, st folder.Stamp, err error) {
	if l.stamp.Size <= dialog.SectionMost {
		text, st, err = p.dir.ReadOnce(l.name)
	} else {
		text, _, st, err = p.readShown(l.name)
	}
	return p.certain(l.name, text, st), st, err
}

// summarize is readSummary for the dialog of a turn that runs here, without reading
// it: the cost is that of what came since the last summary, in a dialog of any length.
// It returns false where the file is not as f knows it.
func (f *DialogFile) summarize(l *listed) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.p.dir.Lstat(f.name())
	if f.file == nil || f.st != dialog.Active || err != nil || now != f.at {
		return false
	}
	f.digest.Extend(f.d)
	g := f.digest
	for i := range f.inserted {
		g = g.With(&f.inserted[i])
	}
	if f.open != nil {
		g = f.withOpen(g)
	}
	l.stamp, l.live = now, true
	*l.sum = f.p.store.o.Summarize(f.p.name, f.id, f.st, nil, &g)
	return true
}

// openRead is how much of an open response is read for its last words at most: a longer
// one, which is rare, is listed with the words before it.
const openRead = 256 << 10

// withOpen returns g with the response that is being written, if there are words in it.
func (f *DialogFile) withOpen(g dialog.Digest) dialog.Digest {
	st, err := f.p.dir.Lstat(dialog.OpenName(f.id))
	if err != nil || st.Size > openRead {
		return g
	}
	open, at, err := f.p.readOpen(f.id)
	if err != nil {
		return g
	}
	secs := dialog.CloseOpen(open, f.d, at.ModTime())
	for i := range secs {
		if s := &secs[i]; s.Role == dialog.Assistant && !dialog.IsBlank(s.Text()) {
			g = g.With(s)
			g.Open = true
		}
	}
	return g
}
