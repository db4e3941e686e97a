package layer

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// parts are what names are made of.
var parts = []string{"a", "b", "c", "d", "e", "new\nline", "co:lon", "com,ma", `back\slash`, "\xff\xfe", "d.x", "ü"}

// stepper takes random steps below the working directory. The same seed takes the same ones.
type stepper struct {
	*rand.Rand
	tame   bool // all may be read: who runs the test is not root
	linked bool // by then a folder is not moved: what copies it makes two files of one
}

func newStepper(seed int64, tame bool) *stepper {
	return &stepper{Rand: rand.New(rand.NewPCG(uint64(seed), 24)), tame: tame}
}

// name is of up to three parts, mostly of few that are met again.
func (s *stepper) name() string {
	var all []string
	for range 1 + s.IntN(3) {
		all = append(all, parts[s.IntN(1+s.IntN(len(parts)))])
	}
	return strings.Join(all, "/")
}

func (s *stepper) bytes() []byte {
	b := make([]byte, []int{0, 1, 10, 5000}[s.IntN(4)])
	for i := range b {
		b[i] = byte(s.IntN(2))
	}
	return b
}

func (s *stepper) mode() fs.FileMode {
	mode := []fs.FileMode{0o644, 0o600, 0o755, 0o444, 0o700, 0o640, 0o777, 0}[s.IntN(8)]
	if s.tame {
		mode |= 0o700
	}
	return mode
}

// old is a time that a test can hold against another.
func (s *stepper) old() time.Time { return time.Unix(int64(s.IntN(1000)), 0) }

// plant makes a deed.
func (s *stepper) plant() {
	for range 5 + s.IntN(20) {
		name := s.name()
		os.MkdirAll(path.Dir(name), 0o755)
		switch s.IntN(6) {
		case 0:
			os.Mkdir(name, 0o755)
		case 1:
			os.Symlink(s.name(), name)
		default:
			os.WriteFile(name, s.bytes(), 0o644)
			os.Chmod(name, s.mode())
			os.Chtimes(name, s.old(), s.old())
		}
	}
	for range s.IntN(3) { // sparse
		name := s.name()
		os.MkdirAll(path.Dir(name), 0o755)
		os.WriteFile(name, []byte("begin"), 0o644)
		os.Truncate(name, 300_000)
	}
}

// steps is a random command.
func steps(seed int64, tame bool) {
	s := newStepper(-seed, tame)
	for range 1 + s.IntN(8) {
		s.step()
	}
}

// step does one thing that succeeds or fails by what stands there.
func (s *stepper) step() {
	name, other, b, mode, old := s.name(), s.name(), s.bytes(), s.mode(), s.old()
	switch s.IntN(18) {
	case 0, 1:
		os.WriteFile(name, b, 0o644)
	case 2:
		s.within(name, os.O_APPEND|os.O_CREATE, func(f *os.File) { f.Write(b) })
	case 3:
		os.Truncate(name, int64(s.IntN(6000)))
	case 4, 5:
		s.rename(name, other)
	case 6:
		os.Remove(name)
	case 7:
		os.RemoveAll(name)
	case 8:
		os.MkdirAll(name, 0o755)
	case 9:
		if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			os.Chmod(name, mode)
		}
	case 10:
		os.Symlink(other, name)
	case 11:
		s.linked = true
		os.Link(name, other)
	case 12:
		s.within(name, os.O_CREATE, func(f *os.File) { f.WriteAt(b, 200_000) })
	case 13:
		s.within(name, 0, func(f *os.File) { mapped(f, b) })
	case 14:
		os.Chtimes(name, old, old)
	case 15: // what it had already
		s.within(name, 0, func(f *os.File) {
			var had [4]byte
			n, _ := f.Read(had[:])
			f.WriteAt(had[:n], 0)
		})
	case 16: // as an editor saves
		if os.WriteFile(name+"~", b, mode) == nil {
			s.rename(name+"~", name)
		}
	case 17: // a folder made again
		if os.RemoveAll(name) == nil && os.Mkdir(name, 0o755) == nil {
			os.WriteFile(name+"/"+path.Base(other), b, 0o644)
		}
	}
}

func (s *stepper) within(name string, how int, do func(f *os.File)) {
	if f, err := os.OpenFile(name, os.O_RDWR|how, 0o644); err == nil {
		do(f)
		f.Close()
	}
}

// mapped writes through memory.
func mapped(f *os.File, b []byte) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err == nil {
		copy(m, b)
		unix.Munmap(m)
	}
}

// rename does what mv -T does.
func (s *stepper) rename(from, to string) {
	info, err := os.Lstat(from)
	if err != nil || info.IsDir() && s.linked {
		return
	}
	err = os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return
	}
	if _, err := os.Lstat(to); err == nil && syscall.Rmdir(to) != nil {
		return
	}
	if copyTree(from, to) == nil {
		os.RemoveAll(from)
	}
}

// copyTree copies what stands at from with its modes and times.
func copyTree(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		if err := os.Mkdir(to, 0o700); err != nil {
			return err
		}
		entries, err := os.ReadDir(from)
		for _, e := range entries {
			err = errors.Join(err, copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
		}
		return errors.Join(err, os.Chmod(to, info.Mode()))
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(target, to))
	}
	b, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, b, 0o600), os.Chmod(to, info.Mode()), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
