package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// Folder is one in which commands run that no layer keeps apart from it.
type Folder struct {
	Dir   string // absolute and free of links
	Human Human
	Homes []string // of commands: a link into one may lead to a repository that a command made there
}

// Standing is what stands in a folder at one moment that Judge needs to know: it is small,
// and may be kept as JSON.
type Standing struct {
	Dev, Inode uint64          // of the folder
	Items      map[string]Item // by name
	Leads      *leads

	exits map[string]bool // links into a HOME of commands
}

// Item is a file, a link or a folder.
type Item struct {
	Mode  fs.FileMode
	Inode uint64 // of a git folder
	Size  int64  // of a file
	Text  []byte // of a file of at most textLimit bytes, or where a link leads
	Sum   []byte // SHA-256 of a longer one, as far as sumLimit

	linked bool // it has another name
}

const (
	maxFolders = 300_000  // that are walked through, some seconds' worth
	maxItems   = 10_000   // that are remembered
	maxBytes   = 32 << 20 // of all texts
	sumLimit   = 64 << 20 // bytes
)

var (
	errFolders = fmt.Errorf("it holds more than %d folders, too many to look for git's hooks and settings: remove some (caches, node_modules), or move them out", maxFolders)
	errCrowded = errors.New("it holds more git repositories, hooks or links out of it than can be looked at: remove those that nobody needs")
	// ErrOther is why a folder is not mended in whose place another one stands now.
	ErrOther = errors.New("another folder stands at its path now")
)

// same reports whether git does the same by both.
func (a Item) same(b Item) bool {
	return a.Mode.Type() == b.Mode.Type() && (a.Mode.IsDir() || a.Mode&0o111 == b.Mode&0o111 && a.Size == b.Size && bytes.Equal(a.Text, b.Text) && bytes.Equal(a.Sum, b.Sum))
}

// Lstat and ReadFile make a Standing a View.
func (s *Standing) Lstat(name string) (fs.FileInfo, error) {
	item, ok := s.Items[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return info{item, name}, nil
}

func (s *Standing) ReadFile(name string) ([]byte, error) { return s.Items[name].Text, nil }

type info struct {
	item Item
	name string
}

func (i info) Name() string       { return path.Base(i.name) }
func (i info) Size() int64        { return i.item.Size }
func (i info) Mode() fs.FileMode  { return i.item.Mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.item.Mode.IsDir() }
func (i info) Sys() any           { return nil }

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
func (f Folder) Stand(ctx context.Context) (*Standing, error) { return f.stand(ctx, nil) }

// stand is Stand, also of what stood there before.
func (f Folder) stand(ctx context.Context, before *Standing) (*Standing, error) {
	s := &Standing{Items: map[string]Item{}, exits: map[string]bool{}, Leads: newLeads(f.Dir, f.Human)}
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
	t := &taking{Folder: f, Standing: s, root: root, at: at, works: []Touched{{Name: "."}}}
	err = t.walk(ctx)
	s.Leads = leadsTo(Views{Dir: f.Dir, Human: f.Human}, t.works)
	for _, names := range []map[string]bool{s.Leads.Files, s.Leads.Hooks} {
		for name := range names {
			t.item(name)
			for hook := range hookNames {
				if s.Leads.Hooks[name] {
					t.item(path.Join(name, hook))
				}
			}
		}
	}
	for name := range s.Leads.Runs {
		t.item(name)
	}
	if before != nil {
		for name := range before.Items {
			t.item(name)
		}
	}
	return s, errors.Join(err, t.err)
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

// taking is a Standing that is being taken.
type taking struct {
	Folder
	*Standing
	root  *os.Root
	at    *tree.Folder
	works []Touched // names in the folders that have a .git
	left  int       // bytes
	err   error
}

// walk goes through all folders, and takes the git folders among them.
func (t *taking) walk(ctx context.Context) error {
	t.left = maxBytes
	next := []string{"."}
	for n := 0; len(next) > 0; n++ {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("it holds more than can be looked at in the time that there is: %w", err)
		}
		if n+len(next) > maxFolders {
			return errFolders
		}
		folders, names, err := t.list(at)
		if err != nil {
			t.fail(at, err)
			continue
		}
		if disk.IsGit(path.Base(at)) || isRepository(func(name string) bool { return names[name] }) {
			t.repository(at, names)
		}
		for _, name := range folders {
			next = append(next, path.Join(at, name))
		}
	}
	return nil
}

// list returns the folders in a folder, and all names in it that git may know. Links out
// and files named .git are taken.
func (t *taking) list(at string) (folders []string, names map[string]bool, err error) {
	dir, err := t.sub(at)
	if dir == nil {
		return nil, nil, err
	}
	defer dir.Close()
	names = map[string]bool{}
	err = dir.Each(func(raw []byte, kind tree.Kind) bool {
		name := string(raw)
		if kind == tree.UnknownKind {
			stamp, _ := dir.Stat(name)
			kind = stamp.Kind()
		}
		switch git := disk.IsGit(name); {
		case kind == tree.DirKind:
			folders = append(folders, name)
		case kind == tree.LinkKind && t.intoHome(at, dir.Readlink(name)):
			t.item(path.Join(at, name))
			t.exits[path.Join(at, name)] = true
		case git:
			t.item(path.Join(at, name))
			t.works = append(t.works, Touched{Name: path.Join(at, name)})
		}
		if ruled[fold(name)] {
			names[name] = true
		}
		return true
	})
	return folders, names, err
}

// sub opens a folder; nil where git would find none.
func (t *taking) sub(at string) (*tree.Folder, error) {
	dir, err := t.at.Sub(at)
	if errors.Is(err, fs.ErrPermission) && uncover(t.root, at) {
		dir, err = t.at.Sub(at)
	}
	if stamp, failed := t.at.Stat(at); errors.Is(err, fs.ErrPermission) && (failed != nil || int(stamp.Owner) != unix.Geteuid()) {
		return nil, nil // it is closed to this user's git, too, and no command has made it
	}
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return dir, nil
}

// absent reports whether an error says that git would find nothing there.
func absent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENAMETOOLONG)
}

