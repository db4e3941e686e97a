package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"unicode/utf8"

	"vibey/tools/disk"
)

// ErrUnquotable is a file of which no passage can be quoted: it is neither a doc nor a file
// below deed/, no file of its own, too large, or not text. The words around it say which.
var ErrUnquotable = errors.New("no passage of this file can be quoted")

// ReadQuotable reads a doc, or a text file of the deed, of at most shownLimit bytes, whose
// passages a human asks about. name is its path in the project, at the end of links. Errors
// are ErrUnquotable, fs.ErrNotExist, disk.ErrChanged, and the system's.
func ReadQuotable(env Env, given string) (name, text string, err error) {
	p, err := findQuotable(env, given)
	if err != nil {
		return "", "", err
	}
	defer p.close()
	f, err := p.file()
	if err != nil {
		return "", "", quotable(err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, shownLimit+1))
	switch {
	case err != nil:
		return "", "", err
	case len(content) > shownLimit:
		return "", "", fmt.Errorf("%w: it has more than 64 MiB", ErrUnquotable)
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return "", "", fmt.Errorf("%w: it is not text in UTF-8", ErrUnquotable)
	}
	return p.name, string(content), nil
}

func findQuotable(env Env, given string) (*place, error) {
	p, err := findFile(env, given)
	if err != nil {
		return nil, quotable(err)
	}
	if dialogName.MatchString(p.name) {
		p.close()
		return nil, fmt.Errorf("%w: it is a dialog", ErrUnquotable)
	}
	return p, nil
}

// quotable returns err as one of ReadQuotable's.
func quotable(err error) error {
	var r *refusal
	var other *disk.NotFileError
	switch {
	case errors.As(err, &r):
		return fmt.Errorf("%w: it is no doc and no file below deed/", ErrUnquotable)
	case errors.As(err, &other):
		return fmt.Errorf("%w: it is %s", ErrUnquotable, other.Kind())
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fs.ErrNotExist // no disk has such a name
	}
	return err
}
