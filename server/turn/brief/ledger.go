package brief

import (
	"vibey/dialog"
	"vibey/dialog/change"
)

// Ledger is what a dialog's results say of files: the last hash named for each
// path. It is a fold over the sections, extended as they come.
type Ledger struct {
	seen  int
	files map[string]string
	Noted bool // the one-time note about deed/ was given

	// undone is what undos named that the model has not read: a call that waited while a
	// human took something back was made for what stood there before.
	undone []change.FileHash
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
			l.undone = append(l.undone, change.Names(s)...)
		case s.Role == dialog.ToolResult:
			if !dialog.ServerTool(s.Tool()) { // another writer may have changed it while the server ran; the guard is for that
				l.name(change.Names(s))
			}
			l.Noted = l.Noted || change.Noted(s.Text())
		case s.Role == dialog.ToolRequest:
			l.name(l.undone)
			l.undone = nil
		}
	}
}

func (l *Ledger) name(files []change.FileHash) {
	for _, f := range files {
		l.files[f.Path] = f.SHA256
	}
}

// Hash returns the last hash named for a path.
func (l *Ledger) Hash(path string) (sha string, ok bool) {
	sha, ok = l.files[path]
	return sha, ok
}