func (t *taking) fail(name string, err error) {
	if t.err == nil {
		t.err = fmt.Errorf("%s: %w", strings.Map(visible, name), disk.Cause(err))
	}
}

// intoHome reports whether a link leads to a folder in a HOME of commands.
func (t *taking) intoHome(at, to string) bool {
	if !filepath.IsAbs(to) {
		if name := path.Join(at, to); filepath.IsLocal(name) && !strings.Contains("/"+strings.TrimLeft(to, "./")+"/", "/../") {
			return false // most links
		}
		to = filepath.Join(t.Dir, at) + "/" + to
	}
	real, err := filepath.EvalSymlinks(to)
	if err != nil {
		return false
	}
	info, err := os.Stat(real)
	return err == nil && info.IsDir() && slices.ContainsFunc(t.Homes, func(home string) bool {
		home, err := filepath.EvalSymlinks(home)
		return err == nil && (real == home || strings.HasPrefix(real, home+"/"))
	})
}

// repository takes what matters in a git folder. names are those of the ruled in it.
func (t *taking) repository(at string, names map[string]bool) {
	stamp, _ := t.at.Stat(at)
	t.Items[at] = Item{Mode: fs.ModeDir, Inode: stamp.Inode}
	t.works = append(t.works, Touched{Name: at})
	for name := range names {
		in := path.Join(at, name)
		t.item(in)
		switch fold(name) {
		case "hooks", "remotes", "branches":
			t.all(in)
		case "info":
			t.item(in + "/attributes")
		case "objects":
			t.item(in + "/info")
			t.item(in + "/info/alternates")
			t.item(in + "/info/http-alternates")
		case "rebase-merge", "rebase-apply", "sequencer":
			for name := range steps {
				t.item(path.Join(in, name))
			}
		}
	}
}

// all takes all that is below a folder, but for git's samples.
func (t *taking) all(at string) {
	dir, err := t.sub(at)
	if err != nil {
		t.fail(at, err)
	}
	if dir == nil {
		return
	}
	defer dir.Close()
	var names []string
	dir.Each(func(raw []byte, _ tree.Kind) bool {
		if name := string(raw); !strings.HasSuffix(name, ".sample") && !strings.HasSuffix(name, Disarmed) {
			names = append(names, path.Join(at, name))
		}
		return len(names) <= maxItems
	})
	for _, name := range names {
		if t.item(name).Mode.IsDir() {
			t.all(name)
		}
	}
}

// item takes what stands at a name, if anything does and no link is on the way.
func (t *taking) item(name string) (item Item) {
	if item, ok := t.Items[name]; ok || t.err != nil {
		return item
	}
	dir, err := t.sub(path.Dir(name))
	if err != nil {
		t.fail(name, err)
	}
	if dir == nil {
		return item
	}
	defer dir.Close()
	base := path.Base(name)
	stamp, err := dir.Stat(base)
	if absent(err) {
		return item
	}
	if err != nil {
		t.fail(name, err)
		return item
	}
	item.Mode = fs.FileMode(stamp.Mode & 0o777)
	switch stamp.Kind() {
	case tree.DirKind:
		item.Mode |= fs.ModeDir
	case tree.LinkKind:
		item.Mode |= fs.ModeSymlink
		item.Text = []byte(dir.Readlink(base))
	case tree.FileKind:
		item.Size, item.linked = stamp.Size, stamp.Links > 1
		if err := t.read(dir, base, &item); err != nil && !absent(err) && !errors.Is(err, fs.ErrPermission) {
			t.fail(name, err)
		}
	default:
		item.Mode |= fs.ModeIrregular
	}
	if t.left -= len(item.Text); len(t.Items) >= maxItems || t.left < 0 {
		t.err = errCrowded
		return item
	}
	t.Items[name] = item
	return item
}

func (t *taking) read(dir *tree.Folder, name string, item *Item) error {
	f, err := dir.Read(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if item.Size <= textLimit {
		item.Text, err = io.ReadAll(io.LimitReader(f, textLimit))
		item.Size = int64(len(item.Text))
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(f, sumLimit))
	item.Sum = sum.Sum(nil)
	return err
}
