package layer

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/tools/disk/tree"
)

// overlay reads what the kernel's overlayfs left in its upper folder.
// Source: Documentation/filesystems/overlayfs.rst, "whiteouts and opaque directories".
type overlay struct {
	up    string
	began int64 // nanoseconds since 1970

	opaque map[string]bool // by folder: those above one are visited before it
}

// covers: a folder of the deed that was removed and made again is opaque, and so is, without
// a mark, all below it. One that is new in a folder of the deed is marked, too.
func (o *overlay) covers(name string, _ tree.Stamp) bool {
	value, _ := o.attr(name, "user.overlay.opaque")
	o.opaque[name] = value == "y" || o.opaque[path.Dir(name)] && name != "."
	return o.opaque[name]
}

func (o *overlay) as(string, tree.Stamp) bool  { return false }
func (o *overlay) saw(string) bool             { return true }
func (o *overlay) whiteout(device uint64) bool { return device == 0 }

// touched goes by the time of what stands there. That of a folder changes with its entries,
// too, and then both of its times are the same: it is the folder that the command found unless
// something changed in the one above it. If nothing stands there, the command found something only if
// that was copied up, by this name or by another one: again the folder above it tells.
func (o *overlay) touched(name string, low, parent tree.Stamp) bool {
	switch {
	case low == tree.Stamp{}:
		_, copiedUp := o.attr(name, "user.overlay.origin")
		return copiedUp && parent.Ctime >= o.began
	case low.Kind() == tree.DirKind:
		return low.Ctime >= o.began && (low.Ctime != low.Mtime || parent.Ctime >= o.began)
	}
	return low.Ctime >= o.began
}

// moved finds what the command moved to where nothing stands in the deed: it is as old and as
// large as a file that went. Where that is not plain, also no file goes that may be it, or its
// bytes would be in neither place.
func (o *overlay) moved(all []entry) {
	type look struct{ size, mtime int64 }
	went, sure := map[look][]*entry{}, true
	for i := range all {
		if e := &all[i]; e.up == (tree.Stamp{}) && e.low.Kind() == tree.FileKind {
			at := look{e.low.Size, e.low.Mtime}
			went[at] = append(went[at], e)
		}
	}
	for i := range all {
		if e := &all[i]; e.unsure && e.up.Kind() == tree.FileKind {
			at := look{e.up.Size, e.up.Mtime}
			if n := len(went[at]); n > 0 {
				e.touched, went[at] = false, went[at][:n-1]
			} else {
				sure = false
			}
		}
	}
	for _, left := range went {
		for _, e := range left {
			e.touched = e.touched || !sure
		}
	}
}

// attr returns an attribute of an entry of the upper folder: of one that may not be read,
// that it has it. No link is on the way: no other
// program writes there, and the walk went down folders.
func (o *overlay) attr(name, key string) (value string, has bool) {
	var buf [256]byte
	n, err := unix.Lgetxattr(filepath.Join(o.up, name), key, buf[:])
	return string(buf[:max(n, 0)]), err == nil || err == unix.EACCES
}

// Strip removes from what lies in Up at a path, and from all below it, what the overlay
// left there for itself: whiteouts, and its attributes. It is called before that is moved
// into the deed, when nothing writes to the layer. Modes are afterwards what they were.
func Strip(at string) error {
	info, err := os.Lstat(at)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 { // a link can't have attributes of a user
		return err
	}
	if info.Mode()&fs.ModeCharDevice != 0 {
		return os.Remove(at)
	}
	attrs, need := overlayAttrs(at), fs.FileMode(0)
	if len(attrs) > 0 {
		need = 0o200
	}
	if info.IsDir() {
		need = 0o700
	}
	if mode := info.Mode(); mode&need != need {
		if err := os.Chmod(at, mode|need); err != nil {
			return err
		}
		defer os.Chmod(at, mode)
	}
	for _, key := range attrs {
		if err := unix.Lremovexattr(at, key); err != nil {
			return &fs.PathError{Op: "strip", Path: at, Err: err}
		}
	}
	if !info.IsDir() {
		return nil
	}
	entries, err := os.ReadDir(at)
	for _, e := range entries {
		err = cmp.Or(err, Strip(filepath.Join(at, e.Name())))
	}
	return err
}

// overlayAttrs are the attributes that are the overlay's.
func overlayAttrs(at string) (keys []string) {
	all, _ := attrsOf(at)
	return slices.DeleteFunc(all, func(key string) bool { return !strings.HasPrefix(key, "user.overlay.") })
}

// attrsOf returns the names of the attributes of what stands at a path. It costs one call for
// what has none.
func attrsOf(at string) (keys []string, err error) {
	buf := make([]byte, 512)
	n, err := unix.Llistxattr(at, buf)
	if err == unix.ERANGE {
		buf = make([]byte, 1<<16) // as long as the list may be
		n, err = unix.Llistxattr(at, buf)
	}
	for key := range strings.SplitSeq(string(buf[:max(n, 0)]), "\x00") {
		if key != "" {
			keys = append(keys, key)
		}
	}
	return keys, err
}
