package governor

import (
	"maps"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
)

// Ledger is which files the results of a dialog say were read and modified, with the
// last hash that each names: lowercase hex, "" where the file is gone or was not read.
type Ledger struct {
	Read, Modified map[string]string
}

// LedgerOf folds the tool sections, and the undos, of d before section end.
func LedgerOf(d *dialog.Dialog, end int) Ledger {
	l := Ledger{map[string]string{}, map[string]string{}}
	for i := range d.Sections[:min(end, len(d.Sections))] {
		s := &d.Sections[i]
		switch {
		case s.Role == dialog.Note:
			l.wrote(change.Left(s))
		case s.Role == dialog.ToolResult && !s.Torn && s.Meta.Get("Status") == dialog.CallApproved:
			l.wrote(change.Left(s))
			l.read(s.Tool(), s.Text())
		}
	}
	return l
}

func (l Ledger) wrote(files []change.FileHash) {
	for _, f := range files {
		l.Modified[f.Path] = f.SHA256
	}
}

func (l Ledger) read(tool, result string) {
	if tool != "read_file" || !dialog.Succeeded(result) {
		return
	}
	for _, f := range change.Named(result) {
		l.Read[f.Path] = f.SHA256
	}
}

// Markdown returns the ledger as a Summary has it, sorted.
func (l Ledger) Markdown() string {
	var b strings.Builder
	b.WriteString("## Files Read\n\n")
	writeFiles(&b, l.Read)
	b.WriteString("\n## Files Modified\n\n")
	writeFiles(&b, l.Modified)
	return b.String()
}

func writeFiles(b *strings.Builder, files map[string]string) {
	if len(files) == 0 {
		b.WriteString("- none\n")
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		b.WriteString("- " + dialog.Clean(path, 300))
		if sha := files[path]; sha != "" {
			b.WriteString(" (sha256 " + dialog.Clean(sha, 64) + ")")
		}
		b.WriteString("\n")
	}
}
