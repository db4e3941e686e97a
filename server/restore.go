package server

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/server/project"
)

// What a snapshot may hold at most. The body is 16 MiB, text packs to a tenth,
// and bytes that say nothing to a thousandth: what is over these is no project.
const (
	entriesMax = 20_000
	fileMax    = 128 << 20
	totalMax   = 256 << 20
	ratioMax   = 200     // bytes unpacked for one packed,
	ratioFrom  = 4 << 20 // counted from this total on
	pathMax    = 400
)

// restoreProject is POST /projects?name= with a zip. The whole zip is read and
// judged before anything is made, so that a refused one leaves nothing behind.
func (s *server) restoreProject(w http.ResponseWriter, r *http.Request) error {
	if err := wantType(r, zipType); err != nil {
		return err
	}
	name := r.URL.Query().Get("name")
	if !project.ValidProject(name) {
		return fmt.Errorf("restore %q: %w", name, project.ErrName)
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return badZip("it can't be read (%v)", err)
	}
	if err := judge(z, len(body)); err != nil {
		return err
	}
	if err := s.Store.Create(name, ""); err != nil {
		return err
	}
	if err := s.unpack(name, z); err != nil {
		if gone := s.Store.Delete(name); gone != nil {
			s.Log.Error("half a restored project is left", "project", name, "err", gone)
		}
		return err
	}
	return writeJSON(w, projectName{name})
}

func badZip(format string, args ...any) error {
	return refuse(400, "bad-zip", "This is no snapshot that could be restored: "+fmt.Sprintf(format, args...)+". Nothing was made. A snapshot holds doc-….md and dialog-….md files, and a folder deed/.")
}

// judge reads every entry to its end and refuses what is no snapshot of ours:
// paths out of the project, links, names that differ only in capitals, bombs.
func judge(z *zip.Reader, packed int) error {
	if len(z.File) > entriesMax {
		return badZip("it has %d entries, and %d is the most", len(z.File), entriesMax)
	}
	names := newNames()
	total := int64(0)
	for _, f := range z.File {
		if err := checkEntry(f); err != nil {
			return err
		}
		if err := names.add(f.Name); err != nil {
			return err
		}
		n, err := drain(f)
		if err != nil {
			return err
		}
		total += n
		if total > totalMax || total > ratioFrom && total > ratioMax*int64(packed) {
			return badZip("it unpacks to more than a project has")
		}
	}
	return nil
}

// checkEntry judges an entry by its name and kind.
func checkEntry(f *zip.File) error {
	shown := fmt.Sprintf("%q", clip(f.Name))
	folder := strings.HasSuffix(f.Name, "/")
	switch mode := f.Mode(); {
	case !mode.IsRegular() && mode.Type() != fs.ModeDir:
		return badZip("%s is a link or a device", shown)
	case mode.IsDir() != folder:
		return badZip("%s is a folder by one sign and a file by another", shown)
	case f.Flags&1 != 0:
		return badZip("%s is encrypted", shown)
	case f.UncompressedSize64 > fileMax:
		return badZip("%s is larger than 128 MiB", shown)
	}
	name := strings.TrimSuffix(f.Name, "/")
	if len(name) > pathMax || !utf8.ValidString(name) || strings.ContainsFunc(name, func(c rune) bool { return c < 0x20 || c == 0x7f || c == '\\' }) || !fs.ValidPath(name) {
		return badZip("the name %s is not allowed", shown)
	}
	if name+"/" == deedPrefix && folder || strings.HasPrefix(name, deedPrefix) {
		return nil
	}
	if folder || !project.ValidFile(name) {
		return badZip("%s is neither a doc, a dialog, nor part of deed/", shown)
	}
	return nil
}

// names knows what a zip has named so far, as a file system without capitals
// would, and as one in which a dialog has one file.
type names struct {
	kinds   map[string]byte // folded path -> 'f' file, 'd' folder that was named, 'p' folder in a path
	dialogs map[string]bool
}

func newNames() names { return names{map[string]byte{}, map[string]bool{}} }

func (n names) add(entry string) error {
	name := strings.ToLower(strings.TrimSuffix(entry, "/"))
	kind := byte('f')
	if strings.HasSuffix(entry, "/") {
		kind = 'd'
	}
	if was := n.kinds[name]; was != 0 && !(was == 'p' && kind == 'd') {
		return badZip("%q is there twice, perhaps in other capitals", clip(entry))
	}
	n.kinds[name] = kind
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		switch n.kinds[dir] {
		case 'f':
			return badZip("%q is a file and a folder", clip(dir))
		case 0:
			n.kinds[dir] = 'p'
		}
	}
	if id, _, ok := dialog.ParseName(entry); ok {
		if id = strings.ToLower(id); n.dialogs[id] {
			return badZip("there are two files of the dialog %s", id)
		}
		n.dialogs[strings.ToLower(id)] = true
	}
	return nil
}

// drain reads an entry to its end, so that its size and checksum are known to
// be what it says, and says how much that was.
func drain(f *zip.File) (int64, error) {
	r, err := f.Open()
	if err != nil {
		return 0, badZip("%q can't be read (%v)", clip(f.Name), err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(r, fileMax+1))
	if err != nil {
		return n, badZip("%q is damaged (%v)", clip(f.Name), err)
	}
	if n > fileMax {
		return n, badZip("%q is larger than 128 MiB", clip(f.Name))
	}
	return n, nil
}

// unpack writes what was judged into a project that was just made.
func (s *server) unpack(name string, z *zip.Reader) error {
	p, err := s.Store.Project(name)
	if err != nil {
		return err
	}
	root := p.Root()
	for _, f := range z.File {
		to := strings.TrimSuffix(f.Name, "/")
		if to != f.Name {
			err = root.MkdirAll(to, 0o755)
		} else {
			err = unpackFile(root, f)
		}
		if err != nil {
			return fmt.Errorf("restore %s: %w", to, err)
		}
	}
	return nil
}

// unpackFile writes one file, synced. A restored file may be run if it could
// be before, but for those of .git: git would run its hooks unasked.
func unpackFile(root *os.Root, f *zip.File) error {
	mode := fs.FileMode(0o644)
	if f.Mode()&0o100 != 0 && strings.HasPrefix(f.Name, deedPrefix) && !strings.Contains(strings.ToLower(f.Name), ".git/") {
		mode = 0o755
	}
	if err := root.MkdirAll(path.Dir(f.Name), 0o755); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Sync()
}
