package change

import (
	"slices"

	"vibey/dialog"
)

// Ledger is what a dialog's results say of files: the last hash named for each
// path. A message about passages of such a file names its hash too, since the model reads
// them; of a file that no result named it does not, so that it never refuses a call that
// would run without it. It is a fold over the sections, extended as they come.
type Ledger struct {
	seen  int
	files map[string]string
	Noted bool // the one-time note about deed/ was given

	// unread is what undos and messages named that the model has not read: a call that waited
	// while a human took something back was made for what stood there before.
	unread []unread
}

// unread is a file that an undo named or, with quoted, a message about passages of it.
type unread struct {
	FileHash
	quoted bool
}

// Extend folds the sections that came since the last time.
func (l *Ledger) Extend(d *dialog.Dialog) {
	if l.files == nil {
		l.files = make(map[string]string)
	}
	for ; l.seen < len(d.Sections); l.seen++ {
		switch s := &d.Sections[l.seen]; {
		case s.Torn:
		case s.Role == dialog.Note:
			for _, f := range Names(s) {
				l.unread = append(l.unread, unread{f, false})
			}
		case s.Role == dialog.User:
			for _, p := range dialog.Passages(s) {
				l.unread = append(l.unread, unread{FileHash{Path: p.File, SHA256: p.SHA256}, true})
			}
		case s.Role == dialog.ToolResult:
			if !dialog.ServerTool(s.Tool()) { // another writer may have changed it while the server ran; the guard is for that
				l.name(Names(s))
			}
			l.Noted = l.Noted || Noted(s.Text())
		case s.Role == dialog.ToolRequest:
			for _, f := range l.unread {
				if !f.quoted || l.files[f.Path] != "" {
					l.files[f.Path] = f.SHA256
				}
			}
			l.unread = nil
		}
	}
}

// name takes in what a result names, which is newer than what is unread.
func (l *Ledger) name(files []FileHash) {
	for _, f := range files {
		l.files[f.Path] = f.SHA256
		l.unread = slices.DeleteFunc(l.unread, func(u unread) bool { return u.Path == f.Path })
	}
}

// Hash returns the last hash named for a path.
func (l *Ledger) Hash(path string) (sha string, ok bool) {
	sha, ok = l.files[path]
	return sha, ok
}
