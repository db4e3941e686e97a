package change

import (
	"encoding/json"
	"strconv"
	"strings"

	"vibey/dialog"
)

// FileHash is a file that a result names: its path in the project, and its
// SHA-256 in lowercase hex, "" where it is gone or was not read.
type FileHash struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"`
	Link    string `json:"link,omitempty"`  // what a symbolic link leads to
	Bytes   int64  `json:"bytes,omitempty"` // the size of a file too large to read for its hash
	Deleted bool   `json:"deleted,omitempty"`
	// Replaced is the SHA-256 of what a command found there, "" where it made the file;
	// nil where that is not certain.
	Replaced *string `json:"replaced,omitempty"`
	// ReplacedLink is what the symbolic link led to that a command found there.
	ReplacedLink string `json:"replacedLink,omitempty"`
	// Mode is the permissions that a command left the file, ReplacedMode those that it
	// found, in octal as "755". Both are there if they differ; one alone, of a file that
	// was made or removed, where it is not that of any new file (see NewPerm).
	Mode         string `json:"mode,omitempty"`
	ReplacedMode string `json:"replacedMode,omitempty"`
}

// NewPerm reports whether permissions are those of a new file, as an umask leaves them
// usually. A result leaves them out.
func NewPerm(perm uint32) bool { return perm == 0o644 || perm == 0o664 }

// Octal is permissions as a result has them; parsePerm reads them, 0 for none.
func Octal(perm uint32) string { return strconv.FormatUint(uint64(perm), 8) }

func parsePerm(octal string) uint32 {
	n, err := strconv.ParseUint(octal, 8, 9)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// Same reports whether a file is as it was: it was only touched, or written with what it
// held.
func (f FileHash) Same() bool {
	return f.SHA256 != "" && f.Replaced != nil && *f.Replaced == f.SHA256 && f.Mode == f.ReplacedMode && f.ReplacedLink == ""
}

// MarshalJSON names the hash of a file that is gone, too: "". Where a hash is missing, the
// file was not read.
func (f FileHash) MarshalJSON() ([]byte, error) {
	type plain FileHash
	if !f.Deleted {
		return json.Marshal(plain(f))
	}
	return json.Marshal(struct {
		Path         string  `json:"path"`
		SHA256       string  `json:"sha256"`
		Deleted      bool    `json:"deleted"`
		Replaced     *string `json:"replaced,omitempty"`
		ReplacedLink string  `json:"replacedLink,omitempty"`
		ReplacedMode string  `json:"replacedMode,omitempty"`
	}{f.Path, f.SHA256, true, f.Replaced, f.ReplacedLink, f.ReplacedMode})
}

// NoteMark begins the note about deed, which a result of run_command has once in
// a dialog (see Noted).
const NoteMark = "[NOTE]"

// Named returns the files that a result names with their hashes, in its order:
// what a file tool wrote or read, what a command changed, and the present state of
// a file that a tool refused to overwrite. The last hash named for a path is the one
// that the dialog knows.
func Named(result string) []FileHash {
	n, ok := readNamed(result)
	if !ok {
		return nil
	}
	files := n.whole()
	if n.Current != nil && n.Current.Path != "" {
		files = append(files, *n.Current)
	}
	return append(files, n.changed()...)
}

// Wrote returns the files that a call of that tool left as they are, by its
// result: what a file tool wrote, or what a command changed. A file that a
// result only names, such as one that a tool read or refused to overwrite, is
// not among them.
func Wrote(tool, result string) []FileHash {
	n, ok := readNamed(result)
	switch {
	case !ok:
		return nil
	case dialog.WritesFile(tool), tool == dialog.PlanTool:
		files := n.whole()
		for i := range files {
			files[i].Replaced = n.Replaced
		}
		return files
	}
	return n.changed()
}

// WroteUnknown reports whether a call changed more files than its result could tell.
func WroteUnknown(result string) bool {
	var n named
	return strings.Contains(result, `"changed":"unknown"`) && json.Unmarshal([]byte(result), &n) == nil && string(n.Changed) == `"unknown"`
}

// MadeFolders returns the folders that a command made, by its result.
func MadeFolders(s *dialog.Section) []string {
	var r struct{ MadeFolders []string }
	if s.Role != dialog.ToolResult || s.Torn || !strings.Contains(s.Text(), `"madeFolders"`) || json.Unmarshal([]byte(s.Text()), &r) != nil {
		return nil
	}
	return r.MadeFolders
}

// Noted reports whether a result has the note about deed, which is sent once.
func Noted(result string) bool {
	if !strings.Contains(result, NoteMark) {
		return false
	}
	var n named
	return json.Unmarshal([]byte(result), &n) == nil && strings.Contains(n.Note, NoteMark)
}

// named is what Named, Wrote and Noted read of a result.
type named struct {
	FileHash
	Note    string          `json:"note"`
	Current *FileHash       `json:"current"`
	Changed json.RawMessage `json:"changed"`
}

// readNamed reads what a result names; ok is false where it names no file.
func readNamed(result string) (n named, ok bool) {
	if !strings.Contains(result, `"sha256"`) && !strings.Contains(result, `"changed":[{`) {
		return n, false
	}
	return n, json.Unmarshal([]byte(result), &n) == nil
}

// whole is the one file that a result is about; changed are those that a command
// changed.
func (n *named) whole() (files []FileHash) {
	if n.Path != "" && n.SHA256 != "" {
		files = append(files, FileHash{Path: n.Path, SHA256: n.SHA256})
	}
	return files
}

func (n *named) changed() (files []FileHash) {
	if json.Unmarshal(n.Changed, &files) != nil {
		return nil // "unknown" is a string
	}
	return files
}
