package project

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/picture"
	"vibey/tools/git"
)

// ZipError reports a zip from which no project can be made. Nothing was made.
type ZipError struct {
	Why string // what is wrong with it, within a sentence
}

func (e *ZipError) Error() string { return "this is no snapshot that could be restored: " + e.Why }

func badZip(format string, args ...any) error { return &ZipError{fmt.Sprintf(format, args...)} }

// Restore makes a project of a snapshot of size bytes. Names and sizes are
// judged before anything is made. The project appears whole or not at all, also
// after a power cut. Macs that key confirms are made void, since the human approved
// calls of the earlier project; a confirmed wish is void too, since the project
// gets an id of its own. What git would run in the deed is disarmed, and returned:
// a zip may come from anywhere. Everything else is kept byte for byte. Errors:
// *ZipError, ErrName, fs.ErrExist.
func (s *Store) Restore(name string, from io.ReaderAt, size int64, most Limits, key []byte) (disarmed []string, err error) {
	if !ValidProject(name) {
		return nil, fmt.Errorf("restore %q: %w", name, ErrName)
	}
	z, err := zip.NewReader(from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, badZip("it can't be read (%v)", err)
	}
	total, err := judge(z, most)
	if err != nil {
		return nil, err
	}
	if room, err := s.dir.Room(); err == nil && total > room {
		return nil, fmt.Errorf("it unpacks to %d MiB, and the disk has room for %d: %w", total>>20, room>>20, unix.ENOSPC)
	}
	a, now := grant.Authority{Key: key, Project: name}, s.o.Now()
	err = s.build(name, func(b *builder) error {
		if err := b.unpack(z, func(file, text string) string { return void(a, now, file, text) }); err != nil {
			return err
		}
		if err := b.complete("", s.o.Template(name), now); err != nil {
			return err
		}
		disarmed, err = git.Folder{Dir: filepath.Join(s.path, makingPrefix+name, deedName)}.Mend(context.Background(), nil, false)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("restore %s: %w", name, err)
	}
	for i, d := range disarmed {
		disarmed[i] = deedPrefix + d
	}
	return disarmed, nil
}

// judge refuses a zip that is no snapshot of a project, by the names, kinds and
// sizes in its directory. It returns how many bytes it unpacks to: archive/zip
// reads no more of an entry than the directory says.
func judge(z *zip.Reader, most Limits) (total uint64, err error) {
	holds := newContents(most)
	for _, f := range z.File {
		err := checkKind(f)
		if err == nil {
			err = holds.add(f.Name, f.UncompressedSize64)
		}
		if err != nil {
			return 0, badZip("%q: %v", dialog.Clean(f.Name, nameShown), err)
		}
	}
	return holds.total, nil
}

// checkKind refuses an entry that is neither a readable file nor a folder.
func checkKind(f *zip.File) error {
	folder := strings.HasSuffix(f.Name, "/")
	switch mode := f.Mode(); {
	case !mode.IsRegular() && mode.Type() != fs.ModeDir:
		return errors.New("it is a link or a device")
	case mode.IsDir() != folder:
		return errors.New("it is a folder by one sign and a file by another")
	case f.Flags&1 != 0:
		return errors.New("it is encrypted")
	}
	return nil
}

// unpack writes the entries of a judged snapshot. void returns a doc's or dialog's
// text as it may be restored.
func (b *builder) unpack(z *zip.Reader, void func(name, text string) string) error {
	for _, f := range z.File {
		var err error
		if f.Name == leftOutName {
			continue
		}
		if to := strings.TrimSuffix(f.Name, "/"); to != f.Name {
			err = b.folder(to)
		} else {
			err = b.file(f, void)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", dialog.Clean(f.Name, nameShown), err)
		}
	}
	return nil
}

// file writes one entry. A file of the deed stays executable.
func (b *builder) file(f *zip.File, void func(name, text string) string) error {
	mode := createMode
	if f.Mode()&0o100 != 0 && strings.HasPrefix(f.Name, deedPrefix) {
		mode = 0o755
	}
	if err := b.folder(path.Dir(f.Name)); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return badZip("%q can't be read (%v)", dialog.Clean(f.Name, nameShown), err)
	}
	defer r.Close()
	r = entryReader{r, f.Name}
	var from io.Reader = r
	if strings.HasPrefix(f.Name, filesPrefix) {
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if !picture.Taken(b) {
			return badZip("%q: %v", dialog.Clean(f.Name, nameShown), errKind)
		}
		from = bytes.NewReader(b)
	}
	if fits := hashed(f.Name); fits != nil {
		h := sha256.New()
		if err := b.write(f.Name, mode, io.TeeReader(from, h)); err != nil {
			return err
		}
		if !fits(hex.EncodeToString(h.Sum(nil))) {
			return badZip("%q: %v", dialog.Clean(f.Name, nameShown), errNotKept)
		}
		return nil
	}
	if strings.HasPrefix(f.Name, keptPrefix) || strings.HasPrefix(f.Name, deedPrefix) || strings.HasPrefix(f.Name, restPrefix) {
		return b.write(f.Name, mode, r)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return b.write(f.Name, mode, strings.NewReader(void(f.Name, string(text))))
}

// entryReader reads an entry of a zip. It returns a *ZipError for damaged bytes.
type entryReader struct {
	io.ReadCloser
	name string
}

func (r entryReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = badZip("%q is damaged (%v)", dialog.Clean(r.name, nameShown), err)
	}
	return n, err
}

// voided replaces a Mac that was genuine.
const voided = "void"

// void replaces the Macs of Authorizations in the file name that a.Key confirms. A Mac is bound to
// the names of project and dialog, so this happens only if a project is restored
// under the name that it had. Behind Authorizations without a Mac, which a server
// started with --approve-in-files would take for an editor's, it appends a mark
// that voids them.
func void(a grant.Authority, now time.Time, name, text string) string {
	id, _, ok := dialog.ParseName(name)
	if !ok {
		return text
	}
	inProject := a.Project
	for before := ""; before != text; { // a Mac may become genuine when the one before it is replaced
		before = text
		for _, a.Project = range spellings(inProject) {
			for _, a.DialogID = range spellings(id) {
				text = voidOnce(a, text)
			}
		}
	}
	return text + grant.VoidTail(text, now)
}

// spellings returns those in which a disk may keep a name: as it is given, or in small
// letters.
func spellings(name string) []string {
	return slices.Compact([]string{name, strings.ToLower(name)})
}

func voidOnce(a grant.Authority, text string) string {
	prev, d := "", dialog.Parse(text)
	var out strings.Builder
	at := 0 // what of text is in out
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role != dialog.Authorization {
			continue
		}
		mac := s.Meta.Get("Mac")
		if a.Genuine(s, prev) { // its own line alone: other texts may quote it
			from := at
			if i > 0 {
				from = d.End(i - 1)
			}
			out.WriteString(text[at:from])
			at = d.End(i)
			out.WriteString(strings.Replace(text[from:at], mac, voided, 1))
		}
		prev = mac
	}
	return out.String() + text[at:]
}
