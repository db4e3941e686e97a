package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// content is a file as it stands: info is nil where there is none.
type content struct {
	info    fs.FileInfo
	content []byte // only where it was asked for
	sha     string
}

// load reads the file for its hash and, with keep, for its bytes.
func (p *place) load(keep bool) (*content, error) {
	fi, err := p.dir.Lstat(p.base)
	if errors.Is(err, fs.ErrNotExist) {
		return &content{}, nil
	}
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, refuse("'%s' is %s, not a file. Choose another path.", p.name, kindOf(fi.Mode()))
	}
	if keep && fi.Size() > maxFile {
		return nil, refuse("'%s' has %d bytes; edit_file takes at most %d. Edit it with run_command.", p.name, fi.Size(), maxFile)
	}
	// Not blocking: a pipe may have taken the file's place just now.
	f, err := p.dir.OpenFile(p.base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(fi, now) {
		return nil, errSwapped
	}
	h := sha256.New()
	c := &content{info: fi}
	var in io.Reader = f
	if keep {
		if c.content, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
			return nil, err
		}
		in = bytes.NewReader(c.content)
	}
	if _, err := io.Copy(h, in); err != nil {
		return nil, err
	}
	c.sha = hex.EncodeToString(h.Sum(nil))
	return c, nil
}

var errSwapped = errors.New("somebody else was writing it at the same moment, and nothing was changed here. Read it again, then try again")

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a link"
	default:
		return "a device, pipe or socket"
	}
}

// replace writes content beside the file and renames it over the file, keeping
// its mode; both the bytes and the name are on disk when it returns. old is
// what the caller saw there: if something else stands there by then, nothing changes.
func (p *place) replace(content []byte, old fs.FileInfo) (mtime time.Time, err error) {
	mode := fs.FileMode(0o644)
	if old != nil {
		if mode = old.Mode().Perm(); mode&0o200 == 0 {
			return mtime, refuse("'%s' is write-protected (mode %04o), and nothing was changed. Ask the human, who may have meant it.", p.name, mode)
		}
	}
	// The name follows from the file's: what a crash left behind is found by the next write.
	sum := sha256.Sum256([]byte(p.base))
	temp := tempPrefix + hex.EncodeToString(sum[:8]) + ".tmp"
	if err := p.dir.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return mtime, err
	}
	f, err := p.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return mtime, err
	}
	defer func() {
		f.Close()
		if err != nil {
			p.dir.Remove(temp)
		}
	}()
	if _, err = f.Write(content); err != nil {
		return mtime, err
	}
	if old != nil {
		if err = f.Chmod(mode); err != nil { // the umask may have taken bits
			return mtime, err
		}
	}
	if err = f.Sync(); err != nil {
		return mtime, err
	}
	fi, err := f.Stat()
	if err != nil {
		return mtime, err
	}
	if !p.still(p.base, old) || !p.still(temp, fi) {
		err = errSwapped
		return mtime, err
	}
	if err = p.dir.Rename(temp, p.base); err != nil {
		return mtime, err
	}
	return fi.ModTime(), syncDir(p.dir)
}

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".vibey-"

// still tells whether name is what it was when fi was taken; nil: not there.
func (p *place) still(name string, fi fs.FileInfo) bool {
	now, err := p.dir.Lstat(name)
	if fi == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(fi, now) && now.Size() == fi.Size() && now.ModTime().Equal(fi.ModTime())
}
