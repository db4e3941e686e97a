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
	"vibey/tools/disk/tree"
)

// guards look after the repositories below the deeds in which commands run: what
// a command puts where a human's git would run it is undone when the command has
// ended, and while a server runs.
type guards struct {
	dir   string // where what stood before is kept for the case of a kill; "" is nowhere
	human gitHuman

	mu    sync.Mutex
	deeds map[string]*guard
}

// guard looks after one deed. All commands that run at the same time share what
// stood there before the first of them: what one plants must not be what another
// found.
type guard struct {
	refs int // guarded by guards.mu: it is in use, or about to be

	gate   chan struct{} // full while the deed is looked at; guards what follows
	keeper *gitKeeper
	users  int
	before record
	kept   *kept
	owed   bool     // what the last command did could not be undone whole
	undone []string // since the first of the users
	told   []string // of programs, since then
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

// maxIdle is how many deeds without a command are remembered, so that the next
// command has not to read them whole.
const maxIdle = 8

// guarded is one command's use of a guard. Its methods take nil for a command
// without a deed.
type guarded struct {
	all   *guards
	guard *guard
	from  int           // how much was undone before it began
	told  int           // and how much told
	stop  func()        // of a server: called when it has ended
	ended chan struct{} // of a server: closed when the looking has ended
	note  string

	shielded bool // what the mounts of a command keep from it can only be a human's work
}

// enter begins to look after the deed of a command, if it has one, and returns
// once that is done or ctx has ended. Where it can't be done the command must not
// run.
func (g *guards) enter(ctx context.Context, s Spec) (*guarded, error) {
	if g == nil || s.Deed == "" {
		return nil, nil
	}
	deed, err := filepath.EvalSymlinks(s.Deed)
	if err != nil {
		return nil, err
	}
	d := g.of(deed)
	c, err := g.use(ctx, d, s.Home)
	if err != nil {
		g.free(d)
		return nil, fmt.Errorf("nothing was run, for the deed can't be guarded against what git would run: %w", err)
	}
	return c, nil
}

// use counts a command with that HOME among the users of a guard.
func (g *guards) use(ctx context.Context, d *guard, home string) (*guarded, error) {
	if err := d.lock(ctx); err != nil {
		return nil, err
	}
	defer d.unlock()
	d.keeper.know(home)
	if d.users == 0 {
		if err := d.begin(ctx, g.dir); err != nil {
			return nil, err
		}
	}
	if err := d.keeper.apart(home); err != nil {
		if d.users == 0 {
			d.kept.release(g.dir, true)
			d.kept = nil
		}
		return nil, err
	}
	d.users++
	c := &guarded{all: g, guard: d}
	if d.users > 1 {
		c.from, c.told = len(d.undone), len(d.told)
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
	if g.deeds[deed] == nil {
		for name, other := range g.deeds {
			if len(g.deeds) > maxIdle && other.refs == 0 && !other.owed {
				delete(g.deeds, name)
			}
		}
		k := newGitKeeper(deed)
		k.human = g.human
		g.deeds[deed] = &guard{gate: make(chan struct{}, 1), keeper: k}
	}
	g.deeds[deed].refs++
	return g.deeds[deed]
}

// NamedByGit reports whether git runs the file at a path of a deed, or takes its
// settings from it, because a config, a hook or a link of a human's leads there. name
// is free of links.
func (r *Runner) NamedByGit(ctx context.Context, deed, name string) (bool, error) {
	deed, err := filepath.EvalSymlinks(deed)
	if err != nil {
		return false, err
	}
	d := r.guards.of(deed)
	defer r.guards.free(d)
	if err := d.lock(ctx); err != nil {
		return false, err
	}
	defer d.unlock()
	if d.users == 0 {
		d.keeper.id = folderID{} // whichever folder stands there now
	}
	return d.keeper.names(ctx, name)
}

func (g *guards) free(d *guard) {
	g.mu.Lock()
	d.refs--
	g.mu.Unlock()
}

// begin takes down what stands in the deed; where a command of another program
// runs, what stood there before that. What a killed program's command left, or
// could not be undone, is undone first. The caller must hold d.gate.
func (d *guard) begin(ctx context.Context, dir string) error {
	d.undone, d.told = nil, nil
	for range 100 { // more only if other programs keep beginning at that moment
		if done, err := d.tryBegin(ctx, dir); done || err != nil {
			return err
		}
	}
	return errors.New("other commands keep beginning there")
}

func (d *guard) tryBegin(ctx context.Context, dir string) (done bool, err error) {
	id, err := identify(d.keeper.dir)
	if err != nil {
		return false, err
	}
	var left *kept
	if dir != "" {
		if left, err = keep(dir, d.keeper.dir); err != nil {
			return false, err
		}
	}
	if left != nil {
		d.keeper.know(left.Homes...)
	}
	if left != nil && left.shared {
		if left.folderID != id {
			left.release(dir, false)
			return false, errors.New("a command of another program still runs in a folder that stood at its path before")
		}
		d.kept, d.before, d.keeper.id, d.keeper.humans = left, left.record, id, false
		return true, nil
	}
	if err := d.undoOwed(ctx, left); err != nil {
		left.release(dir, false)
		return false, err
	}
	d.keeper.id, d.keeper.humans = id, false
	d.before = record{Deed: d.keeper.dir, folderID: id, Homes: slices.Clone(d.keeper.homes)}
	if d.before.Standing, err = d.keeper.look(ctx); err != nil {
		left.release(dir, true)
		return false, err
	}
	if dir == "" {
		return true, nil
	}
	if left.tells(d.before) {
		d.kept, err = left.resume()
	} else {
		d.kept, err = publish(dir, d.before, left)
		left.release(dir, err != nil) // its name is the new one's
	}
	if err != nil {
		return false, fmt.Errorf("what stands in it could not be written down: %w", err)
	}
	return d.kept != nil, nil
}

// undoOwed undoes what was not undone before.
func (d *guard) undoOwed(ctx context.Context, left *kept) error {
	switch {
	case left != nil:
		if left.Deed == "" || left.ended {
			left.Deed = d.keeper.dir // where it was never whole, so that no command ran
			return nil
		}
		d.before = left.record
	case !d.owed:
		return nil
	}
	d.keeper.id, d.keeper.humans = d.before.folderID, false // what is gone may have been moved aside
	undone, err := d.keeper.disarm(ctx, d.before.Standing)
	d.tellAll(undone, err)
	if d.owed = owed(err); d.owed {
		return err
	}
	return nil
}

// identify returns which folder stands at a path.
func identify(dir string) (folderID, error) {
	openOwnFolder(dir)
	f, err := tree.OpenDir(dir)
	if err != nil {
		return folderID{}, err
	}
	defer f.Close()
	self, err := f.Self()
	return idOf(self), err
}

// check undoes what was planted since, and returns what was undone, or could not
// be. The caller must hold d.gate.
func (d *guard) check(ctx context.Context) ([]string, error) {
	undone, err := d.keeper.disarm(ctx, d.before.Standing)
	return d.tellAll(undone, err), err
}

// tellAll takes down what a disarming did, and found.
func (d *guard) tellAll(undone []string, err error) []string {
	d.told, d.keeper.told = append(d.told, d.keeper.told...), nil
	undone = append(undone, tellFailed(err)...)
	d.undone = append(d.undone, undone[:min(len(undone), max(0, maxUndone-len(d.undone)))]...)
	return undone
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
	defer d.unlock()
	ctx, cancel := context.WithTimeout(context.Background(), leaveLimit)
	defer cancel()
	_, err := d.check(ctx)
	if d.users--; d.users == 0 {
		d.owed = owed(err)
		d.kept.release(c.all.dir, !d.owed)
		d.kept = nil
	}
	c.all.free(d)
	if undone := d.undone[c.from:]; len(undone) > 0 {
		notes = append(notes, tell(undone))
	}
	if told := d.told[c.told:]; len(told) > 0 {
		notes = append(notes, tellPrograms(told))
	}
	if c.note != "" {
		notes = append(notes, c.note)
	}
	return notes
}

// tell says what was undone: of each a path in the deed, and a few words.
func tell(undone []string) string {
	return "Git would run what stood there, and only a human may put that there: " + inDeed(undone, "; ") + "."
}

// inDeed lists what stands in the deed, each once, and not too many.
func inDeed(names []string, sep string) string {
	const most = 12
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	more := ""
	if len(names) > most {
		more = fmt.Sprintf("%sand %d more", sep, len(names)-most)
		names = names[:most]
	}
	return "deed/" + strings.Join(names, sep+"deed/") + more
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
// can't look at any more. shielded: no mount lets it write the deed's own hooks and
// config.
func (c *guarded) while(srv *Server, shielded bool, guard func(string, func() error) error) {
	if c == nil {
		return
	}
	c.shielded = shielded
	c.guard.lock(context.Background())
	c.guard.keeper.humans = true
	c.guard.unlock()
	c.ended = make(chan struct{})
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	go func() {
		defer close(c.ended)
		if err := guard("looking after the deed of a server", func() error { return c.goOn(ctx, srv) }); err != nil {
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
		undone, alone, err := c.guard.checkOnce(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errFolders) || errors.Is(err, errExits) || errors.Is(err, errCrowded) || errors.Is(err, errOther) {
			c.note = "The server was stopped, because its deed can't be guarded against what git would run: " + disk.Words(err) + "."
			srv.output.say(c.note)
			return err
		}
		pause = min(max(lookEvery, lookShare*time.Since(begin)), lookMost)
		if len(undone) == 0 {
			continue
		}
		srv.output.say(tell(undone))
		if alone && c.blamed(undone) { // else a command could have done it
			caught++
		}
	}
	c.note = "The server was stopped, because it went on writing what git would run."
	srv.output.say(c.note)
	return errors.New(c.note)
}

// blamed reports whether the server could have made any of the undone changes. If its .git
// is shielded (see shieldGit) it could not have made those of .git, and a human did.
func (c *guarded) blamed(undone []string) bool {
	return slices.ContainsFunc(undone, func(u string) bool {
		return !c.shielded || !strings.HasPrefix(u, ".git: ") && !strings.HasPrefix(u, ".git/config: ") && !strings.HasPrefix(u, ".git/hooks: ") && !strings.HasPrefix(u, ".git/hooks/")
	})
}

// checkOnce is check without the lock. alone: no other command runs in the deed.
func (d *guard) checkOnce(ctx context.Context) (undone []string, alone bool, err error) {
	if err := d.lock(ctx); err != nil {
		return nil, false, err
	}
	defer d.unlock()
	undone, err = d.check(ctx)
	return undone, d.users == 1, err
}
