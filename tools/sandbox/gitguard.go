package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
	"vibey/tools/git"
)

// guard looks after the repositories below a deed in which a command runs without a layer:
// what it puts where a human's git would run it is undone when it has ended, and now and
// then while a server runs.
type guard struct {
	folder git.Folder
	before record
	file   *os.File // the record on disk; nil for none
	undone []string // so far
}

// record is what stood in a deed before the first of the commands that run there. It is
// written and synced before that begins, and all of them hold the lock of its file shared:
// what one plants must not be what another found. Where the lock is free, the program that
// wrote it was killed, or could not undo all.
type record struct {
	Deed     string
	Shielded bool // the commands see the git folders that stood there read-only
	git.Standing
}

const recordSuffix = ".standing"

func recordOf(dir, deed string, shielded bool) string {
	sum := sha256.Sum256(fmt.Append(nil, deed, shielded))
	return filepath.Join(dir, hex.EncodeToString(sum[:12])+recordSuffix)
}

// guardDeed looks at the deed before a command, within the time of one; without a deed the
// guard is nil, whose methods do nothing. Where it can't be done the command must not run.
// Where the deed is mounted read-only nothing can be left there for git to run; the other
// levels let a command make a hook executable all the same.
func (r *Runner) guardDeed(ctx context.Context, s Spec) (*guard, error) {
	select {
	case <-r.recovered:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.Deed == "" || (s.ReadOnly || s.Git) && r.level == Bwrap {
		return nil, nil
	}
	deed, err := filepath.EvalSymlinks(s.Deed)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.config.Limit)
	defer cancel()
	return enterGuard(ctx, r.config.Standing, git.Folder{Dir: deed, Human: r.Human()}, s.serve != nil && r.level == Bwrap)
}

func enterGuard(ctx context.Context, dir string, f git.Folder, shielded bool) (g *guard, err error) {
	g = &guard{folder: f, before: record{Deed: f.Dir, Shielded: shielded}}
	if err := g.enter(ctx, dir); err != nil {
		g.release(false)
		return nil, fmt.Errorf("nothing was run, for the deed can't be guarded against what git would run: %w", err)
	}
	return g, nil
}

