package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"vibey/tools/git"
)

// A repository's hooks and config are programs that run when a human, or this
// server, uses git there: a command must not write them.
const plainConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"

// shieldGit adds the mounts that keep the deed's own .git safe while a command runs that
// has no layer: a .git that is there is mounted onto itself, so that it can't be moved
// away; its hooks and config likewise, read-only. All else is looked after by guards.
func (l *layout) shieldGit(deed string) error {
	git := filepath.Join(deed, ".git")
	info, err := os.Lstat(git)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir(): // a worktree's file, or a link
		if info.Mode()&fs.ModeSymlink != 0 {
			real, err := filepath.EvalSymlinks(git)
			if err != nil || !within(real, deed) {
				return nil // it leads nowhere, or to what this command has no part in
			}
			git = real
		}
		l.mount("--ro-bind", git)
		return nil
	}
	if _, err := os.Lstat(filepath.Join(git, "HEAD")); err != nil {
		return nil // no repository yet
	}
	hooks, config := filepath.Join(git, "hooks"), filepath.Join(git, "config")
	os.Mkdir(hooks, 0o755) // there is nothing to protect what is not there
	if f, err := os.OpenFile(config, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
		f.WriteString(plainConfig)
		f.Close()
	}
	h, errH := os.Lstat(hooks)
	c, errC := os.Lstat(config)
	if errH != nil || errC != nil || !h.IsDir() || !c.Mode().IsRegular() {
		l.mount("--ro-bind", git) // nothing that can be kept apart
		return nil
	}
	l.mount("--bind", git)
	l.mount("--ro-bind", hooks)
	l.mount("--ro-bind", config)
	return nil
}

// mount mounts a path of this machine at the same place.
func (l *layout) mount(how, path string) {
	l.args = append(l.args, how, path, path)
	l.basis = append(l.basis, path)
}

// NamedByGit reports whether git runs the file at a path of a deed, or takes its
// settings from it, because a config, a hook or a link of a human's leads there. name
// is free of links.
func (r *Runner) NamedByGit(_ context.Context, deed, name string) (bool, error) {
	deed, err := filepath.EvalSymlinks(deed)
	return err == nil && git.NamedIn(deed, r.Human(), []string{name}).Has(name), err
}
