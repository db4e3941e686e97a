package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// guards look after the repositories below the deeds in which commands run: what
// a command puts where a human's git would run it is undone when the command has
// ended, and while a server runs.
type guards struct {
	dir string // where what stood before is kept for the case of a kill; "" is nowhere

	mu    sync.Mutex
	deeds map[string]*guard
}

// guard looks after one deed. All commands that run at the same time share what
// stood there before the first of them: what one plants must not be what another
// found.
type guard struct {
	deed string
	refs int // guarded by guards.mu: it is in use, or about to be

	mu     sync.Mutex // held while the deed is looked at
	keeper *gitKeeper
	users  int
	before standing
	kept   *kept
	undone []string // since the first of the users
}

// maxIdle is how many deeds without a command are remembered, so that the next
// command has not to read them whole.
const maxIdle = 8

// guarded is one command's use of a guard. A nil one guards nothing.
type guarded struct {
	all   *guards
	guard *guard
	from  int           // how much was undone before it began
	stop  chan struct{} // of a server: closed when it has ended
	ended chan struct{} // of a server: closed when nobody looks any more
	note  string
}

// enter begins to look after the deed of a command, if it has one.
func (g *guards) enter(s Spec) (*guarded, error) {
	if g == nil || s.Deed == "" {
		return nil, nil
	}
	deed, err := filepath.EvalSymlinks(s.Deed)
	if err != nil {
		return nil, err
	}
	d := g.of(deed)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users == 0 {
		if err := d.begin(g.dir); err != nil {
			g.free(d)
			return nil, fmt.Errorf("the deed can't be looked at: %w", err)
		}
	}
	d.users++
	c := &guarded{all: g, guard: d}
	if d.users > 1 {
		c.from = len(d.undone)
	}
	return c, nil
}

// of returns the guard of a deed, which is not forgotten before free.
func (g *guards) of(deed string) *guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.deeds == nil {
		g.deeds = map[string]*guard{}
	}
	if g.deeds[deed] == nil {
		for name, other := range g.deeds {
			if len(g.deeds) > maxIdle && other.refs == 0 {
				delete(g.deeds, name)
			}
		}
		g.deeds[deed] = &guard{deed: deed, keeper: newGitKeeper(deed)}
	}
	g.deeds[deed].refs++
	return g.deeds[deed]
}

func (g *guards) free(d *guard) {
	g.mu.Lock()
	d.refs--
	g.mu.Unlock()
}

// begin takes down what stands in the deed; where a command of another program
// runs, what stood there before that. What a killed program's command left is
// undone first. The caller must hold d.mu.
func (d *guard) begin(dir string) (err error) {
	d.undone = nil
	left := false
	if d.kept, left = keep(dir, d.deed); left && d.kept.shared {
		d.before = d.kept.Standing
		return nil
	}
	if left {
		d.undone, err = d.keeper.disarm(d.kept.Standing)
	}
	if err == nil {
		d.before, err = d.keeper.look()
	}
	if err != nil {
		d.kept.release(!left)
		return err
	}
	d.kept.write(d.deed, d.before)
	return nil
}

// check undoes what was planted since. The caller must hold d.mu.
func (d *guard) check() []string {
	undone, err := d.keeper.disarm(d.before)
	if err != nil {
		undone = append(undone, fmt.Sprintf(": could not be looked at (%v): don't use git there before you looked at it", err))
	}
	d.undone = append(d.undone, undone[:min(len(undone), max(0, maxUndone-len(d.undone)))]...)
	return undone
}

// leave undoes what the command planted, and returns what there is to tell. The
// command and all of its processes have ended.
func (c *guarded) leave() (notes []string) {
	if c == nil {
		return nil
	}
	if c.stop != nil {
		close(c.stop)
		<-c.ended
	}
	d := c.guard
	d.mu.Lock()
	defer d.mu.Unlock()
	d.check()
	if d.users--; d.users == 0 {
		d.kept.release(true)
	}
	c.all.free(d)
	if undone := d.undone[c.from:]; len(undone) > 0 {
		notes = append(notes, tell(undone))
	}
	if c.note != "" {
		notes = append(notes, c.note)
	}
	return notes
}

// tell says what was undone: of each a path in the deed, and a few words.
func tell(undone []string) string {
	const most = 12
	undone = slices.Compact(slices.Sorted(slices.Values(undone)))
	more := ""
	if len(undone) > most {
		more = fmt.Sprintf("; and %d more", len(undone)-most)
		undone = undone[:most]
	}
	return "Git would run what stood there, and only a human may put that there: deed/" + strings.Join(undone, "; deed/") + more + "."
}

// While a server runs, its deed is looked at again and again: at most so often,
// and for a twentieth of one processor's time.
const (
	lookEvery = 100 * time.Millisecond
	lookShare = 20
	// strikes is how often a server may be caught. What is planted again as soon
	// as it was taken away would stand there most of the time.
	strikes = 3
)

// while goes on looking until leave, for as long as the server runs. It tells the
// server's log, and ends a server that does not stop planting, or whose deed it
// can't look at any more.
func (c *guarded) while(srv *Server, guard func(string, func() error) error) {
	if c == nil {
		return
	}
	c.stop, c.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(c.ended)
		if err := guard("looking after the deed of a server", func() error { return c.goOn(srv) }); err != nil {
			srv.cancel()
		}
	}()
}

func (c *guarded) goOn(srv *Server) error {
	for caught, pause := 0, lookEvery; caught < strikes; {
		select {
		case <-c.stop:
			return nil
		case <-time.After(pause):
		}
		begin := time.Now()
		undone, alone := c.guard.checkOnce()
		pause = max(lookEvery, lookShare*time.Since(begin))
		if len(undone) == 0 {
			continue
		}
		srv.output.say(tell(undone))
		if alone { // else a command could have done it
			caught++
		}
	}
	c.note = "The server was stopped, because it went on writing what git would run."
	srv.output.say(c.note)
	return errors.New(c.note)
}

// checkOnce is check without the lock. alone: no other command runs in the deed.
func (d *guard) checkOnce() (undone []string, alone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.check(), d.users == 1
}

// say adds a line of this program's own to what a server wrote.
func (o *liveOutput) say(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add([]byte("[sandbox] " + text + "\n"))
}
