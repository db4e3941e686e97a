package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vibey/tools/disk"
	"vibey/tools/git"
)

// guards look after the repositories below the deeds in which commands run without a
// layer: what one puts where a human's git would run it is undone when it has ended, and
// while a server runs.
type guards struct {
	dir   string // where what stood before is kept for the case of a kill; "" is nowhere
	human git.Human

	mu    sync.Mutex
	deeds map[string]*guard
}

// guard looks after one deed. All commands that run at the same time share what
// stood there before the first of them: what one plants must not be what another
// found.
type guard struct {
	refs int // guarded by guards.mu: it is in use, or about to be

	gate   chan struct{} // full while the deed is looked at; guards what follows
	folder git.Folder
	how    git.Mending
	users  int
	before *git.Standing
	kept   *kept
	owed   bool     // what the last command did could not be undone whole
	undone []string // since the first of the users
}

// lock waits for d.gate.
func (d *guard) lock(ctx context.Context) error {
	select {
	case d.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *guard) unlock() { <-d.gate }

// guarded is one command's use of a guard. Its methods take nil for a command
// without one.
type guarded struct {
	all   *guards
	guard *guard
	from  int           // how much was undone before it began
	stop  func()        // of a server: called when it has ended
	ended chan struct{} // of a server: closed when the looking has ended
	note  string
}

// enter begins to look after the deed of a command, if it has one, and returns
// once that is done or ctx has ended. Where it can't be done the command must not
// run. shielded: it sees the git folders that stand there read-only, see shield.
func (g *guards) enter(ctx context.Context, s Spec, shielded bool) (*guarded, error) {
	if g == nil || s.Deed == "" {
		return nil, nil
	}
	deed, err := filepath.EvalSymlinks(s.Deed)
	if err != nil {
		return nil, err
	}
	d := g.of(deed)
	c, err := g.use(ctx, d, s, shielded)
	if err != nil {
		g.free(d)
		return nil, fmt.Errorf("nothing was run, for the deed can't be guarded against what git would run: %w", err)
	}
	return c, nil
}

// use counts a command among the users of a guard.
func (g *guards) use(ctx context.Context, d *guard, s Spec, shielded bool) (*guarded, error) {
	if err := d.lock(ctx); err != nil {
		return nil, err
	}
	defer d.unlock()
	if s.Home != "" && !slices.Contains(d.folder.Homes, s.Home) {
		d.folder.Homes = append(d.folder.Homes, s.Home)
	}
	how, err := git.Mending{Shared: s.serve != nil, Shielded: shielded}, error(nil)
	if d.users == 0 {
		err = d.begin(ctx, g.dir, how)
	} else {
		d.how, err = d.kept.join(d.how, how)
	}
	if err != nil {
		return nil, err
	}
	d.users++
	c := &guarded{all: g, guard: d}
	if d.users > 1 {
		c.from = len(d.undone)
	}
	return c, nil
}

// of returns the guard of a deed. The caller must free it.
func (g *guards) of(deed string) *guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.deeds == nil {
		g.deeds = map[string]*guard{}
	}
	d := g.deeds[deed]
	if d == nil {
		d = &guard{gate: make(chan struct{}, 1), folder: git.Folder{Dir: deed, Human: g.human}}
		g.deeds[deed] = d
	}
	d.refs++
	return d
}

func (g *guards) free(d *guard) {
	g.mu.Lock()
	if d.refs--; d.refs == 0 && !d.owed {
		delete(g.deeds, d.folder.Dir)
	}
	g.mu.Unlock()
}

