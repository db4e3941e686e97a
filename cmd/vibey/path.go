package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pathBeside returns a PATH without the entries in which a file of a deed could stand in
// for a program: those that are relative or empty, since they depend on the working
// directory, and those that lie in one of the folders, as they are written or once their
// links are followed.
func pathBeside(path string, folders []string) string {
	var away []string
	for _, f := range folders {
		for _, f := range spellings(f) {
			away = append(away, f+string(filepath.Separator))
		}
	}
	leads := func(entry string) bool {
		return slices.ContainsFunc(spellings(entry), func(e string) bool {
			return slices.ContainsFunc(away, func(f string) bool { return strings.HasPrefix(e+string(filepath.Separator), f) })
		})
	}
	entries := slices.DeleteFunc(filepath.SplitList(path), func(e string) bool { return !filepath.IsAbs(e) || leads(e) })
	return strings.Join(entries, string(os.PathListSeparator))
}

// spellings are a path made absolute, and that without links where it can be followed.
func spellings(path string) []string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil // without a working directory: an absolute one has no error
	}
	real, err := realPath(abs)
	if err != nil {
		return []string{abs}
	}
	return []string{abs, real}
}
