// Package sandbox runs shell commands so that they end: within their time,
// with bounded output, and with nothing of them left running.
//
//	r := sandbox.Probe(sandbox.Config{Path: path})
//	out := r.Command(ctx, sandbox.Spec{Command: "ls", Dir: project})
//
// Level says what walls are around a command; at every level its environment is
// cleared. The strongest that a machine can do is found once, by Probe. This program
// is its own helper within the walls (see the package helper).
//
// Words of this package:
//
//   - walls: all that keeps a command from the machine (namespaces, mounts, Landlock,
//     seccomp, limits); view: what it is shown of the machine within them; layout:
//     what its walls are made of, compared before they are used again.
//   - spare: walls whose first process waits for a command that is not known yet.
//   - mark: the number by which the processes of one command are found again; lease:
//     the locked file by which a killed program is found out, and its marks with it.
//   - guard: what takes away, after a command without a layer, what git would run in its
//     deed; record: what was there for git to run before.
//   - cleanups: what a job undoes when its command has ended.
package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vibey/tools/layer"
	"vibey/tools/sandbox/helper"
)

// Config is what a Runner is made from; zero values mean the defaults.
type Config struct {
	// Levels are tried in this order, and the first that this machine can do is
	// taken (see Strongest); none of them, or no list, is None.
	Levels []Level
	// Hide are folders of which commands see nothing but what their Spec names:
	// the root of all projects, the state dir.
	Hide []string
	// Deeds returns the folders that commands may write, of all projects there are when
	// the program starts; later ones are known by their commands. Nothing that a path
	// leads to through one of them is shown. Nil: there are none.
	Deeds func() []string
	// Leases is the folder of this program's lease, which no command sees; "" is none.
	// Probe ends what the commands of a killed program have left running.
	Leases string
	// Standing is a folder, which no command sees, for records of what was in a deed
	// for git to run before a command, so that it can be put back after a kill; ""
	// keeps it in memory alone.
	Standing string

	Path string // PATH of commands; its relative and empty entries are left out
	// Getenv returns the human's variables, by which their tools are found: HOME,
	// and those that say where a tool manager keeps what it installed. nil: there
	// are none.
	Getenv func(string) string
	Limit  time.Duration // the longest that one runs: 30 s
	Output int           // bytes kept of stdout and stderr together: 1 MiB
	Procs  int           // processes and threads of one command: 1,024
	Memory int64         // bytes that its processes hold together: half of the machine's
	Disk   int64         // bytes in one file: 4 GiB
	Spares int           // how many spares there are at most: none
	// Layers are the makers of layers that are tried, the first that this machine can do is
	// taken; none: commands write to the deed itself.
	Layers []layer.By

	// Guard runs f, which runs in a goroutine of this package, and makes a panic
	// an error, of which it tells elsewhere; what names f. Nil lets f panic.
	Guard func(what string, f func() error) error

	bwrap   []string // for tests: where bubblewrap is; bwrapPaths
	abi     int      // for tests: the newest version of Landlock to use
	scratch string   // a folder for what single commands need; "" is the system's own
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// absolutePath returns a PATH without its relative and empty entries. Programs that we
// start by name, such as git for a commit, would be found by them in the deed.
func absolutePath(path string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) }), string(os.PathListSeparator))
}

// Runner runs commands at one level. It may be used from many goroutines.
type Runner struct {
	level   Level
	walls   walls
	config  Config
	servers *serverList
	spares  *spares
	layers  *layers
	lease   *lease        // held until End, nil for none
	missing []string      // of the levels above, why this machine can't have them
	why     string        // see Why
	remedy  string        // see Remedy
	undone  []string      // what a killed program's commands had left for git to run
	begin   func()        // see Begin
	begun   atomic.Bool   // it was called
	probed  chan struct{} // closed once level and walls are known

	recovered chan struct{} // closed once undone is known; a command waits for it
}

// Probe returns a Runner that looks once at what this machine can do: at Begin, or when
// that is needed first. It tries each level by running a command behind its walls.
func Probe(c Config) *Runner {
	c.Path = cmp.Or(absolutePath(c.Path), defaultPath)
	c.Limit = cmp.Or(c.Limit, 30*time.Second)
	c.Output = cmp.Or(c.Output, 1<<20)
	c.Procs = cmp.Or(c.Procs, 1024)
	c.Disk = cmp.Or(c.Disk, 4<<30)
	c.Memory = cmp.Or(c.Memory, halfOfMemory())
	c.Hide = absolute(c.Hide)
	if c.Guard == nil {
		c.Guard = func(_ string, f func() error) error { return f() }
	}
	r := &Runner{
		config: c, servers: &serverList{guard: c.Guard}, spares: &spares{most: c.Spares}, layers: &layers{most: c.Spares},
		probed: make(chan struct{}), recovered: make(chan struct{}),
	}
	if c.Leases != "" {
		if r.lease = holdLease(c.Leases); r.lease != nil {
			c.scratch = r.lease.scratch()
			r.config.scratch = c.scratch
		}
	}
	r.begin = sync.OnceFunc(func() {
		r.begun.Store(true)
		go c.Guard("undoing what a killed program has left", func() error { r.recover(); return nil })
		if c.Leases != "" {
			go c.Guard("ending walls of killed programs", func() error { sweepOrphans(); return nil })
		}
		go r.probe(c)
	})
	return r
}

