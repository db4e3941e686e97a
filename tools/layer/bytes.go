package layer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vibey/tools/disk/tree"
)

// sum returns the SHA-256, in lowercase hex, of a file or of a link's target, else "".
func (r *reader) sum(top *tree.Folder, name string, stamp tree.Stamp) (string, error) {
	h := sha256.New()
	switch stamp.Kind() {
	case tree.LinkKind:
		io.WriteString(h, top.Readlink(name))
	case tree.FileKind:
		f, err := r.file(top, name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		if _, err := io.CopyBuffer(h, &sparse{ctx: r.ctx, f: f}, make([]byte, 1<<18)); err != nil {
			return "", err
		}
	default:
		return "", nil
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// file opens a file, and in Up also one that the command made unreadable.
func (r *reader) file(top *tree.Folder, name string) (*os.File, error) {
	f, err := top.Read(name)
	if err != nil && top == r.low {
		return nil, &lowError{err}
	}
	if !errors.Is(err, fs.ErrPermission) {
		return f, err
	}
	stamp, err := top.Stat(name)
	if err != nil {
		return nil, err
	}
	at := filepath.Join(r.Up(), name) // see openUp
	if err := unix.Chmod(at, 0o400); err != nil {
		return nil, &fs.PathError{Op: "chmod", Path: name, Err: err}
	}
	defer unix.Chmod(at, stamp.Mode&0o7777)
	return top.Read(name)
}

// lowError is that of a file of the deed, whose other writers go on meanwhile.
type lowError struct{ error }

func (e *lowError) Unwrap() error { return e.error }

// same reports whether a file has the same bytes in Up and in the deed.
func (r *reader) same(name string) (bool, error) {
	up, err := r.file(r.up, name)
	if err != nil {
		return false, err
	}
	defer up.Close()
	low, err := r.file(r.low, name)
	if err != nil {
		return false, err
	}
	defer low.Close()
	a, b := sparse{ctx: r.ctx, f: up}, sparse{ctx: r.ctx, f: low}
	bufA, bufB := make([]byte, 1<<18), make([]byte, 1<<18)
	for {
		n, err := io.ReadFull(&a, bufA)
		m, errB := io.ReadFull(&b, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		if err != nil || errB != nil {
			return true, unlessEnd(cmp.Or(unlessEnd(err), errB))
		}
	}
}

func unlessEnd(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// sparse reads a file and makes up the bytes of its holes.
type sparse struct {
	ctx      context.Context
	f        *os.File
	at       int64
	from, to int64 // the next bytes on the disk that are known; before from is a hole
}

func (s *sparse) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.at >= s.to {
		if err := s.seek(); err != nil {
			return 0, err
		}
	}
	if s.at < s.from {
		p = p[:min(int64(len(p)), s.from-s.at)]
		clear(p)
		s.at += int64(len(p))
		return len(p), nil
	}
	n, err := s.f.ReadAt(p[:min(int64(len(p)), s.to-s.at)], s.at)
	s.at += int64(n)
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

// seek finds the next bytes on the disk: none and the file's size behind the last. Where
// the disk does not tell, all of the file is read.
func (s *sparse) seek() error {
	fd := int(s.f.Fd())
	from, err := unix.Seek(fd, s.at, unix.SEEK_DATA)
	if err == nil {
		s.from = from
		s.to, err = unix.Seek(fd, from, unix.SEEK_HOLE)
	} else if err == unix.ENXIO {
		var info fs.FileInfo
		if info, err = s.f.Stat(); err == nil && info.Size() <= s.at {
			return io.EOF
		} else if err == nil {
			s.from, s.to = info.Size(), info.Size()
		}
	}
	if err != nil || s.to <= s.at {
		s.from, s.to = s.at, math.MaxInt64
	}
	return nil
}
