package layer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/dialog/effect"
	"vibey/tools/disk/tree"
)

// mostApart is how many bytes all files in a layer may have together, their holes counted:
// a hash goes over the holes too.
const mostApart = 8 << 30

// judge judges an entry, also one that the deed lost or that may not be read there.
func (r *reader) judge(e *entry) error {
	var low *lowError
	err := r.judgeOnce(e)
	if !errors.As(err, &low) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) {
		r.refuse(e, "what stands there in the deed may not be read, so it could not be taken back")
		return nil
	}
	e.low, e.touched = tree.Stamp{}, true
	return r.judgeOnce(e)
}

// judgeOnce makes of an entry a change, a time, something refused, or nothing.
func (r *reader) judgeOnce(e *entry) error {
	if r.dark[e.name] {
		r.refuse(e, "this folder of the deed may not be read, so it is not known what would go with it")
	}
	for at := e.name; at != "." && len(r.stay) > 0; at = path.Dir(at) {
		if r.stay[at] {
			return nil
		}
	}
	if e.up == e.low {
		return nil // there is nothing: the command removed it, and another program did
	}
	differs, err := r.differs(e)
	if err != nil {
		return err
	}
	if !differs {
		if e.up.Kind() == tree.FileKind && e.up.Mtime != e.low.Mtime && !e.touched {
			r.Times = append(r.Times, Time{[]byte(e.name), e.low.Mtime, e.up.Mtime})
		}
		return nil
	}
	rule := r.ruled[e.name]
	if why := r.refuses(e); why != "" || rule.Refused {
		r.refuse(e, cmp.Or(why, rule.Why))
		return nil
	}
	if err := r.known(e); err != nil {
		return err
	}
	c := changeOf(e)
	if c.Listed() {
		r.listed++
	}
	if r.Hash == 0 || r.listed <= r.Hash && c.Listed() {
		if c.Before, err = r.sum(r.low, e.name, e.low); err == nil {
			c.After, err = r.sum(r.up, e.name, e.up)
		}
	}
	if err != nil {
		return err
	}
	if rule.Why != "" {
		r.Refused = append(r.Refused, effect.Refused{Path: e.path, Why: rule.Why})
	}
	r.Changes = append(r.Changes, c)
	return nil
}

// changeOf is what an entry is that differs and counts, without hashes.
func changeOf(e *entry) Change {
	c := Change{Change: effect.Change{Path: e.path, Kind: effect.Changed}, Name: e.name, Git: e.git, Conflict: e.touched, BeforeMode: modeOf(e.low), Stood: e.low, Mtime: e.up.Mtime}
	shown := e.up
	if e.up == (tree.Stamp{}) {
		c.Kind, shown = effect.Deleted, e.low
	} else if e.low == (tree.Stamp{}) {
		c.Kind = effect.Added
	}
	c.Type = types[shown.Kind()]
	if c.Type != effect.Link {
		c.Mode = strconv.FormatUint(uint64(shown.Mode&0o7777), 8)
	}
	if c.Type == effect.File {
		c.Bytes = shown.Size
	}
	return c
}

// known has an entry for not touched whose bytes in the deed are those that it is known to have
// had before the command.
func (r *reader) known(e *entry) error {
	if !e.touched || r.Known == nil || e.low.Kind() != tree.FileKind || e.up.Kind() == tree.FileKind && e.up.Mode != e.low.Mode { // a human's chmod, or the command's
		return nil
	}
	sha, ok := r.Known(e.path)
	if !ok || sha == "" {
		return nil
	}
	is, err := r.sum(r.low, e.name, e.low)
	e.touched = is != sha
	return err
}

var types = map[tree.Kind]effect.Type{tree.FileKind: effect.File, tree.LinkKind: effect.Link, tree.DirKind: effect.Folder}

// modeOf returns the permissions of what has the stamp, with the bits beside them.
func modeOf(stamp tree.Stamp) fs.FileMode {
	mode := fs.FileMode(stamp.Mode & 0o777)
	for bit, is := range map[uint32]fs.FileMode{unix.S_ISUID: fs.ModeSetuid, unix.S_ISGID: fs.ModeSetgid, unix.S_ISVTX: fs.ModeSticky} {
		if stamp.Mode&bit != 0 {
			mode |= is
		}
	}
	return mode
}

