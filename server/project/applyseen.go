package project

import (
	"vibey/dialog"
	"vibey/tools/disk/tree"
)

// asSeen reports whether what stands at base is what the command saw. A folder is, whatever
// it holds.
func (a *applying) asSeen(c *change, at *tree.Folder, base string, st tree.Stamp) bool {
	if st.Kind() != c.Stood || st.Inode != c.Inode {
		return false
	}
	if st.Kind() == tree.DirKind {
		return true
	}
	if st.Size != c.Size || st.Mtime != c.Mtime {
		return false
	}
	if ctime, ok := a.ctimes[st.Inode]; ok && ctime == st.Ctime || c.Ctime == st.Ctime {
		return true
	}
	if a.again && a.hasBefore(c, at, base, st) {
		a.ctimes[st.Inode] = st.Ctime
		return true
	}
	return false
}

// hasBefore reports by its bytes whether what stands at base is what the command saw. A
// second name in .kept, which an Apply that was killed gave it, changed its ctime.
func (a *applying) hasBefore(c *change, at *tree.Folder, base string, st tree.Stamp) bool {
	if st.Kind() == tree.LinkKind {
		return c.Before == dialog.SHA256(at.Readlink(base))
	}
	f, err := at.Read(base)
	if err != nil {
		return false
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || c.BeforeMode != 0 && now.Mode().Perm() != c.BeforeMode.Perm() {
		return false
	}
	sha, err := hashFile(f, st.Size)
	return err == nil && sha == c.Before
}

// dropping calls drop, which removes or replaces base. Where the file has other names, that
// changes their ctime.
func (a *applying) dropping(at *tree.Folder, base string, st tree.Stamp, drop func() error) error {
	if st.Links < 2 || st.Kind() != tree.FileKind {
		return drop()
	}
	f, err := at.Read(base)
	if err != nil {
		return drop()
	}
	defer f.Close()
	err = drop()
	if now, serr := tree.StampOfFile(f); serr == nil && now.Inode == st.Inode {
		a.ctimes[st.Inode] = now.Ctime
	}
	return err
}

// keep puts what stands there into .kept. nil is for what is not to be replaced.
func (a *applying) keep(c *change) (*keeping, error) {
	at, base, err := a.parent(c.name())
	if err != nil {
		return nil, nil
	}
	defer at.Close()
	st, err := at.Stat(base)
	if err != nil || st.Kind() == tree.DirKind || !a.asSeen(c, at, base, st) {
		return nil, nil
	}
	c.mode = st.Mode
	return a.p.keepEntry(at, base, st.Kind() == tree.LinkKind)
}

// restamp takes what stands there as what the command saw when .kept has it: the second name
// there, and the same bytes of another file in its place, changed the ctime.
func (a *applying) restamp(c *change, k *keeping) {
	if k == nil {
		return
	}
	at, base, err := a.parent(c.name())
	if err != nil {
		return
	}
	defer at.Close()
	if st, err := at.Stat(base); err == nil && st.Inode == c.Inode && st.Size == c.Size && st.Mtime == c.Mtime && st.Mode == c.mode {
		a.ctimes[st.Inode] = st.Ctime
	}
}
