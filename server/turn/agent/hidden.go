package agent

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"vibey/dialog"
	"vibey/tools/disk/tree"
)

// A program that is not known may read any setting. The places that programs have agreed
// on are the hidden files and folders of the top, and a few manifests by which a runtime
// decides what it loads.

// manifests are the files of the top that are not hidden and by which runtimes, package
// managers and agents decide what they load and run.
var manifests = []string{
	"package.json", "bunfig.toml", "deno.json", "deno.jsonc", "pyproject.toml", "uv.toml", "mise.toml",
	"opencode.json", "opencode.jsonc", "mcp.json", "crush.json", "codebuff.json", "kilo.json", "kilo.jsonc", "fastagent.config.yaml",
}

// Bounds of what is read of settings.
const (
	settingsFiles = 500
	settingsDepth = 12
	settingsBytes = 8 << 20
)

// Bounds of what is looked at for a program that is not known. A hidden folder can be an
// installation of ten thousand files: what is larger than hiddenBytes counts by its size and
// its times, which a command can't set back (the time of its last change of any kind).
const (
	hiddenMost  = 30_000
	hiddenBytes = 64 << 10
)

// hiddenWalk hashes all that lies at the top's hidden places.
type hiddenWalk struct {
	deed string
	root *os.Root
	sum  hash.Hash
	left int64           // bytes that may still be read
	seen int             // files, folders and links
	been map[string]bool // folders, by device and number: a link may lead back
}

// hiddenIn returns what stands at the hidden places of a deed's top, but .git, which is
// looked after by itself, and the manifests beside them. A name is that of the top.
func hiddenIn(deed string, root *os.Root, sum hash.Hash) (names []string, err error) {
	entries, err := folderNames(root, ".", -1)
	if err != nil {
		return nil, err
	}
	w := hiddenWalk{deed: deed, root: root, sum: sum, left: settingsBytes, been: map[string]bool{}}
	for _, name := range entries {
		// Disks that fold names have package.json in other capitals, too.
		hidden := strings.HasPrefix(name, ".") && name != ".git"
		if !hidden && !slices.Contains(manifests, strings.ToLower(name)) {
			continue
		}
		if err := w.at(name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// put hashes one thing: its name, its kind, and what differs from others of them.
func (w *hiddenWalk) put(name, kind string, what ...any) {
	fmt.Fprintf(w.sum, "%s %q", kind, name)
	for _, v := range what {
		fmt.Fprintf(w.sum, " %q", fmt.Sprint(v))
	}
}

func (w *hiddenWalk) at(name string) error {
	if w.seen++; w.seen > hiddenMost {
		return fmt.Errorf("below the hidden folders of deed/ are more than %d files", hiddenMost)
	}
	info, err := w.root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return w.is(name, info)
	}
	to, err := w.root.Readlink(name)
	if err != nil {
		return err
	}
	w.put(name, "link", to)
	if info, err = w.root.Stat(name); err == nil {
		return w.is(name, info)
	}
	return w.outside(name)
}

// outside hashes the target of a link that leads out of the deed, or to nowhere.
func (w *hiddenWalk) outside(name string) error {
	stamp, err := w.stamp(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		w.put(name, "nowhere")
	case err != nil:
		return fmt.Errorf("what the link deed/%s leads to can't be looked at", dialog.Clean(name, 200))
	case stamp.Kind() == tree.DirKind:
		return fmt.Errorf("deed/%s is a link to a folder outside of the deed", dialog.Clean(name, 200))
	default:
		w.put(name, "outside", stamp.Size, stamp.Mtime, stamp.Ctime, stamp.Inode)
	}
	return nil
}

func (w *hiddenWalk) stamp(name string) (tree.Stamp, error) {
	return tree.StampOf(filepath.Join(w.deed, filepath.FromSlash(name)))
}

// is hashes a file or folder.
func (w *hiddenWalk) is(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return w.in(name, info)
	case !info.Mode().IsRegular():
		w.put(name, "other", info.Mode())
	case info.Size() > min(w.left, hiddenBytes):
		stamp, err := w.stamp(name)
		if err != nil {
			return err
		}
		w.put(name, "large", stamp.Size, stamp.Mtime, stamp.Ctime, stamp.Inode)
	default:
		b, err := settingsFile(w.root, name, hiddenBytes)
		if err != nil {
			return err
		}
		w.left -= int64(len(b))
		w.put(name, "file", info.Mode().Perm()&0o111 != 0, hex.EncodeToString(b))
	}
	return nil
}

func (w *hiddenWalk) in(name string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		key := fmt.Sprint(st.Dev, st.Ino)
		if w.been[key] {
			w.put(name, "again")
			return nil
		}
		w.been[key] = true
	}
	w.put(name, "folder")
	entries, err := folderNames(w.root, name, hiddenMost+1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.at(path.Join(name, e)); err != nil {
			return err
		}
	}
	return nil
}

// folderNames returns the sorted names of a folder, at most most of them, all for -1.
func folderNames(root *os.Root, folder string, most int) ([]string, error) {
	f, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(most)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// settingsFile reads a file of at most most bytes. A link counts by what it leads to
// within the deed; one that leads out can't be looked at.
func settingsFile(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("deed/%s is a link to a folder", name)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("deed/%s is no file", name)
	case st.Size() > most:
		return nil, fmt.Errorf("they have more than %d MiB", settingsBytes>>20)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
