package layer

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/tools/disk/tree"
)

// overlay reads what the kernel's overlayfs left in its upper folder.
// Source: Documentation/filesystems/overlayfs.rst, "whiteouts and opaque directories".
type overlay struct {
	up    string
	began int64 // nanoseconds since 1970
}

// covers: a folder of the deed that was removed and made again is opaque. One that is new
// in a folder of the deed is, too.
func (o *overlay) covers(name string, _ tree.Stamp) bool {
	value, _ := o.attr(name, "user.overlay.opaque")
	return value == "y"
}

func (o *overlay) as(string, tree.Stamp) bool  { return false }
func (o *overlay) saw(string) bool             { return true }
func (o *overlay) whiteout(device uint64) bool { return device == 0 }

// touched goes by the time of what stands there. That of a folder changes with its entries:
// only where it differs from the time of its bytes, the folder itself was touched. If nothing stands
// there, the command found something only if that was copied up, by this name or by another one: the
// time of the folder tells whether anything went away in it.
func (o *overlay) touched(name string, low, parent tree.Stamp) bool {
	switch {
	case low == tree.Stamp{}:
		_, copiedUp := o.attr(name, "user.overlay.origin")
		return copiedUp && parent.Ctime >= o.began
	case low.Kind() == tree.DirKind:
		return low.Ctime >= o.began && low.Ctime != low.Mtime
	}
	return low.Ctime >= o.began
}

// attr returns an attribute of an entry of the upper folder. No link is on the way: no other
// program writes there, and the walk went down folders.
func (o *overlay) attr(name, key string) (value string, has bool) {
	var buf [256]byte
	n, err := unix.Lgetxattr(filepath.Join(o.up, name), key, buf[:])
	return string(buf[:max(n, 0)]), err == nil
}

// Strip removes from what lies in Up at a path, and from all below it, what the overlay
// left there for itself: whiteouts, and its attributes. It is called before that is moved
// into the deed, when nothing writes to the layer.
func Strip(at string) error {
	return filepath.WalkDir(at, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Type()&fs.ModeCharDevice != 0:
			return os.Remove(at)
		case d.Type()&fs.ModeSymlink != 0: // can't have attributes of a user
			return nil
		}
		return stripAttrs(at)
	})
}

// stripAttrs costs one call for a file that has none.
func stripAttrs(at string) error {
	var buf [1 << 16]byte // as long as the list may be
	n, err := unix.Llistxattr(at, buf[:])
	if err == nil && n > 0 {
		for key := range strings.SplitSeq(string(buf[:n]), "\x00") {
			if strings.HasPrefix(key, "user.overlay.") {
				err = cmp.Or(err, unix.Lremovexattr(at, key))
			}
		}
	}
	if err != nil && err != unix.ENOTSUP {
		return &fs.PathError{Op: "strip", Path: at, Err: err}
	}
	return nil
}