// enter finds out what stood in the deed: another command's record says it, or a look now.
// What a killed program's command left is undone first. dir "" keeps no record.
func (g *guard) enter(ctx context.Context, dir string) (err error) {
	if dir == "" {
		return g.stand(ctx)
	}
	if err := disk.MakeIn(dir); err != nil {
		return err
	}
	if g.file, err = os.OpenFile(recordOf(dir, g.folder.Dir, g.before.Shielded), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	for {
		if flock(g.file, unix.LOCK_EX|unix.LOCK_NB) == nil {
			return g.begin(ctx)
		}
		if flock(g.file, unix.LOCK_SH|unix.LOCK_NB) == nil {
			if r, ok := readRecord(g.file); ok {
				g.before = r
				return nil
			}
			flock(g.file, unix.LOCK_UN) // the others have just ended
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (g *guard) stand(ctx context.Context) error {
	s, err := g.folder.Stand(ctx)
	g.before.Standing = *s
	return err
}

// begin writes the record. The caller must hold its lock alone.
func (g *guard) begin(ctx context.Context) error {
	if left, ok := readRecord(g.file); ok {
		undone, err := g.folder.Mend(ctx, &left.Standing, left.Shielded)
		if owed(err) {
			return err
		}
		g.undone = append(undone, tellFailed(err)...)
	}
	if err := errors.Join(g.file.Truncate(0), g.stand(ctx)); err != nil {
		return err
	}
	text, err := json.Marshal(g.before)
	if err == nil {
		_, err = g.file.WriteAt(text, 0)
	}
	if err = errors.Join(err, g.file.Sync(), flock(g.file, unix.LOCK_SH)); err != nil {
		return fmt.Errorf("what stands in it could not be written down: %w", err)
	}
	return nil
}

// readRecord reads a record that was written whole: else no command ran.
func readRecord(f *os.File) (r record, ok bool) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	return r, err == nil && json.Unmarshal(text, &r) == nil && r.Deed != ""
}

// release lets go of the record. The last to hold it, if done with the deed, empties it.
func (g *guard) release(done bool) {
	if g.file == nil {
		return
	}
	if done && flock(g.file, unix.LOCK_EX|unix.LOCK_NB) == nil {
		g.file.Truncate(0)
	}
	g.file.Close()
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// maxShield is how many git folders a server may find: each is a mount.
const maxShield = 100

// shield returns the git folders that stand in the deed, for a server at Bwrap: it sees
// them read-only, and so no human's work in them is taken for its own.
func (g *guard) shield() (paths []string, err error) {
	if g == nil || !g.before.Shielded {
		return nil, nil
	}
	for _, name := range g.before.GitFolders() {
		paths = append(paths, filepath.Join(g.folder.Dir, name))
	}
	if paths = outermost(paths); len(paths) > maxShield {
		return nil, fmt.Errorf("there are %d git repositories in deed/, and a server can be kept from those of at most %d: remove some, or move them out", len(paths), maxShield)
	}
	return paths, nil
}

// mending is held while something is put back, so that two commands don't do it twice.
var mending sync.Mutex

// mend undoes what was planted since.
func (g *guard) mend(ctx context.Context) (undone []string, err error) {
	mending.Lock()
	defer mending.Unlock()
	undone, err = g.folder.Mend(ctx, &g.before.Standing, g.before.Shielded)
	undone = append(undone, tellFailed(err)...)
	g.undone = append(g.undone, undone...)
	return undone, err
}

// leaveLimit is how long a look takes at most after a command, whose own time is
// over, and which may have been stopped.
const leaveLimit = time.Minute

// leave undoes what the command planted, and returns what its outcome is to say of
// that. The command and all of its processes must have ended.
func (g *guard) leave() (notes []string) {
	if g == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveLimit)
	defer cancel()
	_, err := g.mend(ctx)
	g.release(!owed(err))
	if len(g.undone) > 0 {
		notes = append(notes, tell(g.undone))
	}
	return notes
}

// while looks again and again until the func that it returns is called, for a twentieth of
// one processor's time, and tells the server's log.
func (g *guard) while(srv *Server, run func(string, func() error) error) (end func()) {
	if g == nil || srv == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		run("looking after the deed of a server", func() error {
			for pause := time.Second / 2; ; {
				select {
				case <-ctx.Done():
					return nil
				case <-time.After(pause):
				}
				begin := time.Now()
				if undone, _ := g.mend(ctx); len(undone) > 0 && ctx.Err() == nil {
					srv.output.say(tell(undone))
				}
				pause = max(pause, 20*time.Since(begin))
			}
		})
	})
	return func() { cancel(); ended.Wait() }
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

// recoverGit undoes what the commands of a killed program have left in deeds, and
// returns what that was, with the deeds' paths.
func recoverGit(ctx context.Context, dir string, human git.Human) (undone []string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*"+recordSuffix))
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if dir == "" || err != nil {
			continue
		}
		g := &guard{file: f}
		if flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
			g.release(false)
			continue
		}
		r, ok := readRecord(f)
		if ok {
			var all []string
			all, err = git.Folder{Dir: r.Deed, Human: human}.Mend(ctx, &r.Standing, r.Shielded)
			for _, u := range append(all, tellFailed(err)...) {
				undone = append(undone, filepath.Join(r.Deed, u))
			}
		}
		g.release(!owed(err))
	}
	return undone
}

// owed reports whether a failed mending is to be tried again: not where the
// folder is gone, or another stands in its place.
func owed(err error) bool {
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, git.ErrOther)
}

// tellFailed returns what to say of a deed that could not be looked at whole, in
// words that follow its path; nothing where it is gone or the look was stopped.
func tellFailed(err error) []string {
	switch {
	case !owed(err) && !errors.Is(err, git.ErrOther) || errors.Is(err, context.Canceled) || err == git.ErrMended:
		return nil
	case errors.Is(err, git.ErrOther):
		return []string{": another folder stands there now than when the command began, so nothing in it was undone"}
	}
	return []string{": could not be looked at whole (" + err.Error() + "): don't use git there before you looked at it"}
}
