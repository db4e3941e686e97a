package layer

import (
	"fmt"
	"sync"
	"time"

	"vibey/tools/disk/tree"
)

// The limits of one layer. Only tests set others.
var (
	MostBytes int64 = 2 << 30 // as allocated
	MostFiles       = 100_000 // folders, links and what stands for a deletion count, too
)

// usage is what a layer takes.
type usage struct {
	Bytes int64 // as allocated; of a file with more names here, each has its part
	Files int
}

func (u *usage) add(stamp tree.Stamp, allocated int64) {
	u.Files++
	if stamp.Kind() != tree.DirKind {
		u.Bytes += allocated / int64(max(stamp.Links, 1))
	}
}

// over returns an ErrTooLarge with the numbers.
func (u usage) over(bytes int64, files int) error {
	if u.Bytes <= bytes && u.Files <= files {
		return nil
	}
	return fmt.Errorf("%w: it has at least %d files and %d MiB, and may have %d and %d MiB", ErrTooLarge, u.Files, max(u.Bytes, 0)>>20, files, bytes>>20)
}

// counter keeps used from taking more than a tenth of the time.
type counter struct {
	sync.Mutex
	last usage
	next time.Time
}

// Over returns an ErrTooLarge with the numbers where the command wrote more than it may. It
// may be called every 100 ms: where counting takes long, it says for some time what it said
// before. What a running command hides in a folder that may not be read is counted by Read.
func (l *Layer) Over() error { return l.used().over(MostBytes, MostFiles) }

// used is what the command wrote so far, as far as it is counted: above the limits it is not.
func (l *Layer) used() usage {
	l.count.Lock()
	defer l.count.Unlock()
	begin := time.Now()
	if begin.Before(l.count.next) {
		return l.count.last
	}
	u := usage{-l.copied.Bytes, -l.copied.Files}
	if top, err := tree.OpenDir(l.Up()); err == nil {
		defer top.Close()
		countBelow(top, &u)
	}
	end := time.Now()
	l.count.last, l.count.next = usage{max(u.Bytes, 0), max(u.Files, 0)}, end.Add(10*end.Sub(begin))
	return l.count.last
}

// countBelow adds what lies below top until u is over a limit. What can't be read or goes
// away meanwhile is left out.
func countBelow(top *tree.Folder, u *usage) {
	for rest := []string{"."}; len(rest) > 0; {
		at := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		dir, err := top.Sub(at)
		if err != nil {
			continue
		}
		dir.Each(func(name []byte, _ tree.Kind) bool {
			stamp, allocated, _, err := dir.Held(string(name))
			if err == nil {
				u.add(stamp, allocated)
			}
			if err == nil && stamp.Kind() == tree.DirKind {
				rest = append(rest, below(at, string(name)))
			}
			return u.over(MostBytes, MostFiles) == nil
		})
		dir.Close()
		if u.over(MostBytes, MostFiles) != nil {
			return
		}
	}
}
