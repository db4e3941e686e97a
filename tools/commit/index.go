package commit

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"sync"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// Index is git's index as it was at one moment: which files of a work tree git holds for
// unchanged, by their stat, and the blobs of their bytes. Versions 2 and 3 are read.
// Source: git's Documentation/gitformat-index.adoc.
type Index struct {
	bytes   *bytes.Buffer // nil when closed
	written int64         // when the index was written: an entry as young may be of other bytes
}

// indexed is an entry of the index: the file's stat when its bytes were the blob's.
type indexed struct {
	ctime, mtime int64 // nanoseconds since 1970
	inode, size  uint32
	blob         string // SHA-1 in hex
}

// indexMost is the largest index that is read: some 80,000 files.
const indexMost = 8 << 20

var errIndex = errors.New("it is no index that can be read here")

// OpenIndex reads the index of the repository in a deed, and takes no lock. It is read
// before a command, for that may write what it wants over it, and looked into only where
// Blobs is called: this takes 10 ms and more in a large repository.
func OpenIndex(deed string) (*Index, error) {
	git, err := openGit(deed)
	if err != nil {
		return nil, err
	}
	defer git.Close()
	f, err := disk.Open(git, "index")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() > indexMost {
		err = errIndex
	}
	if err != nil {
		return nil, err
	}
	x := &Index{indexes.Get().(*bytes.Buffer), info.ModTime().UnixNano()}
	x.bytes.Reset()
	x.bytes.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := x.bytes.ReadFrom(io.LimitReader(f, info.Size())); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// indexes are buffers to read into: fresh memory costs more than the reading.
var indexes = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Close lets go of what was read. A nil Index has nothing.
func (x *Index) Close() {
	if x != nil && x.bytes != nil {
		indexes.Put(x.bytes)
		x.bytes = nil
	}
}

// Blobs returns the blobs that hold the bytes of those files, by their paths below the
// deed, whose stat is the one that git has seen with them.
func (x *Index) Blobs(files map[string]tree.Stamp) (map[string]string, error) {
	entries, err := parseIndex(x.bytes.Bytes(), func(name []byte) bool { _, ok := files[string(name)]; return ok })
	if err != nil {
		return nil, err
	}
	blobs := map[string]string{}
	for name, e := range entries {
		st := files[name]
		same := st.Kind() == tree.FileKind && e.mtime == st.Mtime && e.ctime == st.Ctime && e.inode == uint32(st.Inode) && int64(e.size) == st.Size
		if same && e.mtime < x.written {
			blobs[name] = e.blob
		}
	}
	return blobs, nil
}

const (
	indexHead  = 12 // bytes before the first entry
	entryFixed = 62 // bytes of an entry before its name, or before the flags of version 3
)

// parseIndex reads those entries of whole files that are wanted. What is unmerged, assumed
// to be unchanged or only meant to be added is left out.
func parseIndex(b []byte, wanted func(name []byte) bool) (map[string]indexed, error) {
	if len(b) < indexHead+sha1.Size || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	body, sum := b[:len(b)-sha1.Size], b[len(b)-sha1.Size:]
	version, n := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if got := sha1.Sum(body); !bytes.Equal(got[:], sum) || version != 2 && version != 3 {
		return nil, errIndex
	}
	files := map[string]indexed{}
	for rest := body[indexHead:]; n > 0; n-- {
		if len(rest) < entryFixed {
			return nil, errIndex
		}
		name := entryFixed
		flags, more := binary.BigEndian.Uint16(rest[60:]), uint16(0)
		if flags&0x4000 != 0 {
			if name += 2; len(rest) < name {
				return nil, errIndex
			}
			more = binary.BigEndian.Uint16(rest[entryFixed:])
		}
		end := bytes.IndexByte(rest[name:], 0)
		if end < 0 || len(rest) < (name+end)/8*8+8 {
			return nil, errIndex
		}
		const unsure = 0x8000 | 0x3000 // assume-valid, and a stage
		if regular := binary.BigEndian.Uint32(rest[24:])>>12 == 0o10; regular && flags&unsure == 0 && more == 0 && wanted(rest[name:name+end]) {
			files[string(rest[name:name+end])] = indexed{
				ctime: nanoseconds(rest), mtime: nanoseconds(rest[8:]), inode: binary.BigEndian.Uint32(rest[20:]), size: binary.BigEndian.Uint32(rest[36:]),
				blob: hex.EncodeToString(rest[40:60]),
			}
		}
		rest = rest[(name+end)/8*8+8:] // one to eight NULs behind the name
	}
	return files, nil
}

// nanoseconds reads a time of an entry.
func nanoseconds(b []byte) int64 {
	return int64(binary.BigEndian.Uint32(b))*1e9 + int64(binary.BigEndian.Uint32(b[4:]))
}
