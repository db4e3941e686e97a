package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// content is a file on the disk; info is nil for a missing one.
type content struct {
	info    fs.FileInfo
	content []byte // only if keep was set
	sha     string
	size    int64 // of the bytes that sha is of
}

// load reads the file for its hash and, with keep, for its bytes.
func (p *place) load(keep bool) (*content, error) {
	f, err := p.file()
	if errors.Is(err, fs.ErrNotExist) {
		return &content{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(p.name, f, keep)
}

// read is load for an open file, nil where there is none. It reads little enough
// for the project's lock to be held meanwhile.
func read(name string, f *os.File, keep bool) (c *content, err error) {
	c = &content{}
	if f == nil {
		return c, nil
	}
	if c.info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !keep && c.info.Size() > shownLimit {
		return nil, refuse("'%s' has %d bytes; these tools replace files of at most %d. Remove it with run_command first.", name, c.info.Size(), shownLimit)
	}
	h := sha256.New()
	var in io.Reader = f
	if keep {
		if c.info.Size() > maxFile {
			return nil, refuse("'%s' has %d bytes; edit_file takes at most %d. Edit it with run_command.", name, c.info.Size(), maxFile)
		}
		if c.content, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
			return nil, err
		}
		in = bytes.NewReader(c.content)
	}
	if c.size, err = io.Copy(h, in); err != nil {
		return nil, err
	}
	if c.size > maxFile && keep {
		return nil, refuse("'%s' grew beyond %d bytes while it was read. Edit it with run_command.", name, maxFile)
	}
	c.sha = hex.EncodeToString(h.Sum(nil))
	return c, nil
}
