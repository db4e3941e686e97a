package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"vibey/tools/disk/tree"
)

// A repository's hooks and config are programs that run when a human, or this
// server, uses git there: a command must not write them.
const plainConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"

// shieldGit adds the mounts that keep the deed's own .git safe while a command
// runs; all else below the deed is looked after by guards.
//
// A .git that is there is mounted onto itself, so that it can't be moved away;
// its hooks and config likewise, read-only. Where there is none, git init works
// in a folder of its own, from which the repository is taken over once the
// command and all of its processes have ended.
func (l *layout) shieldGit(deed string) error {
	git := filepath.Join(deed, ".git")
	info, err := os.Lstat(git)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.newGit = true
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
	case repositories.empty(git): // another command's, or left by a server that was killed
		l.newGit = true
		return nil
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

// repositories counts, by path, the commands that run on a .git that is not
// there yet: an empty folder must stand in its place for as long as any of them.
var repositories holders

type holders struct {
	mu sync.Mutex
	n  map[string]int
}

// empty reports whether a folder is empty, and not about to be filled.
func (h *holders) empty(path string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	names, err := os.ReadDir(path)
	return err == nil && len(names) == 0
}

// hold makes the folder, if it is the first to.
func (h *holders) hold(path string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if h.n == nil {
		h.n = map[string]int{}
	}
	h.n[path]++
	return nil
}

// release calls last while no other command can hold path, and takes the folder away
// if it is empty.
func (h *holders) release(path string, last func() string) (note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	note = last()
	if h.n[path]--; h.n[path] <= 0 {
		delete(h.n, path)
		os.Remove(path) // only where it is empty
	}
	return note
}

// heldName is the link, beside a command's own .git, to the folder that is held for it.
const heldName = "held"

// letGo removes the empty folders that a killed program held in deeds; scratch is its
// folder.
func letGo(scratch string) {
	names, _ := filepath.Glob(filepath.Join(scratch, "*", heldName))
	for _, name := range names {
		if held, err := os.Readlink(name); err == nil && filepath.Base(held) == ".git" {
			unix.Rmdir(held) // only a folder, and only where it is empty
		}
	}
}

// newGit gives the command a .git of its own to make a repository in, and adds
// its mount.
func newGit(c Config, deed string, args []string, j *job) ([]string, error) {
	git := filepath.Join(deed, ".git")
	made, err := c.folder("git-", j)
	if err != nil {
		return nil, err
	}
	inside := filepath.Join(made, "deed", ".git")
	if err := errors.Join(os.MkdirAll(inside, 0o755), os.Symlink(git, filepath.Join(made, heldName)), repositories.hold(git)); err != nil {
		return nil, err
	}
	j.cleanup(func() string {
		return repositories.release(git, func() string { return adopt(filepath.Dir(inside), git) })
	})
	return append(slices.Clone(args), "--bind", inside, git), nil
}

// folder makes a folder that the job needs, and no other command reaches.
func (c Config) folder(name string, j *job) (string, error) {
	dir, err := os.MkdirTemp(c.scratch, name)
	if err == nil {
		j.cleanup(func() string {
			go c.Guard("removing a command's folder", func() error { remove(dir); return nil })
			return ""
		})
	}
	return dir, err
}

// remove removes a folder that a command has filled.
func remove(dir string) {
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer root.Close()
	tree.Remove(root, filepath.Base(dir))
}

// adopt makes the repository in made/.git that of the deed, if it is one. It is
// disarmed before it gets there.
func adopt(made, git string) string {
	from := filepath.Join(made, ".git")
	if _, err := os.Lstat(filepath.Join(from, "HEAD")); err != nil {
		return ""
	}
	if names, err := os.ReadDir(git); err != nil || len(names) > 0 {
		return "The repository that this command made in deed/.git was dropped: another one came to stand there."
	}
	undone, err := newGitKeeper(made).disarm(context.Background(), nil)
	if err = errors.Join(err, purge(from)); err != nil {
		return "The repository that this command made in deed/.git was dropped: " + err.Error()
	}
	names, err := os.ReadDir(from)
	for _, n := range names {
		err = errors.Join(err, moveTree(filepath.Join(from, n.Name()), filepath.Join(git, n.Name())))
	}
	if err != nil {
		return "The repository that this command made in deed/.git could not be taken over whole: " + err.Error()
	}
	note := "The new repository in deed/.git was taken over: from now on only a human changes its config and its hooks."
	if len(undone) > 0 {
		note += " " + tell(undone)
	}
	return note
}

// purge removes what is neither file nor folder, and what leads elsewhere.
func purge(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		alternates := d != nil && slices.Contains([]string{"alternates", "http-alternates"}, strings.ToLower(d.Name()))
		if err == nil && (alternates || !d.IsDir() && !d.Type().IsRegular()) {
			return os.Remove(path)
		}
		return err
	})
}

// moveTree moves a file or folder, to another disk if need be.
func moveTree(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}
