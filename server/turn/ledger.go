package turn

import "vibey/dialog"

// ledger is what a dialog's results say of files: the last hash named for each
// path. It is a fold over the sections, extended as they come.
type ledger struct {
	seen  int
	files map[string]string
	noted bool // the one-time note about deed/ was given
}

// extend folds the results that came since the last time.
func (l *ledger) extend(d *dialog.Dialog) {
	if l.files == nil {
		l.files = make(map[string]string)
	}
	for ; l.seen < len(d.Sections); l.seen++ {
		s := &d.Sections[l.seen]
		if s.Role != dialog.ToolResult || s.Torn {
			continue
		}
		for _, f := range dialog.Named(s.Text()) {
			l.files[f.Path] = f.SHA256
		}
		l.noted = l.noted || dialog.Noted(s.Text())
	}
}

func (l *ledger) hash(path string) (sha string, ok bool) {
	sha, ok = l.files[path]
	return sha, ok
}
