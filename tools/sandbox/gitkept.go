package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
	"vibey/tools/git"
)

// kept is the file that tells, for as long as commands run in a deed, what stood there
// before. It gets its name whole and synced before the first command begins, and all
// programs of ours that run commands there hold its lock shared. Where one finds that none
// does, the program before was killed, or could not undo all. It begins with how what stands
// there is to be held against that.
type kept struct {
	file   *os.File
	shared bool // another program's command runs there
	record
}

// howBytes are those with which the file begins, by what they say.
var howBytes = map[git.Mending]byte{{}: 'c', {Shared: true}: 'h', {Shielded: true}: 's', {Shared: true, Shielded: true}: 'b'}

// record is what it holds.
type record struct {
	how      git.Mending
	Deed     string
	Homes    []string // of commands there
	Standing git.Standing
}

// Names in the folder of these files.
const (
	keptSuffix = ".standing"
	newPrefix  = ".new-" // of one that is not written yet
)

func keptName(dir, deed string) string {
	sum := sha256.Sum256([]byte(deed))
	return filepath.Join(dir, hex.EncodeToString(sum[:12])+keptSuffix)
}

// keep opens the file of a deed, and takes its lock; nil where there is none.
func keep(dir, deed string) (*kept, error) {
	for range 100 { // more only if commands keep ending at that moment
		f, err := os.OpenFile(keptName(dir, deed), os.O_RDWR, 0)
		if dir == "" || errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if k, err := hold(f); k != nil || err != nil {
			return k, err
		}
	}
	return nil, errors.New("other commands keep beginning there")
}

// hold takes the lock of a file and reads it; nil where the file has lost its name
// meanwhile, or is none that this version writes: then it is removed.
func hold(f *os.File) (*kept, error) {
	k := &kept{file: f}
	if flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
		k.shared = flock(f, unix.LOCK_SH) == nil
	}
	held, err := f.Stat()
	stands, err2 := os.Stat(f.Name())
	if err != nil || err2 != nil || !os.SameFile(held, stands) {
		f.Close()
		return nil, nil
	}
	text, err := io.ReadAll(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	if len(text) == 0 || json.Unmarshal(text[1:], &k.record) != nil || k.Deed == "" {
		os.Remove(f.Name())
		f.Close()
		return nil, nil
	}
	for how, says := range howBytes {
		if says == text[0] {
			k.how = how
		}
	}
	return k, nil
}

// publish makes a record the one of its deed. It returns nil where another program has
// just made one.
func publish(dir string, r record) (k *kept, err error) {
	text, err := json.Marshal(r)
	if err == nil {
		err = disk.MakeIn(dir)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, newPrefix)
	if err != nil {
		return nil, err
	}
	defer func() {
		if k == nil {
			os.Remove(f.Name())
			f.Close()
		}
	}()
	at, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	_, err = f.Write(append([]byte{howBytes[r.how]}, text...))
	if err = errors.Join(err, f.Sync(), flock(f, unix.LOCK_SH)); err != nil {
		return nil, err
	}
	name := keptName(dir, r.Deed)
	if err := disk.RenameNew(at, filepath.Base(f.Name()), filepath.Base(name)); errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &kept{file: f, record: r}, disk.SyncFolder(at)
}

// join takes down that another command begins, and returns how to mend after both.
func (k *kept) join(was, how git.Mending) (git.Mending, error) {
	if how = was.With(how); k == nil || how == was {
		return how, nil
	}
	_, err := k.file.WriteAt([]byte{howBytes[how]}, 0)
	return how, errors.Join(err, disk.SyncData(k.file))
}

// release closes the file. The last to hold it, if done with the deed, removes it.
func (k *kept) release(done bool) {
	if k == nil {
		return
	}
	if done && flock(k.file, unix.LOCK_EX|unix.LOCK_NB) == nil {
		os.Remove(keptName(filepath.Dir(k.file.Name()), k.Deed))
	}
	k.file.Close()
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// recoverGit undoes what the commands of a killed program have left in deeds, and
// returns what that was, with the deeds' paths.
func recoverGit(ctx context.Context, dir string, human git.Human) (undone []string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*"+keptSuffix))
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if dir == "" || err != nil {
			continue
		}
		k, err := hold(f)
		if err != nil {
			undone = append(undone, name+": what stood in a deed before a command can't be read: "+err.Error())
		}
		if k == nil {
			continue
		}
		if k.shared {
			k.release(false)
			continue
		}
		all, err := git.Folder{Dir: k.Deed, Human: human, Homes: k.Homes}.Mend(ctx, &k.Standing, k.how)
		for _, u := range append(all, tellFailed(err)...) {
			undone = append(undone, filepath.Join(k.Deed, u))
		}
		k.release(!owed(err))
	}
	names, _ = filepath.Glob(filepath.Join(dir, newPrefix+"*")) // never named
	for _, name := range names {
		if f, err := os.Open(name); err == nil {
			if flock(f, unix.LOCK_EX|unix.LOCK_NB) == nil {
				os.Remove(name)
			}
			f.Close()
		}
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
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, context.Canceled) || err == git.ErrMended:
		return nil
	case errors.Is(err, git.ErrOther):
		return []string{": another folder stands there now than when the command began, so nothing in it was undone"}
	}
	return []string{": could not be looked at whole (" + err.Error() + "): don't use git there before you looked at it"}
}