// Begin looks at this machine, and ends and undoes what a killed program has left, in the
// background. Whoever needs one of these waits for it.
func (r *Runner) Begin() { r.begin() }

// probe finds the level of the Config c.
func (r *Runner) probe(c Config) {
	defer close(r.probed)
	r.level, r.walls = None, unwalled()
	if len(c.Levels) < 2 && !slices.Contains(c.Levels, Bwrap) {
		r.why = chosen
	}
	if len(c.Levels) > 0 {
		startKeeper()
	}
	for _, level := range c.Levels {
		var w walls
		err := c.Guard("trying a level", func() (err error) { w, err = r.try(level, c); return err })
		if err != nil {
			r.missing = append(r.missing, fmt.Sprintf("%s: %v", level, err))
			if level == Bwrap && runtime.GOOS == "linux" {
				r.why, r.remedy = whyNot(err, surroundingsHere())
			}
			continue
		}
		r.level, r.walls = level, w
		if level != None {
			guardSelf()
		}
		break
	}
}

// waitProbed returns when level and walls are known.
func (r *Runner) waitProbed() {
	r.begin()
	<-r.probed
}

// recover ends what the commands of a killed program have left running, and then,
// for a survivor could do it again, undoes what they left for git to run. The
// program starts meanwhile: until that is done its commands wait, and what a human
// does with git finds what it would have found before the start.
func (r *Runner) recover() {
	defer close(r.recovered)
	if r.config.Leases != "" {
		endLeases(r.config.Leases)
	}
	r.undone = recoverGit(context.Background(), r.config.Standing, r.Human())
}

// End ends all servers and spares, and gives the lease back. The caller starts nothing
// after it.
func (r *Runner) End() {
	for _, done := range []chan struct{}{r.probed, r.recovered} { // they start processes, too
		if !r.begun.Load() {
			break
		}
		select {
		case <-done:
		case <-time.After(endMost):
		}
	}
	r.StopServers("")
	r.layers.end() // before the folder around them
	dismissKeeper()
	if r.lease != nil {
		r.lease.release()
		r.lease = nil
	}
}

// endMost is how long End waits for each part of a start that is not over.
const endMost = 400 * time.Millisecond

// getenv returns the human's variable, "" where there is none.
func (c Config) getenv(name string) string {
	if c.Getenv == nil {
		return ""
	}
	return c.Getenv(name)
}

// home is the human's home, which holds what is private, or "".
func (c Config) home() string {
	if h := c.getenv("HOME"); filepath.IsAbs(h) {
		return h
	}
	h, _ := os.UserHomeDir()
	return h
}

// absolute returns the paths so that they don't depend on where this program stands.
func absolute(paths []string) (abs []string) {
	for _, p := range compact(slices.Clone(paths)...) {
		if a, err := filepath.Abs(p); err == nil {
			abs = append(abs, a)
		}
	}
	return abs
}

// try returns a level's walls if a command runs within them here, else why not.
func (r *Runner) try(level Level, c Config) (walls, error) {
	if level == None {
		return unwalled(), nil
	}
	w, err := build(level, c, r.servers, r.layers)
	if err != nil {
		return nil, err
	}
	one := &Runner{level: level, walls: w, config: c, servers: r.servers, spares: new(spares), layers: r.layers}
	if level == Bwrap && one.tryLayers() {
		return w, nil // what runs in a layer runs
	}
	o := one.within(context.Background(), Spec{Command: "echo ready", Dir: "/"}, probeLimit, func() {})
	if o.Err != nil || string(o.Stdout.Text) != "ready\n" {
		return nil, &refusedError{cmp.Or(o.Err, fmt.Errorf("exit code %d, %s", o.ExitCode, bytes.TrimSpace(o.Stderr.Text))).Error()}
	}
	return w, nil
}

// probeLimit is how long a level may take to show that it works here.
const probeLimit = 5 * time.Second

