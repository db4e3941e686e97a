package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"vibey/tools/disk"

	"golang.org/x/sys/unix"
)

// kept is the file that tells, for as long as commands run in a deed, what stood
// there before. It gets its name whole and synced, before the first command
// begins: where there is none, no command ran. All programs of ours that run
// commands there hold its lock shared; where one finds that none did, and yet the
// file says that commands run, the one before was killed, or could not undo all.
//
// When they have ended the file says so, and stays: mostly the next command finds
// what this one found, and to say that it runs takes a fourth of the time of a new
// file.
type kept struct {
	file   *os.File
	shared bool // another program's command runs there
	ended  bool // no command runs there, and nothing is owed
	text   []byte
	record
}

// The file begins with one of these, then comes the record.
const (
	sayRuns  = "running\n"
	sayEnded = "ended  \n"
)

// record is what it holds.
type record struct {
	Deed string `json:"deed"`
	folderID
	Homes    []string `json:"homes,omitempty"` // of commands there
	Standing standing `json:"standing"`
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

// keep opens the file of a deed; nil where there is none.
func keep(dir, deed string) (*kept, error) {
	for range 100 { // more only if commands keep ending at that moment
		f, err := os.OpenFile(keptName(dir, deed), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
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
// meanwhile, or the last command just ended. A file without a record is from a
// version of this program that named it first: no command ran.
func hold(f *os.File) (*kept, error) {
	k := &kept{file: f}
	if flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
		k.shared = flock(f, unix.LOCK_SH) == nil
	}
	if !k.named() {
		f.Close()
		return nil, nil
	}
	text, err := io.ReadAll(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	k.text, k.ended = bytes.CutPrefix(text, []byte(sayEnded))
	k.text = bytes.TrimPrefix(k.text, []byte(sayRuns))
	if k.shared && k.ended { // just now
		f.Close()
		return nil, nil
	}
	if json.Unmarshal(k.text, &k.record) != nil {
		k.record = record{}
	}
	return k, nil
}

// tells reports whether the file holds that record, and no command runs.
func (k *kept) tells(r record) bool {
	text, err := json.Marshal(r)
	return k != nil && k.ended && err == nil && bytes.Equal(text, k.text)
}

// resume says that commands run again. The file's lock must be held alone, and then
// is shared. It returns nil where another program came between the two.
func (k *kept) resume() (*kept, error) {
	err := k.say(sayRuns)
	if err = errors.Join(err, disk.SyncData(k.file), flock(k.file, unix.LOCK_SH)); err != nil {
		k.say(sayEnded)
		k.file.Close()
		return nil, err
	}
	if !k.named() {
		k.file.Close()
		return nil, nil
	}
	return k, nil
}

// named reports whether the file still has its name.
func (k *kept) named() bool {
	held, err := k.file.Stat()
	stands, err2 := os.Stat(k.file.Name())
	return err == nil && err2 == nil && os.SameFile(held, stands)
}

func (k *kept) say(what string) error {
	_, err := k.file.WriteAt([]byte(what), 0)
	return err
}

// publish makes a record the one of its deed, in the place of an old one, whose
// lock is held alone. It returns nil where another program has just made one.
func publish(dir string, r record, old *kept) (k *kept, err error) {
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
			f.Close()
		}
	}()
	defer os.Remove(f.Name())
	_, err = f.Write(append([]byte(sayRuns), text...))
	if err = errors.Join(err, f.Sync(), flock(f, unix.LOCK_SH)); err != nil {
		return nil, err
	}
	name := keptName(dir, r.Deed)
	if old != nil {
		err = os.Rename(f.Name(), name)
	} else if err = giveName(f, name); errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = syncFolder(dir)
	}
	if err != nil {
		return nil, err
	}
	return &kept{file: f, record: r}, nil
}

// giveName gives a file that was just made the name to in its folder; the error is
// fs.ErrExist if that is taken. The name that it had may stay.
func giveName(f *os.File, to string) error {
	err := os.Link(f.Name(), to)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir, err := os.Open(filepath.Dir(to)) // the disk gives no second name
	if err != nil {
		return err
	}
	defer dir.Close()
	return disk.RenameNew(dir, filepath.Base(f.Name()), filepath.Base(to))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return disk.SyncFolder(d)
}

// release closes the file. The last to hold it, if done with the deed,
// writes into it that no command runs. That is not synced: where the machine loses its power,
// what a human changed just after a command may be taken for the command's.
func (k *kept) release(dir string, done bool) {
	if k == nil {
		return
	}
	defer k.file.Close()
	if done && flock(k.file, unix.LOCK_EX|unix.LOCK_NB) == nil && k.say(sayEnded) != nil {
		os.Remove(keptName(dir, k.Deed))
	}
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
func recoverGit(ctx context.Context, dir string, human gitHuman) (undone []string) {
	if dir == "" {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"+keptSuffix))
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
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
			k.release(dir, false)
			continue
		}
		if k.Deed == "" || k.ended { // it was never whole, so no command ran
			os.Remove(name)
			k.release(dir, false)
			continue
		}
		keeper := newGitKeeper(k.Deed)
		keeper.id, keeper.human, keeper.homes = k.folderID, human, k.Homes
		all, err := keeper.disarm(ctx, k.Standing)
		for _, u := range append(all, tellFailed(err)...) {
			undone = append(undone, filepath.Join(k.Deed, u))
		}
		for _, t := range keeper.told {
			undone = append(undone, filepath.Join(k.Deed, t)+": was changed, and stays so")
		}
		k.release(dir, !owed(err))
	}
	sweepNew(dir)
	return undone
}

// sweepNew removes the files that were never named.
func sweepNew(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, newPrefix+"*"))
	for _, name := range names {
		if f, err := os.Open(name); err == nil {
			if flock(f, unix.LOCK_EX|unix.LOCK_NB) == nil {
				os.Remove(name)
			}
			f.Close()
		}
	}
}

// owed reports whether a failed disarming is to be tried again: not where the
// folder is gone, or another stands in its place.
func owed(err error) bool {
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errOther)
}

// tellFailed returns what to say of a deed that could not be looked at whole, in
// words that follow its path; nothing where it is gone or the look was stopped.
func tellFailed(err error) []string {
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, errOther):
		return []string{": another folder stands there now than when the command began, so nothing in it was undone"}
	case err == errUndone: // each of them was told
		return nil
	}
	return []string{": could not be looked at whole (" + err.Error() + "): don't use git there before you looked at it"}
}
