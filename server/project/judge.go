package project

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
)

// ZipError is a zip from which no project can be made. Nothing was made.
type ZipError struct {
	Why string // what is wrong with it, within a sentence
}

func (e *ZipError) Error() string { return "this is no snapshot that could be restored: " + e.Why }

func badZip(format string, args ...any) error { return &ZipError{fmt.Sprintf(format, args...)} }

// Limits are what a snapshot may hold at most, unpacked.
type Limits struct {
	Entries     int
	File, Total int64 // bytes
}

// What a snapshot may hold. One that comes in as a request's body has 16 MiB;
// text packs to a tenth, and bytes that say nothing to a thousandth: what is
// over these is no project. One that lies on a human's own disk may be larger.
var (
	UploadLimits = Limits{Entries: 20_000, File: 128 << 20, Total: 256 << 20}
	DiskLimits   = Limits{Entries: 1_000_000, File: 2 << 30, Total: 16 << 30}
)

const (
	ratioMax  = 200     // bytes unpacked for one packed,
	ratioFrom = 4 << 20 // counted from this total on
	pathMax   = 400
	textMax   = 128 << 20 // bytes of a doc or dialog, which is held in memory
)

// judge reads every entry to its end and refuses what is no snapshot of ours:
// paths out of the project, links, names that differ only in capitals, bombs.
func judge(z *zip.Reader, packed int64, most Limits) error {
	if len(z.File) > most.Entries {
		return badZip("it has %d entries, and %d is the most", len(z.File), most.Entries)
	}
	names := newNames()
	total := int64(0)
	for _, f := range z.File {
		if err := checkEntry(f, most.File); err != nil {
			return err
		}
		if err := names.add(f.Name); err != nil {
			return err
		}
		n, err := drain(f, most.File)
		if err != nil {
			return err
		}
		total += n
		if total > most.Total || total > ratioFrom && total/ratioMax > packed {
			return badZip("it unpacks to more than a project has")
		}
	}
	return nil
}

// checkEntry judges an entry by its name and kind.
func checkEntry(f *zip.File, most int64) error {
	shown := fmt.Sprintf("%q", clip(f.Name))
	folder := strings.HasSuffix(f.Name, "/")
	switch mode := f.Mode(); {
	case !mode.IsRegular() && mode.Type() != fs.ModeDir:
		return badZip("%s is a link or a device", shown)
	case mode.IsDir() != folder:
		return badZip("%s is a folder by one sign and a file by another", shown)
	case f.Flags&1 != 0:
		return badZip("%s is encrypted", shown)
	case f.UncompressedSize64 > uint64(most):
		return badZip("%s is larger than %d MiB", shown, most>>20)
	}
	name := strings.TrimSuffix(f.Name, "/")
	if !validEntry(name) {
		return badZip("the name %s is not allowed", shown)
	}
	if name+"/" == deedPrefix && folder || strings.HasPrefix(name, deedPrefix) {
		return nil
	}
	if folder || !dialog.ValidFile(name) {
		return badZip("%s is neither a doc, a dialog, nor part of deed/", shown)
	}
	if f.UncompressedSize64 > textMax {
		return badZip("%s is larger than %d MiB, which is much for a text", shown, textMax>>20)
	}
	return nil
}

// validEntry tells whether a snapshot may have an entry of that name.
func validEntry(name string) bool {
	control := func(c rune) bool { return c < 0x20 || c == 0x7f || c == '\\' }
	return len(name) <= pathMax && utf8.ValidString(name) && !strings.ContainsFunc(name, control) && fs.ValidPath(name)
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
func drain(f *zip.File, most int64) (int64, error) {
	r, err := f.Open()
	if err != nil {
		return 0, badZip("%q can't be read (%v)", clip(f.Name), err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(r, most+1))
	if err != nil {
		return n, badZip("%q is damaged (%v)", clip(f.Name), err)
	}
	if n > most {
		return n, badZip("%q is larger than %d MiB", clip(f.Name), most>>20)
	}
	return n, nil
}

// clip makes a stranger's name short enough for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
