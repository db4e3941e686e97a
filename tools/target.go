package tools

import (
	"errors"
	"io/fs"
	"os"

	"vibey/dialog/grant"
)

// shownLimit is the largest file that is read for its hash before a human
// decides: 64 MiB take some 0.1 s, each time that a dialog is looked at.
const shownLimit = 64 << 20

// Look hashes the files that pending calls would write, for one answer about a
// dialog. A file that several calls name is read once, and all files together up to
// lookLimit bytes, since a model may ask for any number of writes. A file beyond that
// has no hash, in each Look with the same calls in the same order; an approval
// without a hash does not allow replacing a file that the dialog was not told of (see
// unlike). It is for one goroutine.
type Look struct {
	env  Env
	read map[string]*content // by place.name
	left int64               // of lookLimit
}

// lookLimit is how many bytes one Look reads: four of the largest files, some 0.4 s.
const lookLimit = 4 * shownLimit

// NewLook begins a look at files of a project. No call is run with env.
func NewLook(env Env) *Look {
	return &Look{env: env, read: map[string]*content{}, left: lookLimit}
}

// Target returns the file that a call would write. ok is false for a call that writes
// none, for a path that the call would refuse, and for one that a link leads outside.
// No folder is made.
func (l *Look) Target(tool, args string) (t grant.Target, ok bool) {
	t, _, ok = look(l.env, tool, args, l.sum)
	t.Stale = ok && (!t.Exists || t.SHA256 != "") && l.env.outdated(t.Path, t.SHA256)
	return t, ok
}

// sum reads a file for its hash, unless it was read as it stands, or is too
// large for what is left to be read.
func (l *Look) sum(p *place, fi fs.FileInfo) (*content, error) {
	if was := l.read[p.name]; was != nil && os.SameFile(was.info, fi) && was.info.Size() == fi.Size() && was.info.ModTime().Equal(fi.ModTime()) {
		return was, nil
	}
	if fi.Size() > l.left {
		return &content{info: fi, size: fi.Size()}, nil
	}
	l.left -= fi.Size()
	now, err := p.load(false)
	if err == nil && now.info != nil {
		l.read[p.name] = now
	}
	return now, err
}

// TargetContent is a Look at one call, with the bytes that the file holds: nil
// where there is none, and for a file that edit_file would not take.
func TargetContent(env Env, tool, args string) (t grant.Target, bytes []byte, ok bool) {
	return look(env, tool, args, func(p *place, fi fs.FileInfo) (*content, error) { return p.load(fi.Size() <= maxFile) })
}

// look finds the file that a call would write, and calls read unless it is too large.
func look(env Env, tool, args string, read func(p *place, fi fs.FileInfo) (*content, error)) (t grant.Target, bytes []byte, ok bool) {
	given, ok := pathIn(tool, args)
	if !ok {
		return t, nil, false
	}
	p, err := find(env, given, false)
	if m, ok := errors.AsType[*missingError](err); ok { // a folder on the way is
		return grant.Target{Path: m.name}, nil, true
	}
	if err != nil {
		return t, nil, false
	}
	defer p.close()
	t.Path = p.name
	fi, err := p.lstat()
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil, true
	}
	if err != nil || !fi.Mode().IsRegular() {
		return grant.Target{}, nil, false
	}
	t.Exists, t.Bytes = true, fi.Size()
	if fi.Size() > shownLimit {
		return t, nil, true
	}
	now, err := read(p, fi)
	if err != nil || now.info == nil {
		return grant.Target{}, nil, false // being replaced: the next look finds it
	}
	t.SHA256, t.Bytes = now.sha, now.size
	return t, now.content, true
}

// pathIn is the path in a call's arguments, read as strictly as the tool does.
func pathIn(tool, args string) (given string, ok bool) {
	switch tool {
	case "write_file":
		in, wrong := decode[writeFileInput](args)
		return in.Path, wrong == ""
	case "edit_file":
		in, wrong := decode[editFileInput](args)
		return in.Path, wrong == ""
	}
	return "", false
}
