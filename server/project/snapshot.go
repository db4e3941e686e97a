package project

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/picture"
	"vibey/server/project/folder"
	"vibey/tools/disk"

	"golang.org/x/sys/unix"
)

// Scope is how much of a project a snapshot holds.
type Scope string

const (
	ScopeDocs    Scope = "docs"    // with the files that were added to files/, as all have
	ScopeDialogs Scope = "dialogs" // docs and dialogs, with what was cut off their texts
	ScopeAll     Scope = "all"     // those, the deed, and what was kept for undos and effects that wait
)

// Valid reports whether s is one of the three.
func (s Scope) Valid() bool { return s == ScopeDocs || s == ScopeDialogs || s == ScopeAll }

// deedPrefix is what the names of a snapshot's entries of the deed begin with.
const deedPrefix = deedName + "/"

// keptPrefix is the same for kept files.
const keptPrefix = keptName + "/"

// restPrefix is the same for what was cut off the texts of dialogs.
const restPrefix = dialog.RestFolder + "/"

// LeftOut is a file or folder of a project that is not in its snapshot.
type LeftOut struct {
	File string // its path in the project, byte for byte
	Why  string // within a sentence
}

// leftOutName is the entry of a snapshot that lists what is left out. Restore skips it.
const leftOutName = "LEFT-OUT.txt"

// Snapshot writes the project as a zip that Restore takes. Locks, open responses and
// temporary files are not included, nor is what the scope does not hold. Whatever else is
// missing in it is returned, and listed in the entry LEFT-OUT.txt: links and devices, what
// Restore would refuse or may not be read, and what is no part of a project. Of what is
// hidden that is told only of the project's own files. After an error what was written is
// no zip, since its end is missing. ErrLeads is returned before anything is written; a
// snapshot of docs and dialogs is still possible.
func (p *Project) Snapshot(w io.Writer, scope Scope) ([]LeftOut, error) {
	return p.pack(&zipper{z: zip.NewWriter(w)}, scope)
}

// LeftOut returns what Snapshot would leave out of the project as it is now.
func (p *Project) LeftOut(scope Scope) ([]LeftOut, error) { return p.pack(&zipper{}, scope) }

func (p *Project) pack(z *zipper, scope Scope) (_ []LeftOut, err error) {
	defer wrap(&err, "snapshot %s", p.name)
	most := DiskLimits
	most.Entries-- // for the list of what is left out
	z.holds = newContents(most)
	names, err := p.Files()
	if err != nil {
		return nil, err
	}
	deed := ""
	if scope == ScopeAll {
		if deed, err = p.DeedDir(); errors.Is(err, ErrLeads) {
			return nil, err
		}
	}
	if _, missing := p.dir.Lstat(deedName); missing == nil {
		z.skip(deedName, err) // such as a link to a disk that is not mounted
	}
	for _, n := range names {
		if scope != ScopeDocs || !isDialog(n) {
			z.file(p, n)
		}
	}
	z.others(p)
	z.folder(p, picture.Folder, z.attached)
	if scope != ScopeDocs {
		z.folder(p, dialog.RestFolder, func(d *folder.Folder) ([]stamped, error) { return plainFiles(d, isRest) })
	}
	z.deed(deed)
	if scope == ScopeAll {
		z.folder(p, keptName, func(d *folder.Folder) ([]stamped, error) { return plainFiles(d, isHeld) }) // what waits, first
		z.folder(p, keptName, keptFiles)
	}
	z.close()
	return z.leftOut, z.err
}

// zipper writes a project into a zip, or only looks at what it would write. After the first
// error it does nothing.
type zipper struct {
	z       *zip.Writer // nil: only looks
	holds   *contents
	err     error
	leftOut []LeftOut
}

// close ends the zip, with the list of what was left out.
func (z *zipper) close() {
	if z.z == nil || z.err != nil {
		return
	}
	if len(z.leftOut) > 0 {
		list := []byte("This copy of a project is without:\n")
		for _, l := range z.leftOut {
			name := strconv.Quote(l.File)
			if name[1:len(name)-1] == l.File {
				name = l.File // nothing in it is hidden
			}
			list = append(list, "\n"+name+": "+l.Why...)
		}
		if w := z.create(leftOutName, time.Time{}, createMode); w != nil {
			_, z.err = w.Write(append(list, '\n'))
		}
	}
	z.fail(z.z.Close())
}

