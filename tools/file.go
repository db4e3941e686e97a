package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxFile is the most that a file tool reads to edit, or writes: 10 MiB.
const maxFile = 10 << 20

// written is the evidence of a file tool.
type written struct {
	Success  bool   `json:"success"`
	Path     string `json:"path"`
	Bytes    int    `json:"bytes"`
	SHA256   string `json:"sha256"`
	MTime    string `json:"mtime"`
	Preview  string `json:"preview"`            // the first 200 characters
	Replaced string `json:"replaced,omitempty"` // SHA-256 of what stood there before
}

func (w *written) mask(m func(string) string) { w.Preview = m(w.Preview) }

// fileLocks let one call at a time look at a file and replace it, so that of
// two dialogs the second sees what the first wrote.
var (
	fileLocks [64]sync.Mutex
	lockSeed  = maphash.MakeSeed()
)

// change finds a file, hands its present bytes to edit (nil: none yet) and puts
// what edit returns in its place, in one step that a reader, a crash or a full
// disk sees whole or not at all.
func change(ctx context.Context, env Env, given string, create bool, edit func(old []byte, fi fs.FileInfo) ([]byte, error)) Result {
	p, err := find(env, given, create)
	if err != nil {
		return fileFailure(given, err)
	}
	defer p.close()
	lock := &fileLocks[maphash.String(lockSeed, env.ProjectDir+env.DeedDir+p.name)%uint64(len(fileLocks))]
	lock.Lock()
	defer lock.Unlock()
	if ctx.Err() != nil {
		return interrupted()
	}
	old, err := p.load(!create)
	if err != nil {
		return fileFailure(p.name, err)
	}
	if f := stale(env, p.name, old); f != nil {
		return *f
	}
	content, err := edit(old.content, old.info)
	if err != nil {
		return fileFailure(p.name, err)
	}
	if len(content) > maxFile {
		return failed(ExecError, "%s would have %d bytes; these tools write at most %d. Split it into several files.", p.name, len(content), maxFile)
	}
	at, err := p.replace(content, old.info)
	if err != nil {
		return fileFailure(p.name, err)
	}
	sum := sha256.Sum256(content)
	w := &written{
		Success: true, Path: p.name, Bytes: len(content), SHA256: hex.EncodeToString(sum[:]),
		MTime: at.UTC().Format(time.RFC3339), Preview: preview(content), Replaced: old.sha,
	}
	return Result{Success: true, body: w, Files: []FileHash{{Path: w.Path, SHA256: w.SHA256}}}
}

// stale refuses to touch a file that is not what the dialog was last told of
// it. It tells the present hash: with it the model has been told.
func stale(env Env, name string, old *content) *Result {
	if env.Hash == nil || old.info == nil {
		return nil
	}
	seen, ok := env.Hash(name)
	if !ok || seen == "" || seen == old.sha {
		return nil
	}
	now := FileHash{Path: name, SHA256: old.sha}
	return &Result{Failure: ExecError, Files: []FileHash{now}, body: &failure{
		Error:   fmt.Sprintf("%s has changed since you last saw it, and nothing was written. Read it again, then send the call anew, made for what stands there now.", name),
		Current: &now,
	}}
}

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

// preview is the first 200 characters of content, as valid text.
func preview(content []byte) string {
	head := content[:min(len(content), 200*4)]
	count := 0
	for i := range string(head) {
		if count == 200 {
			head = head[:i]
			break
		}
		count++
	}
	return strings.ToValidUTF8(string(head), "\uFFFD")
}

// fileFailure tells the model why a file was not written, and what is safe.
func fileFailure(name string, err error) Result {
	name = clip(name, 300)
	var r *refusal
	switch {
	case errors.As(err, &r):
		return failed(Permission, "%s", r.text)
	case errors.Is(err, errNoMatch):
		return failed(ExecError, "%s", err)
	case errors.Is(err, errSwapped):
		return failed(ExecError, "%s: %s.", name, errSwapped)
	case errors.Is(err, fs.ErrNotExist):
		return failed(ExecError, "there is no file '%s'. Look with ls, or make it with write_file.", name)
	case errors.Is(err, fs.ErrPermission):
		return failed(Permission, "the system does not let this server write '%s'; nothing was changed. Ask the human.", name)
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return failed(ExecError, "the disk is full: '%s' is as it was. Tell the human before you go on.", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return failed(ExecError, "a name in '%s' is too long for this disk. Choose a shorter one.", name)
	default:
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // the path in it is the one of the disk, not of the project
		}
		return failed(ExecError, "'%s' was not written, it is as it was: %v.", name, err)
	}
}
