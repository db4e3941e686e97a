package project

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/tools/sandbox"
)

// ZipError is a zip from which no project can be made. Nothing was made.
type ZipError struct {
	Why string // what is wrong with it, within a sentence
}

func (e *ZipError) Error() string { return "this is no snapshot that could be restored: " + e.Why }

func badZip(format string, args ...any) error { return &ZipError{fmt.Sprintf(format, args...)} }

// Restore makes a project of a snapshot of size bytes. Names and sizes are
// judged before anything is made; then it is unpacked beside the projects,
// synced, and gets its name in one step: the project is there whole or not at
// all, also after a power cut. Macs that key would bear out are void in it, since
// the human approved what stood there before; and so is a confirmed wish, since
// the project gets an id of its own. What git would run in the deed is disarmed,
// and returned: a zip may come from anywhere. Everything else is kept to the
// byte. Errors: *ZipError, ErrName, fs.ErrExist.
func (s *Store) Restore(name string, from io.ReaderAt, size int64, most Limits, key []byte) (disarmed []string, err error) {
	if !ValidProject(name) {
		return nil, fmt.Errorf("restore %q: %w", name, ErrName)
	}
	z, err := zip.NewReader(from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, badZip("it can't be read (%v)", err)
	}
	total, err := judge(z, most)
	if err != nil {
		return nil, err
	}
	if room, err := s.dir.room(); err == nil && total > room {
		return nil, badZip("it unpacks to %d MiB, and the disk has room for %d", total>>20, room>>20)
	}
	d, err := s.begin(name)
	if err != nil {
		return nil, fmt.Errorf("restore %s: %w", name, err)
	}
	defer d.close()
	u := unpacker{d: d, name: name, key: key, now: s.o.Now(), folders: map[string]bool{".": true}}
	err = u.all(z, s.o.Template(name))
	if err == nil {
		disarmed, err = sandbox.DisarmGit(filepath.Join(s.path, makingPrefix+name, deedName))
	}
	if err == nil {
		err = u.sync()
	}
	if err == nil {
		err = s.finish(name)
	}
	if err != nil {
		sandbox.RemoveTree(s.dir.root, makingPrefix+name)
		return nil, fmt.Errorf("restore %s: %w", name, err)
	}
	for i, d := range disarmed {
		disarmed[i] = deedPrefix + d
	}
	return disarmed, nil
}

// judge refuses a zip that is no snapshot of a project, by the names, kinds and
// sizes that its entries tell. It returns how many bytes it unpacks to: archive/zip
// reads no more of an entry than it tells.
func judge(z *zip.Reader, most Limits) (total uint64, err error) {
	holds := newContents(most)
	for _, f := range z.File {
		err := checkKind(f)
		if err == nil {
			err = holds.add(f.Name, f.UncompressedSize64)
		}
		if err != nil {
			return 0, badZip("%q: %v", dialog.Clean(f.Name, nameShown), err)
		}
	}
	return holds.total, nil
}

// checkKind refuses an entry that is neither a file nor a folder that could be read.
func checkKind(f *zip.File) error {
	folder := strings.HasSuffix(f.Name, "/")
	switch mode := f.Mode(); {
	case !mode.IsRegular() && mode.Type() != fs.ModeDir:
		return errors.New("it is a link or a device")
	case mode.IsDir() != folder:
		return errors.New("it is a folder by one sign and a file by another")
	case f.Flags&1 != 0:
		return errors.New("it is encrypted")
	}
	return nil
}

// begin makes the folder in which a project is built, locked so that it is not
// taken for a left-over.
func (s *Store) begin(name string) (*dir, error) {
	defer s.Sweep()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.free(name); err != nil {
		return nil, err
	}
	return s.making(name)
}

// finish gives it its name.
func (s *Store) finish(name string) error {
	return s.naming(name, func() error {
		if err := s.dir.rename(makingPrefix+name, name); err != nil {
			return err
		}
		return s.dir.sync()
	})
}

// unpacker writes what was judged into a project that is being made.
type unpacker struct {
	d       *dir
	name    string
	key     []byte
	now     time.Time
	folders map[string]bool // those that have to be synced
}

// all writes everything, and what a project has without it: an id, a doc-main.md
// and a deed.
func (u *unpacker) all(z *zip.Reader, mainText string) error {
	for _, f := range z.File {
		var err error
		if to := strings.TrimSuffix(f.Name, "/"); to != f.Name {
			err = u.folder(to)
		} else {
			err = u.file(f)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", dialog.Clean(f.Name, nameShown), err)
		}
	}
	if err := u.folder(deedName); err != nil {
		return err
	}
	if err := u.write(idName, createMode, strings.NewReader(newID()+"\n")); err != nil {
		return err
	}
	if _, err := u.d.lstat(MainDoc); errors.Is(err, fs.ErrNotExist) {
		if err := u.write(MainDoc, 0o644, strings.NewReader(mainText)); err != nil {
			return err
		}
	}
	return nil
}

// sync makes the names in all folders outlive a power cut.
func (u *unpacker) sync() error {
	for name := range u.folders {
		f, err := u.d.root.Open(name)
		if err != nil {
			return err
		}
		err = f.Sync()
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) folder(name string) error {
	for at := name; !u.folders[at]; at = path.Dir(at) {
		u.folders[at] = true
	}
	return u.d.root.MkdirAll(name, 0o755)
}

// file writes one file. A restored file may be run if it could be before.
func (u *unpacker) file(f *zip.File) error {
	mode := createMode
	if f.Mode()&0o100 != 0 && strings.HasPrefix(f.Name, deedPrefix) {
		mode = 0o755
	}
	if err := u.folder(path.Dir(f.Name)); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return badZip("%q can't be read (%v)", dialog.Clean(f.Name, nameShown), err)
	}
	defer r.Close()
	r = entryReader{r, f.Name}
	if strings.HasPrefix(f.Name, deedPrefix) {
		return u.write(f.Name, mode, r)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return u.write(f.Name, mode, strings.NewReader(u.void(f.Name, string(text))))
}

// entryReader reads an entry of a zip. What is wrong with its bytes is a *ZipError.
type entryReader struct {
	io.ReadCloser
	name string
}

func (r entryReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = badZip("%q is damaged (%v)", dialog.Clean(r.name, nameShown), err)
	}
	return n, err
}

// write makes one file, synced.
func (u *unpacker) write(name string, mode fs.FileMode, r io.Reader) error {
	w, err := u.d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Sync()
}

// voided stands where a Mac stood that would have held.
const voided = "void"

// void takes away what this installation's key would bear out: the Macs of
// Authorizations. A Mac is bound to the names of project and dialog, so this
// happens only where a project comes back under the name that it had.
// Authorizations without a Mac, which a server started with --approve-in-files
// would take for an editor's, get a mark behind them that voids them.
func (u *unpacker) void(name, text string) string {
	a := dialog.Authority{Key: u.key, Project: u.name}
	id, _, ok := dialog.ParseName(name)
	if !ok {
		return text
	}
	a.DialogID = id
	for { // a Mac may begin to hold where the one before it was taken away
		next := voidOnce(a, text)
		if next == text {
			return text + dialog.VoidTail(text, u.now)
		}
		text = next
	}
}

func voidOnce(a dialog.Authority, text string) string {
	prev, d := "", dialog.Parse(text)
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role != dialog.Authorization {
			continue
		}
		mac := s.Meta.Get("Mac")
		if a.Genuine(s, prev) {
			text = strings.ReplaceAll(text, mac, voided)
		}
		prev = mac
	}
	return text
}