// skip leaves a file or folder out if why, the error of adding it, is not nil.
func (z *zipper) skip(name string, why error) (refused bool) {
	if why != nil {
		z.leftOut = append(z.leftOut, LeftOut{name, why.Error()})
	}
	return why != nil
}

var errUnreadable = errors.New("it may not be read")

// errLink is what a file is that is neither a plain one nor a folder.
var errLink = errors.New("it is a link, a pipe or a device")

// file adds a doc or a dialog as it is at one moment. One that is deleted meanwhile is not in
// the zip.
func (z *zipper) file(p *Project, name string) {
	f, st := z.open(p.dir, name, name)
	if f == nil {
		return
	}
	defer f.Close()
	text := ""
	if z.z != nil {
		var err error
		if text, st, err = folder.ReadAll(f); z.fail(err) {
			return
		}
		text = p.certain(name, text, st)
	}
	if z.skip(name, z.holds.add(name, uint64(st.Size))) {
		return
	}
	if w := z.create(name, st.ModTime(), createMode); w != nil {
		_, z.err = io.WriteString(w, text)
	}
}

// open opens the file name in d for an entry. It returns nil if the file is gone or left out,
// or after an error.
func (z *zipper) open(d *folder.Folder, name, entry string) (*os.File, folder.Stamp) {
	if z.err != nil {
		return nil, folder.Stamp{}
	}
	f, st, err := d.OpenPlain(name, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrPermission):
		z.skip(entry, errUnreadable)
	case !z.fail(err):
		return f, st
	}
	return nil, folder.Stamp{}
}

// others leaves out what lies beside the project's own files.
func (z *zipper) others(p *Project) {
	all, err := p.dir.Names()
	if z.fail(err) {
		return
	}
	slices.Sort(all)
	for _, n := range all {
		st, err := p.dir.Lstat(n)
		if n[0] == '.' || n == deedName || err != nil {
			continue
		}
		switch why := NoPage(n); {
		case st.Folder && n == picture.Folder:
		case st.Folder:
			z.skip(n, errors.New("of folders only deed/ and files/ are parts of a project"))
		case !st.Plain:
			z.skip(n, errLink)
		case why != "":
			z.skip(n, errors.New(why))
		case !dialog.ListedFile(n):
			z.skip(n, errors.New("it is neither a doc, a dialog, nor in deed/"))
		}
	}
}

// attached returns what was added to files/, and leaves out what else lies there.
func (z *zipper) attached(d *folder.Folder) ([]stamped, error) {
	names, err := d.Names()
	slices.Sort(names)
	for _, n := range names {
		st, err := d.Lstat(n)
		if disk.IsTemp(n) || err != nil || st.Plain && picture.ValidName(n) {
			continue
		}
		z.skip(filesPrefix+n, errForeign)
	}
	files, lerr := plainFiles(d, picture.ValidName)
	return files, errors.Join(err, lerr)
}

// deed adds the deed's folder dir, or nothing for "". Links in it are left out,
// whatever they point at, and so is what is neither a file nor a folder; that is told
// where no name on the way begins with a dot.
func (z *zipper) deed(dir string) {
	if dir == "" || z.err != nil {
		return
	}
	root, err := os.OpenRoot(dir)
	if z.fail(err) {
		return
	}
	defer root.Close()
	z.fail(fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		name := path.Join(deedName, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, fs.ErrPermission):
			z.skip(name, errUnreadable)
			return nil
		case err != nil:
			return err
		case d.IsDir():
			if z.skip(name, z.holds.add(name+"/", 0)) {
				return fs.SkipDir // it stands in every name below
			}
			z.create(name+"/", time.Time{}, fs.ModeDir|0o755)
		case !d.Type().IsRegular() && !strings.Contains("/"+at, "/."):
			z.skip(name, errLink)
		case d.Type().IsRegular() && !disk.IsTemp(d.Name()):
			z.copy(root, at)
		}
		return z.err
	}))
}

