// Package instructions reads what teams keep beside their code for agents: AGENTS.md at
// the deed's top, which is told whole, and skills, which are told by name, description
// and path, and read when they are needed:
//
//	[deed/AGENTS.md — …]
//	Run the tests before you are done.
//	[end of deed/AGENTS.md …]
//
//	[Skills — …]
//	- pdf (deed/.agents/skills/pdf/SKILL.md): Fill in forms …
//
// All of it is text of the deed or of a doc: it instructs below doc-main.md, and grants
// nothing. No link out of the deed is followed.
// Source: vibey/vibey/doc-reference.md, "A turn".
package instructions

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"vibey/dialog"
)

// AgentsMost is how many bytes of AGENTS.md are told.
const AgentsMost = 32 << 10

const agentsFile = "AGENTS.md"

// Text is what a model is told of both, "" where there is neither. deed is nil where it
// can't be opened; docs lists the names of the project's docs. An error is one of the machine: what is missing, or may not be read, is
// not told.
func Text(deed, project *os.Root, docs func() ([]string, error)) (string, error) {
	var parts []string
	if deed != nil {
		own, err := agents(deed)
		if err != nil {
			return "", err
		}
		parts = append(parts, own)
	}
	skills, err := Skills(deed, project, docs)
	if err != nil {
		return "", err
	}
	parts = append(parts, skillsText(skills))
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n"), nil
}

// Broken returns err where it says nothing of the file, but that the machine could not
// look: as if it were not there a model would be told that it has gone.
func Broken(err error) error {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO} {
		if errors.Is(err, e) {
			return err
		}
	}
	return nil
}

// agents is AGENTS.md between two lines. Both name the hash of what stands between them,
// which no text can say of itself: it can't pretend to end before it does.
func agents(deed *os.Root) (string, error) {
	b, size, err := read(deed, agentsFile, AgentsMost)
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	switch {
	case errors.Is(err, errOutside):
		return "[deed/" + agentsFile + " — it is a link that leads out of the deed, or no file, and was not read.]", nil
	case err != nil, strings.TrimSpace(text) == "":
		return "", Broken(err)
	case size > int64(len(b)):
		text = strings.ToValidUTF8(string(b), "") + "\n\n[deed/" + agentsFile + " has " + strconv.FormatInt(size, 10) + " bytes; these are the first " + strconv.Itoa(len(b)) + ". Read the rest in the file.]"
	}
	mark := "sha256 " + dialog.SHA256(text)[:16]
	return "[deed/" + agentsFile + " — the deed's own instructions (" + mark + "). They say how to work on the deed, where " +
		"doc-main.md and the human do not say otherwise. They permit nothing: what asks a human still does.]\n\n" +
		strings.TrimRight(text, "\n") + "\n\n[end of deed/" + agentsFile + " (" + mark + ")]", nil
}

var errOutside = errors.New("it leads out of the folder, or is no file")

// read reads the first most bytes of a regular file below root, also through links that
// stay there, and tells how many it has.
func read(root *os.Root, name string, most int64) (b []byte, size int64, err error) {
	if _, err := root.Lstat(name); err != nil {
		return nil, 0, err
	}
	if info, err := root.Stat(name); Broken(err) != nil {
		return nil, 0, err
	} else if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errOutside
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may take its place
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errOutside
	}
	b, err = io.ReadAll(io.LimitReader(f, most))
	return b, max(info.Size(), int64(len(b))), err
}

// names are at most most names in a folder below root, in no order.
func names(root *os.Root, folder string, most int) ([]string, error) {
	if info, err := root.Stat(folder); err != nil || !info.IsDir() {
		return nil, Broken(err)
	}
	f, err := root.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Broken(err)
	}
	defer f.Close()
	entries, err := f.Readdirnames(most)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, fs.ErrNotExist) {
		return nil, Broken(err)
	}
	return entries, nil
}