// Level is the level of every command of this Runner.
func (r *Runner) Level() Level {
	r.waitProbed()
	return r.level
}

// Missing tells of each level that was wanted before Level's, why this machine
// can't have it.
func (r *Runner) Missing() []string {
	r.waitProbed()
	return r.missing
}

// Undone tells what the commands of a program that was killed had left in deeds
// for git to run, and was taken away; it waits until that is known.
func (r *Runner) Undone() []string {
	r.begin()
	<-r.recovered
	return r.undone
}

// Limit is the longest that a command runs whose Spec has no limit.
func (r *Runner) Limit() time.Duration { return r.config.Limit }

// LookPath returns where a command finds the program of that name, "" where it does not.
func (r *Runner) LookPath(name string) string {
	for _, dir := range filepath.SplitList(r.config.Path) {
		at := filepath.Join(dir, name)
		if info, err := os.Stat(at); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return at
		}
	}
	return ""
}

// Spec is one command.
type Spec struct {
	Command string // for /bin/sh -c
	Dir     string // working directory, absolute
	Home    string // HOME; "" leaves it unset

	Project string // the project's folder, which may be read; "" is Dir
	Deed    string // the folder that may be written, free of links; "" is none
	Network bool   // a human has allowed the network
	// Show are files and folders, absolute, that a human has named: it may read them, a
	// program with the folder that has its parts, another file alone. What is hidden stays so.
	Show []string

	For   string        // of a server: the dialog that it is started for
	Limit time.Duration // the longest that it runs; 0 is the Runner's
	// ReadOnly keeps it from writing anything that outlives it: the deed can't be
	// written, and instead of Home it has a HOME that is empty and ends with it. Where
	// nothing can hold that, the command is not run (see HoldsReadOnly).
	ReadOnly bool
	// Layer lets it see the deed through a layer (package layer), which the Outcome has then.
	// Where this deed can't have one it is not run: the error is a *NoLayerError. Tried is a
	// Layer with one for Home, too.
	Layer, Tried bool
	// Git is a command of this program's own for the repository in the deed: at Bwrap it can
	// write nothing of the deed but that, and nothing of its hooks and config.
	Git bool
	// Watch, where it is not nil, is called once the command runs, with a func that
	// returns what it has written until then, within the same bounds; also later.
	Watch func(written func() (stdout, stderr []byte))

	serve  *Server  // the server that this command is
	shield []string // of a server: the git folders in the deed, which it can't write
	mark   mark
}

func (s Spec) project() string { return cmp.Or(s.Project, s.Dir) }

// Outcome is what a command came to.
type Outcome struct {
	Err      error          // it could not be started; all else is zero
	ExitCode int            // 128 + signal where a signal ended it, as a shell says it
	Signal   syscall.Signal // 0 where none did
	TimedOut bool           // it was killed at the limit
	Stopped  bool           // it was killed because ctx ended
	Exceeded string         // it was killed because it used too much of this: "memory", "processes", "disk", "layer"
	Notes    []string       // what the walls have to say, in sentences
	Stdout   Output
	Stderr   Output

	// Layer has what the command wrote to the deed, and Home what it wrote to its HOME; nil
	// where there was none. The caller drops them.
	Layer, Home *layer.Layer
}

// killGrace is how long output may still come after everything was killed. Only
// a process out of our reach (another user's) could hold a pipe that long.
const killGrace = 500 * time.Millisecond

