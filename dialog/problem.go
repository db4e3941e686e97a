package dialog

import (
	"fmt"
)

// SyntaxError is a place where the text of a dialog, or of doc-main.md, is not what
// its writer can have meant. Line counts from 1.
type SyntaxError struct {
	Line int
	Rule string // one word: fence, section, header, field, torn, merge; project and control in doc-main.md
	Text string
}

func (e SyntaxError) Error() string { return fmt.Sprintf("line %d: %s: %s", e.Line, e.Rule, e.Text) }

// LineProblem is what is wrong with one line of a doc, as humans and models read it.
type LineProblem struct {
	Line int    `json:"line"` // from 1 on
	Text string `json:"text"`
}

// FirstProblems returns the first most of a doc's problems, and if there are more,
// how many, at the line of the first of those.
func FirstProblems(all []SyntaxError, most int) (first []LineProblem) {
	for _, p := range all[:min(most, len(all))] {
		first = append(first, LineProblem{p.Line, p.Text})
	}
	switch left := len(all) - most; {
	case left == 1:
		first = append(first, LineProblem{all[most].Line, "and 1 more line that does not hold"})
	case left > 1:
		first = append(first, LineProblem{all[most].Line, fmt.Sprintf("and %d more lines that do not hold", left)})
	}
	return first
}
