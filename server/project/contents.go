package project

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/picture"
)

// Limits bound what a snapshot may hold.
type Limits struct {
	Entries int
	Total   uint64 // bytes, unpacked
}

// UploadLimits are for a snapshot in a request's body, which has at most 16 MiB
// packed; DiskLimits for one on a human's own disk, whose entries are bounded by
// memory and whose bytes by the room on the disk.
var (
	UploadLimits = Limits{Entries: 20_000, Total: 256 << 20}
	DiskLimits   = Limits{Entries: 1_000_000, Total: math.MaxInt64}
)

// way names, within a sentence, who takes more than an upload may have.
func (l Limits) way() string {
	if l == UploadLimits {
		return " by a request; `vibey import FILE NAME`, on the computer where the server runs, takes more"
	}
	return ""
}

const (
	pathMax = 400       // bytes of an entry's name,
	nameMax = 255       // of which each folder and file has at most so many, as disks do
	textMax = 128 << 20 // bytes of a doc or dialog, which is read into memory

	nameShown = 80 // bytes of a name in a message
)

// contents is what a snapshot holds so far, and decides what may be added to it.
// Snapshot and Restore both call add for each entry, so that what is exported can
// be imported.
type contents struct {
	most    Limits
	entries int
	total   uint64
	kept    uint64            // of total, below .kept
	paths   map[string]held   // by the path in lower case: some file systems ignore case
	dialogs map[string]string // file of each dialog id, in lower case
}

// held is the path of an entry, or of a folder above one.
type held struct {
	name   string
	folder bool
	entry  bool // it has an entry of its own
}

func newContents(most Limits) *contents {
	return &contents{most: most, paths: map[string]held{}, dialogs: map[string]string{}}
}

// add adds an entry of size bytes; a folder's name ends in a slash. The error says,
// within a sentence, why it must not be in a snapshot; then nothing was added.
func (c *contents) add(entry string, size uint64) error {
	name := strings.TrimSuffix(entry, "/")
	folder := name != entry
	if err := checkEntry(name, folder, size); err != nil {
		return err
	}
	if err := c.checkPath(name, folder); err != nil {
		return err
	}
	kept := uint64(0)
	if isKept(strings.TrimPrefix(name, keptPrefix)) {
		kept = size
	}
	id, _, isDialog := dialog.ParseName(name)
	id = folded(id)
	switch {
	case isDialog && c.dialogs[id] != "":
		return fmt.Errorf("%q is a file of the same dialog", c.dialogs[id])
	case c.entries == c.most.Entries:
		return fmt.Errorf("%d entries are the most%s", c.most.Entries, c.most.way())
	case size > c.most.Total-c.total:
		return fmt.Errorf("all together would be more than %d MiB%s", c.most.Total>>20, c.most.way())
	case c.kept+kept > keptMost:
		return fmt.Errorf("all that is kept for an undo would be more than %d bytes", keptMost)
	}
	if isDialog {
		c.dialogs[id] = name
	}
	c.entries++
	c.total += size
	c.kept += kept
	c.paths[folded(name)] = held{name, folder, true}
	for dir := path.Dir(name); dir != "." && c.paths[folded(dir)].name == ""; dir = path.Dir(dir) {
		c.paths[folded(dir)] = held{name: dir, folder: true}
	}
	return nil
}

// folded returns what names have in common that differ but for case, as strings.EqualFold
// judges it: lower case alone parts "ς" from "Σ", and "ſ" from "S".
func folded(name string) string { return strings.Map(fold, name) }

// checkPath refuses a name that another entry has, but for case, or whose folder is
// a file.
func (c *contents) checkPath(name string, folder bool) error {
	switch was, ok := c.paths[folded(name)]; {
	case ok && was.name != name:
		return fmt.Errorf("%q has the same name but for capitals", dialog.Clean(was.name, nameShown))
	case ok && (was.entry || !folder):
		return errors.New("it is there twice")
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		switch was, ok := c.paths[folded(dir)]; {
		case ok && was.name != dir:
			return fmt.Errorf("%q has the same name as its folder but for capitals", dialog.Clean(was.name, nameShown))
		case ok && !was.folder:
			return fmt.Errorf("%q is a file, and its folder", dialog.Clean(dir, nameShown))
		}
	}
	return nil
}

// checkEntry refuses an entry that may be in no snapshot, whatever else is in it.
func checkEntry(name string, folder bool, size uint64) error {
	control := func(c rune) bool { return c < 0x20 || c == 0x7f }
	switch {
	case !utf8.ValidString(name):
		return errors.New("its name is not UTF-8")
	case strings.ContainsRune(name, '\\'):
		return errors.New("its name has a backslash")
	case strings.ContainsFunc(name, control):
		return errors.New("its name has a control character")
	case len(name) > pathMax:
		return fmt.Errorf("its path is longer than %d bytes", pathMax)
	case !fs.ValidPath(name):
		return errors.New("its path is not one within a folder")
	case slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > nameMax }):
		return fmt.Errorf("a name in its path is longer than %d bytes", nameMax)
	case name == leftOutName && !folder:
		return nil
	case name == deedName && folder, strings.HasPrefix(name, deedPrefix), name == keptName && folder, name == dialog.RestFolder && folder, name == picture.Folder && folder:
		return nil
	case strings.HasPrefix(name, filesPrefix) && !folder && picture.ValidName(name[len(filesPrefix):]):
		if size > AttachedMost {
			return fmt.Errorf("it is larger than %d MB, the most that one may have", AttachedMost/1_000_000)
		}
		return nil
	case strings.HasPrefix(name, restPrefix) && !folder && isRest(name[len(restPrefix):]):
		return nil
	case strings.HasPrefix(name, keptPrefix) && !folder && isHeld(name[len(keptPrefix):]):
		if size > heldTextMost {
			return fmt.Errorf("it is larger than %d MiB, which is much for what an effect that waits has", heldTextMost>>20)
		}
		return nil
	case strings.HasPrefix(name, keptPrefix) && !folder && isKept(name[len(keptPrefix):]):
		if size > keptMost {
			return fmt.Errorf("it is larger than %d bytes, the most that is kept", keptMost)
		}
		return nil
	case folder || !dialog.ValidFile(name):
		return errors.New("it is neither a doc, a dialog, the rest of a dialog's text, part of deed/, a file as they are added to files/, nor what was kept for an undo")
	case size > textMax:
		return fmt.Errorf("it is larger than %d MiB, which is much for a text", textMax>>20)
	}
	return nil
}
