package view

import (
	"maps"
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/project"
)

// Standing is what the governor says of a dialog as it stands in its file, by the rules
// of doc-main.md as they stand now: what a window shows before the first event comes.
type Standing struct {
	Intent     string         `json:"intent"` // of the last message, "" if it is not known
	Budget     Rounds         `json:"budget"`
	Phase      governor.Phase `json:"phase,omitempty"` // "" if phases are off
	Label      string         `json:"label,omitempty"` // what people read of the phase
	Unverified bool           `json:"unverified,omitempty"`
	Stopped    string         `json:"stopped,omitempty"` // budget, loop or mistakes
	Ledger     Ledger         `json:"ledger"`
	Covers     []Cover        `json:"covers"`
}

// Rounds is how many rounds a turn used, and may.
type Rounds struct {
	Used  int `json:"used"`
	Limit int `json:"limit"`
}

// Ledger is which files the results say were read and modified, each list sorted.
type Ledger struct {
	Read     []LedgerFile `json:"read"`
	Modified []LedgerFile `json:"modified"`
}

// LedgerFile is a file as the last result left or saw it. SHA256 is lowercase hex, ""
// if the file is gone.
type LedgerFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Cover is a range of sections for which a Summary stands, by the sections' ids.
type Cover struct {
	From string `json:"from"`
	To   string `json:"to"`
	By   string `json:"by"`
}

// standing judges a dialog from scratch. A doc-main.md that can't be read is as one
// without rules: the dialog can be read all the same.
func (r *Reader) standing(p *project.Project, d *dialog.Dialog) Standing {
	doc, _ := p.LeadingDoc()
	rules, _ := grant.ParseRules(doc.Content, r.Names())
	j := r.Judge(d, rules)
	j.Extend(d)
	b, phase, l := j.Budget(), j.Phase(), governor.LedgerOf(d, len(d.Sections))
	s := Standing{
		Intent: b.Intent, Budget: Rounds{b.Used, b.Limit}, Phase: phase, Label: phase.Label(),
		Unverified: j.Unverified(), Stopped: j.Stopped(),
		Ledger: Ledger{ledgerFiles(l.Read), ledgerFiles(l.Modified)}, Covers: []Cover{},
	}
	for _, c := range history.Covers(d) {
		s.Covers = append(s.Covers, Cover{d.Sections[c.From].ID, d.Sections[c.To].ID, d.Sections[c.By].ID})
	}
	return s
}

func ledgerFiles(files map[string]string) []LedgerFile {
	out := make([]LedgerFile, 0, len(files))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		out = append(out, LedgerFile{path, files[path]})
	}
	return out
}
