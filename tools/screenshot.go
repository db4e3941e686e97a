package tools

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/tools/disk"
)

// keptMost is how many files of one ending are kept in a folder; the oldest go first.
const keptMost = 50

// pictureSize is the size limit of a picture, in bytes. One of the browser's window has 4.6 MB
// before it is compressed.
const pictureSize = 8 << 20

// keepFile keeps a file in a folder of the project's HOME, under its hash and with that
// ending, and returns its path as a command says it. Of each ending the newest stay. A
// HOME is written by commands: what they put in the way is not followed.
func keepFile(home, folder string, data []byte, ext string) (string, error) {
	if home == "" {
		return "", errors.New("this project has no HOME")
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", err
	}
	defer root.Close()
	dir, err := openChild(root, folder, true)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name := keptName(data) + ext
	if _, err := disk.Change(dir, name, 0o600, func(*os.File) ([]byte, error) { return data, nil }); err != nil {
		return "", err
	}
	dropOldest(dir, ext, keptMost)
	return "~/" + folder + "/" + name, nil
}

// keptName returns the name that a file is kept under, which its bytes make.
func keptName(data []byte) string {
	return dialog.SHA256(data)[:16]
}

// Screenshot returns the picture that keepFile has kept under a name in a project's
// HOME. It returns fs.ErrNotExist where there is none, and also where a command has put
// something else there: a link, or other bytes than the browser's.
func Screenshot(home, name string) ([]byte, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := openChild(root, "screenshots", false)
	if err != nil {
		return nil, fs.ErrNotExist // also for a link: nothing is told of what is there
	}
	defer dir.Close()
	f, err := disk.Open(dir, name)
	if errors.Is(err, disk.ErrChanged) { // the same picture was kept again in this moment
		f, err = disk.Open(dir, name)
	}
	if err != nil {
		return nil, fs.ErrNotExist
	}
	defer f.Close()
	picture, err := io.ReadAll(io.LimitReader(f, pictureSize+1))
	if err != nil {
		return nil, err
	}
	if len(picture) > pictureSize || keptName(picture)+".png" != name {
		return nil, fs.ErrNotExist
	}
	return picture, nil
}

// dropOldest removes all files of that ending but the newest.
func dropOldest(dir *os.Root, ext string, most int) {
	f, err := dir.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	all, _ := f.Readdir(-1)
	all = slices.DeleteFunc(all, func(fi os.FileInfo) bool { return filepath.Ext(fi.Name()) != ext || !fi.Mode().IsRegular() })
	slices.SortFunc(all, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, fi := range all[min(most, len(all)):] {
		dir.Remove(fi.Name())
	}
}
