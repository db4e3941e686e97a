package sandbox

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// places are the folders of one command, absolute and free of links.
type places struct {
	dir     string // where it begins
	project string
	deed    string // "" where there is none
	home    string // "" where there is none
}

// placesOf finds them, and refuses a deed that would open what is hidden.
func placesOf(s Spec, hide []string) (p places, err error) {
	p.dir = s.Dir
	if p.project, err = filepath.EvalSymlinks(cmp.Or(s.Project, s.Dir)); err != nil {
		return p, err
	}
	if s.Home != "" {
		if p.home, err = filepath.EvalSymlinks(s.Home); err != nil {
			return p, err
		}
	}
	if s.Deed == "" {
		return p, nil
	}
	if p.deed, err = filepath.EvalSymlinks(s.Deed); err != nil {
		return p, err
	}
	home, _ := os.UserHomeDir()
	for _, h := range append(slices.Clone(hide), home, p.project) {
		if real, err := filepath.EvalSymlinks(h); h != "" && err == nil && within(real, p.deed) {
			return p, errors.New("deed/ leads to a folder that holds others which commands must not reach. A human must link it to another one")
		}
	}
	if p.deed == "/" {
		return p, errors.New("deed/ leads to the root of this machine. A human must link it to another folder")
	}
	return p, nil
}

// compact returns the paths that are not empty.
func compact(paths ...string) []string {
	return slices.DeleteFunc(paths, func(s string) bool { return s == "" })
}

// within tells whether path is dir or below it; both are clean.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
