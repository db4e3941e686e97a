package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// Folder is one in which commands run that no layer keeps apart from it.
type Folder struct {
	Dir   string // absolute and free of links
	Human Human
}

// Standing is what stands in a folder at one moment that Judge needs to know: it is small,
// and may be kept as JSON.
type Standing struct {
	Dev, Inode uint64          // of the folder
	Items      map[string]Item // by name
	Named      Named
}

// Item is a file, a link or a folder.
type Item struct {
	Mode  fs.FileMode
	Inode uint64 // of a git folder
	Text  []byte // of a file, or where a link leads
}

const (
	maxFolders = 300_000  // that are walked through, some seconds' worth
	maxItems   = 10_000   // that are remembered
	maxBytes   = 32 << 20 // of all texts
)

var (
	errFolders = fmt.Errorf("it holds more than %d folders, too many to look for git's hooks and settings: remove some (caches, node_modules), or move them out", maxFolders)
	errCrowded = errors.New("it holds more git repositories or hooks than can be looked at: remove those that nobody needs")
)

// same reports whether git does the same by what stood at a name and what stands there.
func (a Item) same(b Item, name string) bool {
	if a.Mode.Type() != b.Mode.Type() || a.Mode&0o111 != b.Mode&0o111 && a.Mode.IsRegular() {
		return false
	}
	config := a.Mode.IsRegular() && strings.HasPrefix(fold(path.Base(name)), "config")
	return bytes.Equal(a.Text, b.Text) || config && armed(string(a.Text)) == armed(string(b.Text))
}

