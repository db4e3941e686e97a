package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// DeedDir returns the folder that agents build in, as an absolute path without
// links: deed/ itself, or the folder that a human linked it to. Every caller that
// opens a deed uses it. Errors, which name no path of the machine: ErrLeads for a
// folder that agents must not write, fs.ErrNotExist if it is no folder.
func (p *Project) DeedDir() (string, error) {
	own := filepath.Join(p.store.path, p.name, deedName)
	path, err := folderAt(own)
	if err != nil {
		return "", fmt.Errorf("deed of %s: %w", p.name, err)
	}
	err = p.store.apart(path, path == own)
	if err == nil {
		err = p.store.apartOnTheWay(own, p.name)
	}
	if err != nil {
		return "", fmt.Errorf("deed of %s: %w: %w", p.name, ErrLeads, err)
	}
	return path, nil
}

// MakeDeed makes the deed's folder where nothing stands in its place, as after a copy by
// a program that carries no empty folders. A link that leads nowhere stays.
func (p *Project) MakeDeed() error {
	err := p.dir.Mkdir(deedName)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = p.dir.Sync()
	}
	if err != nil {
		return fmt.Errorf("deed of %s: %w", p.name, disk.Cause(err))
	}
	return nil
}

// checkDeed refuses a folder to which a new project's deed must not be linked.
func (s *Store) checkDeed(deed string) error {
	if deed == "" {
		return nil
	}
	if !filepath.IsAbs(deed) {
		return fmt.Errorf("%w: its path is not absolute", ErrDeed)
	}
	path, err := folderAt(deed)
	if err == nil {
		err = s.apart(path, false)
	}
	if err == nil {
		err = s.apartOnTheWay(deed, "")
	}
	if err == nil {
		err = s.apartFromWays(path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDeed, err)
	}
	return nil
}

// folderAt returns the path without links of the folder at path. The error names
// no path.
func folderAt(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", disk.Cause(err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", fmt.Errorf("it is no folder: %w", fs.ErrNotExist)
	}
	return path, nil
}

// apartOnTheWay refuses a path through the deed of another project than own, whose
// agents could make it lead anywhere.
func (s *Store) apartOnTheWay(path, own string) error {
	through, err := passed(path)
	if err != nil {
		return err
	}
	return s.others(own, func(name, deed string) error {
		if at, err := os.Stat(deed); err == nil && contains(through, at) {
			return apartError("it leads through the deed of the project " + name)
		}
		return nil
	})
}

// apartFromWays refuses a folder through which another project's deed is reached.
func (s *Store) apartFromWays(path string) error {
	at, err := os.Stat(path)
	if err != nil {
		return disk.Cause(err)
	}
	return s.others("", func(name, deed string) error {
		if through, err := passed(deed); err == nil && contains(through, at) {
			return apartError("the deed of the project " + name + " lies in it")
		}
		return nil
	})
}

// others calls f with each project but own, and the path of its deed.
func (s *Store) others(own string, f func(name, deed string) error) error {
	names, err := s.Projects()
	for _, n := range names {
		if n != own && err == nil {
			err = f(n, filepath.Join(s.path, n, deedName))
		}
	}
	return err
}

// passed returns the folders in which the names of a path, and of the links on it,
// are looked up.
func passed(path string) (all []fs.FileInfo, err error) {
	_, _, way, err := tree.Follow(path)
	if err != nil {
		return nil, disk.Cause(err)
	}
	for _, at := range way {
		info, err := os.Stat(filepath.Dir(at))
		if err != nil {
			return nil, disk.Cause(err)
		}
		all = append(all, info)
	}
	return all, nil
}

// apart refuses a deed from which an agent could write keys, docs and dialogs, or
// another project. path is absolute and free of links; plain reports that it is the
// project's own folder deed, which lies in the projects' folder. Folders are compared
// by os.SameFile, since a bind mount, or a file system that ignores case, gives one
// folder several names. (A bind mount of a folder deep within another project is not
// detected.)
func (s *Store) apart(path string, plain bool) error {
	for _, kernel := range []string{"/proc", "/sys"} {
		if path == kernel || strings.HasPrefix(path, kernel+"/") {
			return apartError("it lies in " + kernel + ", where the system shows itself, other programs' secrets among it")
		}
	}
	deed, err := upward(path)
	if err != nil {
		return err
	}
	within, own := deed, ""
	if plain {
		within, own = deed[:1], path
	}
	if err := s.apartFromProjects(own, within); err != nil {
		return err
	}
	for _, g := range []landmark{{"the projects' own folder", s.path}, {"the folder where this server keeps its keys", s.o.State}} {
		mark, err := upward(g.path)
		if errors.Is(err, fs.ErrNotExist) { // so is "", a state dir that there is not
			continue
		}
		if err != nil {
			return err
		}
		if contains(mark, deed[0]) {
			return apartError("it is, or holds, " + g.what)
		}
		if contains(within, mark[0]) {
			return apartError("it lies in " + g.what)
		}
	}
	return nil
}

// landmark is a folder that no deed may be, hold, or lie in, by its path and in
// words within a sentence.
type landmark struct{ what, path string }

// apartFromProjects refuses a deed that is, or lies in, a project or a project's
// plain deed other than own. within are the deed's folder and those above it.
func (s *Store) apartFromProjects(own string, within []fs.FileInfo) error {
	return s.others("", func(name, deed string) error {
		for _, m := range []landmark{{"the deed of the project ", deed}, {"the project ", filepath.Dir(deed)}} {
			if m.path == own {
				continue
			}
			if at, err := os.Lstat(m.path); err == nil && contains(within, at) {
				return apartError("it is, or lies in, " + m.what + name)
			}
		}
		return nil
	})
}

func apartError(why string) error {
	return errors.New(why + ". Link deed to a folder that stands apart, or make it a plain folder")
}

// upward returns a folder and all folders above it.
func upward(path string) ([]fs.FileInfo, error) {
	var all []fs.FileInfo
	for {
		at, err := os.Stat(path)
		if err != nil {
			return nil, disk.Cause(err)
		}
		all = append(all, at)
		above := filepath.Dir(path)
		if above == path {
			return all, nil
		}
		path = above
	}
}

// contains reports whether folder is one of all, whatever its name there.
func contains(all []fs.FileInfo, folder fs.FileInfo) bool {
	return slices.ContainsFunc(all, func(o fs.FileInfo) bool { return os.SameFile(o, folder) })
}