// Quote writes words so that a shell reads each as one, with blanks between them.
func Quote(words ...string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.Trim(w, plain) != "" {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// Command runs one command to its end, its limit or the end of ctx, and then
// kills what it left, wherever it went.
func (r *Runner) Command(ctx context.Context, s Spec) Outcome {
	return r.run(ctx, s, cmp.Or(s.Limit, r.config.Limit), func() {})
}

// ErrReadOnly is a ReadOnly command at a level that keeps no command from writing.
var ErrReadOnly = errors.New("nothing here keeps a command from writing")

// run is Command with its limit, 0 for none. It calls begun once the process runs.
func (r *Runner) run(ctx context.Context, s Spec, limit time.Duration, begun func()) (o Outcome) {
	r.waitProbed()
	if len(s.Command) >= maxArgument {
		return Outcome{Err: syscall.E2BIG}
	}
	if s.ReadOnly {
		if !r.HoldsReadOnly() {
			return Outcome{Err: ErrReadOnly}
		}
		s.Home = ""
	}
	for range 2 { // by what went away since the look, walls may break: there is a new one
		o = r.guarded(ctx, s, limit, begun)
		o.Err = r.layers.refuse(s, o.Err)
		if _, broke := errors.AsType[*wallsError](o.Err); !broke {
			break
		}
	}
	return o
}

// guarded runs a command whose deed is looked after, unless that has a layer.
func (r *Runner) guarded(ctx context.Context, s Spec, limit time.Duration, begun func()) (o Outcome) {
	if s.Layer = s.Layer || s.Tried; s.Layer {
		if why := r.NoLayer(s.Deed); why != "" {
			return Outcome{Err: &NoLayerError{Why: why}}
		}
		return r.within(ctx, s, limit, begun)
	}
	git, err := r.guardDeed(ctx, s)
	if ctx.Err() != nil && err != nil {
		return Outcome{Stopped: true, ExitCode: -1}
	} else if err != nil {
		return Outcome{Err: err}
	}
	defer func() { o.Notes = append(o.Notes, git.leave()...) }()
	if s.shield, err = git.shield(); err != nil {
		return Outcome{Err: err}
	}
	defer git.while(s.serve, r.config.Guard)()
	return r.within(ctx, s, limit, begun)
}

// within runs a command within walls that are made by what stands there now.
func (r *Runner) within(ctx context.Context, s Spec, limit time.Duration, begun func()) (o Outcome) {
	c, l, spares, err := r.ready(s)
	if err != nil {
		return Outcome{Err: err}
	}
	defer func() { o.Notes = c.end() }() // also where something breaks on the way
	for _, l := range c.job.layers {
		l.Begin()
	}
	c.give(s.Command)
	begun()
	if s.Watch != nil {
		s.Watch(func() ([]byte, []byte) {
			out, err := r.written(c)
			return out.Text, err.Text
		})
	}
	r.prepare(s, l, spares)
	r.await(ctx, c, s, limit, &o)
	status := c.kill()
	c.readers.finish(killGrace)
	if s.serve == nil && !o.Stopped && !o.TimedOut && o.Exceeded == "" {
		if err := c.untold(); err != nil {
			return Outcome{Err: err}
		}
	}
	o.ExitCode, o.Signal = helper.Exit(status)
	o.Stdout, o.Stderr = r.written(c)
	o.Layer, o.Home = c.job.takeLayers()
	return o
}

// written is what a command has written until now.
func (r *Runner) written(c *launched) (stdout, stderr Output) {
	stdout, stderr = trim(c.stdout, c.stderr, r.config.Output)
	for _, text := range []*[]byte{&stdout.Text, &stderr.Text} {
		// The tag is new each time: the same command must show the same output.
		*text = bytes.ReplaceAll(*text, []byte(c.mark.tag()), []byte("1"))
	}
	return stdout, stderr
}

// maxArgument is how long an argument of a program may be on Linux, the byte at its
// end included: a shell that waits already can't say it in time.
const maxArgument = 128 << 10

// await returns when the command has ended or must, and tells why.
func (r *Runner) await(ctx context.Context, c *launched, s Spec, limit time.Duration, o *Outcome) {
	var end <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		end = t.C
	}
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	w := newWatch(c.process.cmd.Process.Pid, s, r)
	for done := false; !done; {
		select {
		case <-c.process.exited:
			done = true
		case <-end:
			o.TimedOut, done = true, true
		case <-ctx.Done():
			o.Stopped, done = true, true
		case <-watch.C:
			o.Exceeded = cmp.Or(w.exceeded(), overfull(c.job.layers))
			done = o.Exceeded != ""
		}
	}
	select {
	case <-c.process.exited: // at the same moment by itself: then that is how it ended
		o.TimedOut, o.Stopped, o.Exceeded = false, false, ""
	default:
	}
}

// watchEvery is how often a command is looked at for what it uses. Most have
// ended before the first time.
const watchEvery = 100 * time.Millisecond

// tagName is the variable by which a command's processes are found again.
const tagName = "TOOL_CALL"

// readers drain a command's pipes.
type readers struct {
	ours, theirs []*os.File
	wait         sync.WaitGroup
}

// pipe returns the end for the command of a pipe that is read into c.
func (rs *readers) pipe(c *capture, guard func(string, func() error) error) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	rs.ours, rs.theirs = append(rs.ours, r), append(rs.theirs, w)
	rs.wait.Go(func() { guard("reading a command's output", func() error { io.Copy(c, r); return nil }) })
	return w, nil
}

func (rs *readers) closeWriters() {
	for _, w := range rs.theirs {
		w.Close()
	}
}

// finish reads what is left, for no longer than grace, and closes the pipes.
func (rs *readers) finish(grace time.Duration) {
	for _, r := range rs.ours {
		r.SetReadDeadline(time.Now().Add(grace))
	}
	rs.wait.Wait()
	for _, r := range rs.ours {
		r.Close()
	}
}
