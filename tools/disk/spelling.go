package disk

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// A disk that folds names, as those of macOS and Windows do, opens doc-main.md as
// DOC-MAIN.md too. A name is the one that its folder lists, on every disk: Folds is the
// cheap question, Listed the answer.

// Folds reports whether a folder may open name, which is there, without listing it in that
// spelling. look is the folder's Lstat. It costs one call where the disk does not fold.
func Folds(look func(name string) error, name string) bool {
	other := strings.Map(otherCase, name)
	return other == name || !errors.Is(look(other), fs.ErrNotExist)
}

func otherCase(r rune) rune {
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
		return r ^ ('a' - 'A')
	}
	return r
}

// Listed returns which of names, a folder's listing, is name or another spelling of it;
// "" where none is.
func Listed(names []string, name string) (listed string) {
	for _, n := range names {
		if n == name {
			return name
		}
		if strings.EqualFold(n, name) {
			listed = n
		}
	}
	return listed
}

// Spelled returns the name under which dir lists the entry that it opens as name. The
// error is fs.ErrNotExist where there is none, or where it is listed by another name that
// is no spelling of this one, such as one without a dot at its end.
func Spelled(dir *os.Root, name string) (string, error) {
	look := func(name string) error { _, err := dir.Lstat(name); return err }
	if err := look(name); err != nil || !Folds(look, name) {
		return name, err
	}
	d, err := dir.Open(".")
	if err != nil {
		return name, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	listed := Listed(names, name)
	if err == nil && listed == "" {
		err = &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return listed, err
}

// IsGit reports whether a file system might take name for ".git": case, the short
// name of FAT, dots and blanks at the end (NTFS), characters that HFS+ ignores.
func IsGit(name string) bool {
	if name == ".git" {
		return true
	}
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, name), ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}
