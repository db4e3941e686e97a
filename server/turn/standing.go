package turn

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/server/project"
)

// Standing is what the governor says of a dialog as it stands in its file, by the rules
// of doc-main.md as they stand now: what a window shows before the first event comes.
type Standing struct {
	Intent     string         `json:"intent"` // of the last message, "" where it is not known
	Budget     budgetEvent    `json:"budget"`
	Phase      governor.Phase `json:"phase,omitempty"` // "" where phases are off
	Label      string         `json:"label,omitempty"` // what people read of the phase
	Unverified bool           `json:"unverified,omitempty"`
	Stopped    string         `json:"stopped,omitempty"` // budget, loop or mistakes
	Ledger     Ledger         `json:"ledger"`
	Covers     []Cover        `json:"covers"`
}

// Ledger is which files the results say were read and modified, each list sorted.
type Ledger struct {
	Read     []LedgerFile `json:"read"`
	Modified []LedgerFile `json:"modified"`
}

// LedgerFile is a file as the last result left or saw it. SHA256 is lowercase hex, ""
// where the file is gone.
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
func (r *Runner) standing(p *project.Project, d *dialog.Dialog) Standing {
	doc, _ := mainDoc(p)
	rules, _ := dialog.ParseRules(doc.Content, r.names())
	j := r.judge(d, rules)
	j.Extend(d)
	b, phase, l := j.Budget(), j.Phase(), governor.LedgerOf(d, len(d.Sections))
	s := Standing{
		Intent: b.Intent, Budget: budgetEvent{b.Used, b.Limit}, Phase: phase, Label: phase.Label(),
		Unverified: j.Unverified(), Stopped: j.Stopped(),
		Ledger: Ledger{ledgerFiles(l.Read), ledgerFiles(l.Modified)}, Covers: []Cover{},
	}
	for _, c := range d.Covers() {
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

// leadingDoc is doc-main.md as a model is told it.
type leadingDoc struct {
	project.File                      // its Content is readable
	garbled      []dialog.SyntaxError // what bytes that are not UTF-8 make of it, none nearly always
}

// mainDoc reads the doc that leads a project; one without it has an empty one.
func mainDoc(p *project.Project) (leadingDoc, error) {
	f, err := p.ReadFile(project.MainDoc)
	if errors.Is(err, fs.ErrNotExist) {
		return leadingDoc{File: project.File{Name: project.MainDoc}}, nil
	}
	out := leadingDoc{f, garbled(f.Content)}
	out.Content = readable(f.Content)
	return out, err
}

// garbled returns the problem of a doc that is not UTF-8, of which a model can't be told
// what its writer wrote.
func garbled(doc string) []dialog.SyntaxError {
	const next = ". Save the page as UTF-8"
	if strings.IndexByte(doc, 0) >= 0 {
		return []dialog.SyntaxError{{Line: 1, Rule: "utf8", Text: "the page is saved as UTF-16, not as UTF-8: a model reads it garbled, and no rule in it holds" + next}}
	}
	whole := strings.ToValidUTF8(doc, "\x00") // it has no other
	first, _, found := strings.Cut(whole, "\x00")
	if !found {
		return nil
	}
	n := strings.Count(whole, "\x00")
	return []dialog.SyntaxError{{Line: 1 + strings.Count(first, "\n"), Rule: "utf8", Text: "the first of " + strconv.Itoa(n) +
		" places whose bytes are not UTF-8, such as letters that were saved as Latin-1: a model reads \uFFFD there" + next}}
}
