package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"vibey/dialog"
	"vibey/dialog/change"
)

// claim is what one result, or undo, says of one file: its path, and its hash or absence.
type claim struct {
	change.FileHash
	file string // the dialog's, as it is printed
	line int
	time string // of the result's end
	told bool
}

// claims are what the dialog's results, and the undos of them, say of files.
func (c *checkedDialog) claims(told bool) []claim {
	var out []claim
	for i := range c.d.Sections {
		s := &c.d.Sections[i]
		if s.Role == dialog.ToolResult && s.Meta.Get("Status") != dialog.CallApproved {
			continue
		}
		for _, f := range change.Names(s) {
			out = append(out, claim{f, c.file, c.lines[i], s.End(), told})
		}
	}
	return out
}

// claims compares the last claim about each file with the file. Of claims of several
// dialogs within the same second, one has to be right. A claim that does not hold is
// a note, since a human's later edit is no broken rule, and the text does not
// distinguish the two.
func (p *checkedProject) claims() {
	rule := noteRule
	if p.holdClaims {
		rule = "claim"
	}
	last := map[string][]claim{}
	for _, c := range p.claimed {
		now := last[c.Path]
		switch {
		case len(now) == 0 || c.time > now[0].time:
			last[c.Path] = []claim{c}
		case c.time == now[0].time:
			// Of one dialog only the later one counts.
			now = slices.DeleteFunc(now, func(o claim) bool { return o.file == c.file })
			last[c.Path] = append(now, c)
		}
	}
	for path, cs := range last {
		if slices.ContainsFunc(cs, func(c claim) bool { return c.SHA256 == "" && !c.Deleted }) {
			continue // a link, or too large to have been read
		}
		sha, err := hashFile(filepath.Join(p.dir, filepath.FromSlash(path)))
		right := func(c claim) bool { return c.SHA256 == sha && (c.Deleted == isGone(err)) }
		if !filepath.IsLocal(path) || slices.ContainsFunc(cs, right) {
			continue
		}
		for _, c := range cs {
			if c.told {
				p.found(c.file, c.line, rule, "%s", c.against(sha, err))
			}
		}
	}
}

// against tells how the file differs from the claim.
func (c claim) against(sha string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.Path + " is not there any more"
	case err != nil:
		return c.Path + " can't be read: " + err.Error()
	case c.Deleted:
		return c.Path + " was deleted, but is there again"
	}
	return c.Path + " is not as this result left it: its sha256 is " + strings.ToLower(sha)
}

// isGone reports whether err, of hashFile, says that there is no file: a folder may stand in
// its place, or a file in that of its folder.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, errNotPlain)
}

var errNotPlain = errors.New("it is no plain file")

// hashFile returns the SHA-256 of a plain file. It opens nothing else.
func hashFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNotPlain
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
