package sandbox

import (
	"slices"
	"sync"
	"time"
)

// spares are walls that were built before their command is known: while the
// command before it runs, or the model thinks. A mount namespace with its helper
// takes most of a short command's time.
//
// A spare is used if the walls that are wanted now would be the same to the last
// byte, and the files and folders of their basis are the same. What else could
// matter has to be in the layout, or the walls are built anew.
type spares struct {
	most int

	mu   sync.Mutex
	list []*spare // the oldest first
}

// spare is one of them. Until it is made it has nothing but its key.
type spare struct {
	key     spareKey
	begun   time.Time
	layout  *layout
	basis   []identity
	command *launched
	expiry  *time.Timer
	made    chan struct{} // closed once it is made, or could not be
}

// spareKey is which commands a spare is for: a Spec but for the command itself and its
// limit, which begins with it.
type spareKey struct {
	dir, home, project, deed string
	network, readOnly, git   bool
	layer, tried             bool
}

func (s Spec) key() spareKey {
	return spareKey{s.Dir, s.Home, s.project(), s.Deed, s.Network, s.ReadOnly, s.Git, s.Layer, s.Tried}
}

// spareLife is how long a spare waits for its command. A model seldom thinks longer.
const spareLife = 30 * time.Second

// rush is how soon after a spare was begun its command comes where several follow
// each other at once: then two are made, for one may not be ready in time.
const rush = 50 * time.Millisecond

// ready returns the first process of a command, which waits within its walls or has
// its command already, what the walls are made of, and how many spares such a command
// should have.
func (r *Runner) ready(s Spec) (c *launched, l *layout, spares int, err error) {
	l, err = r.walls.look(s)
	if err != nil {
		return nil, nil, 0, err
	}
	if !l.waits || len(l.plan.Listen) > 0 { // servers come and go
		c, err = r.launch(l, s)
		return c, l, 0, err
	}
	for sp := r.spares.take(s.key()); sp != nil; sp = r.spares.take(s.key()) {
		if !sp.fits(l) {
			sp.drop()
			continue
		}
		if time.Since(sp.begun) < rush {
			return sp.command, l, 2, nil
		}
		return sp.command, l, 1, nil
	}
	c, err = r.launch(l, s)
	return c, l, 1, err
}

// take takes the oldest spare with that key off the list, or returns nil.
func (p *spares) take(key spareKey) *spare {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.list, func(sp *spare) bool { return sp.key == key && sp.command != nil })
	if i < 0 {
		return nil
	}
	sp := p.list[i]
	sp.expiry.Stop()
	p.list = slices.Delete(p.list, i, i+1)
	return sp
}

// fits reports whether the spare's walls are those of a layout, still whole.
func (sp *spare) fits(l *layout) bool {
	select {
	case <-sp.command.process.exited:
		return false
	default:
	}
	return sp.layout.equal(l) && slices.Equal(sp.basis, l.identities())
}

// prepare builds walls of l for the next commands like s, so that there are so many.
func (r *Runner) prepare(s Spec, l *layout, want int) {
	s.Command = ""
	for sp := r.spares.begin(s.key(), want); sp != nil; sp = r.spares.begin(s.key(), want) {
		go r.config.Guard("preparing a command", func() error {
			made := spare{layout: l}
			defer func() { r.spares.put(sp, made) }()
			var err error
			if made.command, err = r.launch(l, s); err == nil {
				made.basis = l.identities()
			}
			return nil // where there is an error, the command itself will meet it
		})
	}
}

// begin puts a spare that is about to be made on the list; nil where there are as
// many with that key as are wanted.
func (p *spares) begin(key spareKey, want int) *spare {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, sp := range p.list {
		if sp.key == key {
			n++
		}
	}
	if n >= min(want, p.most) {
		return nil
	}
	sp := &spare{key: key, begun: time.Now(), made: make(chan struct{})}
	p.list = append(p.list, sp)
	return sp
}

// put fills in a spare that was made, or takes it off the list where it could not be.
// Where there are more than p.most, the oldest ends.
func (p *spares) put(sp *spare, made spare) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer close(sp.made)
	i := slices.Index(p.list, sp)
	sp.layout, sp.command, sp.basis = made.layout, made.command, made.basis
	switch {
	case i < 0: // its project has ended, and who ended it waits
		return
	case made.command == nil:
		p.list = slices.Delete(p.list, i, i+1)
		return
	}
	sp.expiry = time.AfterFunc(spareLife, func() {
		if p.remove(sp) {
			sp.drop()
		}
	})
	for oldest := p.list[0]; len(p.list) > p.most && oldest.command != nil; oldest = p.list[0] {
		oldest.expiry.Stop()
		oldest.drop()
		p.list = slices.Delete(p.list, 0, 1)
	}
}

// remove takes a spare off the list, if it is still there.
func (p *spares) remove(sp *spare) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.list, sp)
	if i >= 0 {
		p.list = slices.Delete(p.list, i, i+1)
	}
	return i >= 0
}

// end ends the spares of a project, or all where project is "", and returns when
// nothing of them is left. One that is being made ends once it is.
func (p *spares) end(project string) {
	var ended []*spare
	p.mu.Lock()
	p.list = slices.DeleteFunc(p.list, func(sp *spare) bool {
		of := project == "" || sp.key.project == project
		if of {
			ended = append(ended, sp)
		}
		if of && sp.command != nil {
			sp.expiry.Stop()
		}
		return of
	})
	p.mu.Unlock()
	for _, sp := range ended {
		if <-sp.made; sp.command != nil {
			sp.command.end()
		}
	}
}

// drop ends a spare that was taken off the list, without waiting.
func (sp *spare) drop() {
	go sp.command.guard("ending a spare", func() error { sp.command.end(); return nil })
}