// copy adds one file of the deed. O_NONBLOCK is for a pipe that took its place
// meanwhile.
func (z *zipper) copy(root *os.Root, name string) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) {
		return
	}
	if errors.Is(err, fs.ErrPermission) {
		z.skip(deedPrefix+name, errUnreadable)
		return
	}
	if z.fail(err) {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if z.fail(err) || !info.Mode().IsRegular() || z.skip(deedPrefix+name, z.holds.add(deedPrefix+name, uint64(info.Size()))) {
		return
	}
	if w := z.create(deedPrefix+name, info.ModTime(), info.Mode().Perm()); w != nil {
		_, z.err = io.Copy(w, io.NewSectionReader(f, 0, info.Size())) // it may grow without end
	}
}

// folder adds the files that list returns of a folder of the project's own.
func (z *zipper) folder(p *Project, name string, list func(d *folder.Folder) ([]stamped, error)) {
	d, err := p.own(name, false)
	if errors.Is(err, fs.ErrNotExist) || z.fail(err) {
		return
	}
	defer d.Close()
	files, err := list(d)
	z.fail(err)
	for _, file := range files {
		z.ownFile(d, file.name, name+"/"+file.name)
	}
}

// ownFile adds one file. One whose bytes are not those that its name says, or are of a kind
// that is not taken into files/, is left out, since Restore would refuse it.
func (z *zipper) ownFile(d *folder.Folder, name, entry string) {
	f, st := z.open(d, name, entry)
	if f == nil {
		return
	}
	defer f.Close()
	fits := hashed(entry)
	if strings.HasPrefix(entry, filesPrefix) && st.Size <= AttachedMost {
		b, err := io.ReadAll(io.NewSectionReader(f, 0, st.Size))
		if z.fail(err) {
			return
		}
		if !picture.Taken(b) {
			z.skip(entry, errKind)
			return
		}
	}
	if fits != nil {
		if sha, err := hashFile(f, st.Size); z.fail(err) {
			return
		} else if !fits(sha) {
			z.skip(entry, errNotKept)
			return
		}
	}
	if z.skip(entry, z.holds.add(entry, uint64(st.Size))) {
		return
	}
	if w := z.create(entry, st.ModTime(), createMode); w != nil {
		h := sha256.New() // a program that has had it open since before may write it in this moment
		_, z.err = io.Copy(io.MultiWriter(w, h), io.NewSectionReader(f, 0, st.Size))
		if z.err == nil && fits != nil && !fits(hex.EncodeToString(h.Sum(nil))) {
			z.err = fmt.Errorf("%s was being written while it was packed; try again", entry)
		}
	}
}

// hashed returns what tells whether a file with a SHA-256 may have an entry's name, nil for a
// name that says nothing of it.
func hashed(entry string) func(sha string) bool {
	if name, ok := strings.CutPrefix(entry, keptPrefix); ok && isKept(name) {
		return func(sha string) bool { return sha == name }
	}
	if name, ok := strings.CutPrefix(entry, filesPrefix); ok {
		return func(sha string) bool { return picture.Fits(name, sha) }
	}
	return nil
}

// errNotKept is of a file below .kept or files/ that does not have the bytes that its name says.
var errNotKept = errors.New("its name does not say the SHA-256 of its bytes")

// create begins an entry. It returns nil after an error, and where z only looks.
func (z *zipper) create(name string, modified time.Time, mode fs.FileMode) io.Writer {
	if z.err != nil || z.z == nil {
		return nil
	}
	h := &zip.FileHeader{Name: name, Modified: modified}
	if mode.IsRegular() {
		h.Method = zip.Deflate
	}
	h.SetMode(mode)
	w, err := z.z.CreateHeader(h)
	if z.fail(err) {
		return nil
	}
	return w
}

// fail keeps the first error, and reports whether there is one.
func (z *zipper) fail(err error) bool {
	if z.err == nil {
		z.err = err
	}
	return z.err != nil
}