// Lstat and ReadFile make a Standing a View.
func (s *Standing) Lstat(name string) (fs.FileInfo, error) {
	item, ok := s.Items[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return info{item: item}, nil
}

func (s *Standing) ReadFile(name string) ([]byte, error) { return s.Items[name].Text, nil }

type info struct {
	fs.FileInfo
	item Item
}

func (i info) Size() int64       { return int64(len(i.item.Text)) }
func (i info) Mode() fs.FileMode { return i.item.Mode }
func (i info) IsDir() bool       { return i.item.Mode.IsDir() }

// GitFolders are the names of the git folders, and of files named .git.
func (s *Standing) GitFolders() (names []string) {
	for name, item := range s.Items {
		if item.Inode != 0 || disk.IsGit(path.Base(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Stand returns what stands in the folder. With an error it is what was found before.
func (f Folder) Stand(ctx context.Context) (*Standing, error) {
	return f.stand(ctx, &Standing{Named: NamedIn(f.Dir, f.Human, nil)})
}

// stand is Stand, also of all that was known before.
func (f Folder) stand(ctx context.Context, before *Standing) (*Standing, error) {
	s := &Standing{Items: map[string]Item{}, Named: before.Named}
	root, err := openFolder(f.Dir)
	if err != nil {
		return s, err
	}
	defer root.Close()
	at, err := tree.Open(root)
	if err != nil {
		return s, err
	}
	defer at.Close()
	self, err := at.Self()
	if err != nil {
		return s, err
	}
	s.Dev, s.Inode = self.Dev, self.Inode
	w := &walk{Standing: s, root: root, at: at, left: maxBytes}
	err = w.all(ctx)
	for name := range s.Named {
		w.item(name)
	}
	for name := range before.Items {
		w.item(name)
	}
	return s, errors.Join(err, w.err)
}

// openFolder opens a folder whose owner a command may have kept from it.
func openFolder(dir string) (*os.Root, error) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && info.Mode()&0o500 != 0o500 && unix.Geteuid() != 0 {
		os.Chmod(dir, info.Mode()|0o700) // if it is another's, the system refuses
	}
	return os.OpenRoot(dir)
}

// uncover lets the owner of a folder list and write it: a command can take that away. It
// reports whether that changed anything.
func uncover(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.IsDir() && info.Mode()&0o700 != 0o700 && root.Chmod(name, info.Mode()|0o700) == nil
}

// walk takes a Standing.
type walk struct {
	*Standing
	root *os.Root
	at   *tree.Folder
	left int // bytes
	err  error
}

// spot is a folder to be walked through; whole: all that it holds matters.
type spot struct {
	name  string
	whole bool
}

// all goes through all folders, and takes what git knows in them.
func (w *walk) all(ctx context.Context) error {
	next := []spot{{name: "."}}
	for n := 0; len(next) > 0; n++ {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("it holds more than can be looked at in the time that there is: %w", err)
		}
		if n+len(next) > maxFolders {
			return errFolders
		}
		next = append(next, w.folder(at)...)
	}
	return nil
}

// folder takes what git knows of a folder, and returns the folders in it.
func (w *walk) folder(at spot) (in []spot) {
	dir := w.sub(at.name)
	if dir == nil {
		return nil
	}
	defer dir.Close()
	names := map[string]bool{} // that are ruled
	err := dir.Each(func(raw []byte, kind tree.Kind) bool {
		name := string(raw)
		if kind == tree.UnknownKind {
			stamp, _ := dir.Stat(name)
			kind = stamp.Kind()
		}
		if kind == tree.DirKind {
			full := path.Join(at.name, name)
			in = append(in, spot{full, at.whole || w.Named[full] >= hookDir})
		}
		if at.whole && !strings.HasSuffix(name, ".sample") && !strings.HasSuffix(name, Disarmed) || kind != tree.DirKind && disk.IsGit(name) {
			w.item(path.Join(at.name, name))
		}
		if ruled[fold(name)] {
			names[name] = true
		}
		return w.err == nil
	})
	w.fail(at.name, err)
	if !disk.IsGit(path.Base(at.name)) && !isRepository(func(name string) bool { return names[name] }) {
		return in
	}
	stamp, _ := dir.Self()
	w.Items[at.name] = Item{Mode: fs.ModeDir, Inode: stamp.Inode}
	for name := range names {
		name, word := path.Join(at.name, name), fold(name)
		w.item(name)
		if word == "info" {
			w.item(name + "/attributes")
		}
		for step := range steps {
			w.item(path.Join(name, step))
		}
		if i := slices.IndexFunc(in, func(s spot) bool { return s.name == name }); i >= 0 {
			in[i].whole = at.whole || word == "hooks" || word == "remotes" || word == "branches"
		}
	}
	return in
}

// sub opens a folder; nil where git would find none.
func (w *walk) sub(at string) *tree.Folder {
	dir, err := w.at.Sub(at)
	if errors.Is(err, fs.ErrPermission) && uncover(w.root, at) {
		dir, err = w.at.Sub(at)
	}
	if stamp, failed := w.at.Stat(at); errors.Is(err, fs.ErrPermission) && (failed != nil || int(stamp.Owner) != unix.Geteuid()) {
		return nil // it is closed to this user's git, too, and no command has made it
	}
	if w.fail(at, err); err != nil {
		return nil
	}
	return dir
}

// fail takes down an error, unless it says that git would find nothing there.
func (w *walk) fail(name string, err error) {
	for _, none := range []error{nil, unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.ENAMETOOLONG} {
		if err == nil || none != nil && errors.Is(err, none) {
			return
		}
	}
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", visible(name), disk.Cause(err))
	}
}

// item takes what stands at a name, if anything does and no link is on the way.
func (w *walk) item(name string) {
	if _, ok := w.Items[name]; ok || w.err != nil {
		return
	}
	dir := w.sub(path.Dir(name))
	if dir == nil {
		return
	}
	defer dir.Close()
	base := path.Base(name)
	stamp, err := dir.Stat(base)
	if w.fail(name, err); err != nil {
		return
	}
	item := Item{Mode: fs.FileMode(stamp.Mode & 0o777)}
	switch stamp.Kind() {
	case tree.DirKind:
		item.Mode |= fs.ModeDir
	case tree.LinkKind:
		item.Mode |= fs.ModeSymlink
		item.Text = []byte(dir.Readlink(base))
	case tree.FileKind:
		if item.Text, err = w.read(dir, base); !errors.Is(err, fs.ErrPermission) {
			w.fail(name, err)
		}
	default:
		item.Mode |= fs.ModeIrregular
	}
	if w.left -= len(item.Text); len(w.Items) >= maxItems || w.left < 0 {
		w.err = errCrowded
		return
	}
	w.Items[name] = item
}

func (w *walk) read(dir *tree.Folder, name string) ([]byte, error) {
	f, err := dir.Read(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(w.left)+1))
}
