package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// kept is the file that tells, for as long as commands run in a deed, what stood
// there before. All programs of ours that run commands there hold its lock
// shared; where one finds that none did, and yet the file is there, the one
// before was killed.
type kept struct {
	file   *os.File
	shared bool // another program's command runs there
	keptFile
}

// keptFile is what it holds. One that is empty or cut off says that nothing is
// known to have stood there.
type keptFile struct {
	Deed     string   `json:"deed"`
	Standing standing `json:"standing"`
}

// keptSuffix ends the names of these files.
const keptSuffix = ".standing"

// keep opens the file of a deed; left tells whether it was there already. A
// folder that can't be written keeps nothing: a full disk must not keep anybody
// from commands that make room.
func keep(dir, deed string) (k *kept, left bool) {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return nil, false
	}
	sum := sha256.Sum256([]byte(deed))
	name := filepath.Join(dir, hex.EncodeToString(sum[:12])+keptSuffix)
	for range 100 { // more only if commands keep ending at that moment
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if left = errors.Is(err, fs.ErrExist); left {
			f, err = os.OpenFile(name, os.O_RDWR, 0)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false
		}
		if err == nil {
			if k = hold(f); k != nil {
				return k, left
			}
		}
	}
	return nil, false
}

// hold takes the lock of a file and reads it; nil where the file has lost its
// name meanwhile.
func hold(f *os.File) *kept {
	k := &kept{file: f}
	if flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
		k.shared = flock(f, unix.LOCK_SH) == nil // once its holder has written it
	}
	held, err := f.Stat()
	stands, err2 := os.Stat(f.Name())
	if err != nil || err2 != nil || !os.SameFile(held, stands) {
		f.Close()
		return nil
	}
	if text, err := io.ReadAll(f); err != nil || json.Unmarshal(text, &k.keptFile) != nil {
		k.keptFile = keptFile{}
	}
	return k
}

// write takes down what stands there now, and lets others share it.
func (k *kept) write(deed string, s standing) {
	if k == nil {
		return
	}
	k.keptFile = keptFile{deed, s}
	if text, err := json.Marshal(k.keptFile); err == nil && k.file.Truncate(0) == nil {
		k.file.WriteAt(text, 0)
	}
	flock(k.file, unix.LOCK_SH)
}

// release lets go of the file. Whoever is the last, and done with the deed,
// removes it.
func (k *kept) release(done bool) {
	if k == nil {
		return
	}
	defer k.file.Close()
	if done && flock(k.file, unix.LOCK_EX|unix.LOCK_NB) == nil {
		os.Remove(k.file.Name())
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
func recoverGit(dir string) (undone []string) {
	if dir == "" {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"+keptSuffix))
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		k := hold(f)
		if k == nil {
			continue
		}
		if k.shared || k.Deed == "" { // without its name it waits for the next command there
			k.release(false)
			continue
		}
		all, err := newGitKeeper(k.Deed).disarm(k.Standing)
		for _, u := range all {
			undone = append(undone, filepath.Join(k.Deed, u))
		}
		k.release(err == nil || errors.Is(err, fs.ErrNotExist))
	}
	return undone
}