// refuse has the deed keep what stands there. If that is a folder and the command has none
// there, or the other way round, nothing below it counts.
func (r *reader) refuse(e *entry, why string) {
	r.stay[e.name] = e.up.Kind() != tree.DirKind || e.low.Kind() != tree.DirKind
	if why != "" {
		r.Refused = append(r.Refused, effect.Refused{Path: e.path, Why: why})
	}
}

// differs reports whether an entry is anything but a new time.
func (r *reader) differs(e *entry) (bool, error) {
	kind := e.up.Kind()
	switch {
	case (e.up == tree.Stamp{}) || (e.low == tree.Stamp{}) || kind != e.low.Kind() || kind == tree.OtherKind:
		return true, nil
	case kind == tree.LinkKind:
		return r.up.Readlink(e.name) != r.low.Readlink(e.name), nil
	case e.up.Mode != e.low.Mode:
		return true, nil
	case kind == tree.DirKind:
		return false, nil
	case e.up.Size != e.low.Size:
		return true, nil
	}
	if e.up.Size == 0 {
		return false, nil
	}
	same, err := r.same(e.name)
	return !same, err
}

// refuses returns why a change never counts, whatever git's rules are: within a sentence, or "".
func (r *reader) refuses(e *entry) string {
	for _, stamp := range []tree.Stamp{e.low, e.up} {
		if why := others[stamp.Mode&unix.S_IFMT]; why != "" {
			return why
		}
	}
	switch e.up.Kind() {
	case tree.FileKind:
		if e.up.Size > mostApart-r.apart {
			return fmt.Sprintf("with its holes it has %d bytes, and all files of a command may have %d together", e.up.Size, int64(mostApart))
		}
		r.apart += e.up.Size
		if e.up.Mode&(unix.S_ISUID|unix.S_ISGID) != 0 {
			return "its mode has set-uid or set-gid, which would run it with other rights"
		}
	case tree.LinkKind:
		if to := r.up.Readlink(e.name); !r.within(e.name, to) && (r.LinkOK == nil || !r.LinkOK(e.name, to)) {
			return "it is a link out of the project"
		}
	}
	return ""
}

// others are the kinds of entries that have no bytes of their own.
var others = map[uint32]string{
	unix.S_IFCHR: "it is a character device", unix.S_IFBLK: "it is a block device",
	unix.S_IFIFO: "it is a pipe", unix.S_IFSOCK: "it is a socket",
}

// within reports whether a link's target lies in the deed, by its text. A ".." behind a
// name does not: that name may be another link.
func (r *reader) within(name, to string) bool {
	if path.IsAbs(to) {
		rest, in := strings.CutPrefix(to, r.Deed)
		return in && (rest == "" || rest[0] == '/') && !strings.Contains(rest+"/", "/../")
	}
	for up := strings.Count(name, "/"); ; up-- {
		rest, more := strings.CutPrefix(to, "../")
		if !more && to != ".." {
			return !strings.Contains("/"+to+"/", "/../")
		}
		if up == 0 {
			return false
		}
		if to = strings.TrimLeft(rest, "/"); !more {
			return true
		}
	}
}

// spread marks as conflicts the folders that can't go, for what has to stay in them.
func (r *reader) spread() {
	going := map[string]*Change{} // folders of the deed that are removed, or replaced by something else
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == effect.Deleted && c.Type == effect.Folder || c.Kind == effect.Changed && c.Type != effect.Folder {
			going[c.Name] = c
		}
	}
	stays := func(name string) {
		for at := path.Dir(name); going[at] != nil && !going[at].Conflict; at = path.Dir(at) {
			going[at].Conflict = true
		}
	}
	for i := range r.Changes {
		if r.Changes[i].Conflict {
			stays(r.Changes[i].Name)
		}
	}
	for name := range r.stay {
		stays(name)
	}
}