// begin takes down what stands in the deed; where a command of another program
// runs, what stood there before that. What a killed program's command left, or
// could not be undone, is undone first. The caller must hold d.gate.
func (d *guard) begin(ctx context.Context, dir string, how git.Mending) (err error) {
	d.undone = nil
	if d.owed {
		if err := d.check(ctx); owed(err) {
			return err
		}
		d.owed = false
	}
	for range 100 { // more only if other programs keep beginning at that moment
		left, err := keep(dir, d.folder.Dir)
		switch {
		case err != nil:
			return err
		case left != nil && left.shared:
			d.kept, d.before = left, &left.Standing
			d.how, err = left.join(left.how, how)
			return err
		case left != nil:
			d.before, d.how, d.folder.Homes = &left.Standing, left.how, append(d.folder.Homes, left.Homes...)
			err := d.check(ctx)
			left.release(!owed(err))
			if owed(err) {
				return err
			}
		}
		d.how = how
		if d.before, err = d.folder.Stand(ctx); err != nil {
			return err
		}
		if dir == "" {
			d.kept = nil
			return nil
		}
		if d.kept, err = publish(dir, record{how, d.folder.Dir, d.folder.Homes, *d.before}); err != nil {
			return fmt.Errorf("what stands in it could not be written down: %w", err)
		}
		if d.kept != nil {
			return nil
		}
	}
	return errors.New("other commands keep beginning there")
}

// maxShield is how many git folders a server may find: each is a mount.
const maxShield = 100

// shield returns the git folders that stand in the deed, for a server at Bwrap: it sees
// them read-only, and so no human's work in them is taken for its own.
func (c *guarded) shield() (paths []string, err error) {
	if c == nil {
		return nil, nil
	}
	for _, name := range c.guard.before.GitFolders() {
		paths = append(paths, filepath.Join(c.guard.folder.Dir, name))
	}
	if paths = outermost(paths); len(paths) > maxShield {
		return nil, fmt.Errorf("there are %d git repositories in deed/, and a server can be kept from those of at most %d: remove some, or move them out", len(paths), maxShield)
	}
	return paths, nil
}

// check undoes what was planted since. The caller must hold d.gate.
func (d *guard) check(ctx context.Context) error {
	undone, err := d.folder.Mend(ctx, d.before, d.how)
	undone = append(undone, tellFailed(err)...)
	d.undone = append(d.undone, undone...)
	return err
}

// leaveLimit is how long a look takes at most after a command, whose own time is
// over, and which may have been stopped.
const leaveLimit = time.Minute

// leave undoes what the command planted, and returns what its outcome is to say of
// that. The command and all of its processes must have ended.
func (c *guarded) leave() (notes []string) {
	if c == nil {
		return nil
	}
	if c.stop != nil {
		c.stop()
		<-c.ended
	}
	d := c.guard
	d.lock(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), leaveLimit)
	defer cancel()
	err := d.check(ctx)
	if d.users--; d.users == 0 {
		d.owed = owed(err)
		d.kept.release(!d.owed)
	}
	if undone := d.undone[c.from:]; len(undone) > 0 {
		notes = append(notes, tell(undone))
	}
	if c.note != "" {
		notes = append(notes, c.note)
	}
	d.unlock()
	c.all.free(d)
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
// and for a twentieth of one processor's time, but at least every five seconds.
const (
	lookEvery = 100 * time.Millisecond
	lookShare = 20
	lookMost  = 5 * time.Second
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
	c.ended = make(chan struct{})
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	go func() {
		defer close(c.ended)
		if guard("looking after the deed of a server", func() error { return c.goOn(ctx, srv) }) != nil {
			srv.cancel()
		}
	}()
}

func (c *guarded) goOn(ctx context.Context, srv *Server) error {
	for caught, pause := 0, lookEvery; caught < strikes; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		begin := time.Now()
		undone, alone, err := c.guard.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		pause = min(max(lookEvery, lookShare*time.Since(begin)), lookMost)
		if len(undone) > 0 {
			srv.output.say(tell(undone))
		}
		if err != nil && err != git.ErrMended {
			c.note = "The server was stopped, because its deed can't be guarded against what git would run: " + disk.Words(err) + "."
			srv.output.say(c.note)
			return err
		}
		if len(undone) > 0 && alone { // else a command could have done it
			caught++
		}
	}
	c.note = "The server was stopped, because it went on writing what git would run."
	srv.output.say(c.note)
	return errors.New(c.note)
}

// look is check with what it undid. alone: no other command runs in the deed.
func (d *guard) look(ctx context.Context) (undone []string, alone bool, err error) {
	if err := d.lock(ctx); err != nil {
		return nil, false, err
	}
	defer d.unlock()
	from := len(d.undone)
	err = d.check(ctx)
	return d.undone[from:], d.users == 1, err
}
