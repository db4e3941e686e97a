//go:build !linux

package tree

import "golang.org/x/sys/unix"

func openBelow(dir int, name string, flags int) (int, error) { return stepBelow(dir, name, flags) }

// Local reports whether the times of the folder's file system are by this
// machine's clock, as far as that is known.
func (f *Folder) Local() bool { return false }

// eachIn calls visit for each entry in what ReadDirent has read. It reports whether
// visit wants more.
func eachIn(entries []byte, visit func(name []byte, k Kind) bool) bool {
	_, _, names := unix.ParseDirent(entries, -1, nil)
	for _, name := range names {
		if !visit([]byte(name), UnknownKind) {
			return false
		}
	}
	return true
}

func moveNew(from int, name string, to int, as string) error { return moveLooking(from, name, to, as) }

// Mount is 0: this system does not tell through which mount a folder was reached.
func (f *Folder) Mount() uint64 { return 0 }
