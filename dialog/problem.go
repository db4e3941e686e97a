package dialog

import (
	"fmt"
)

// SyntaxError is a place where the text of a dialog, or of doc-main.md, is not what
// its writer can have meant. Line counts from 1.
type SyntaxError struct {
	Line int
	Rule string // one word: fence, section, header, field, torn; project and control in doc-main.md
	Text string
}

func (e SyntaxError) Error() string { return fmt.Sprintf("line %d: %s: %s", e.Line, e.Rule, e.Text) }

// FirstProblems returns the first most of a doc's problems, and where there are more,
// one that counts those, at the line of the first of them.
func FirstProblems(all []SyntaxError, most int) []SyntaxError {
	left := len(all) - most
	if left <= 0 {
		return all
	}
	rest := all[most]
	rest.Text = fmt.Sprintf("and %d more lines that do not hold", left)
	if left == 1 {
		rest.Text = "and 1 more line that does not hold"
	}
	return append(all[:most:most], rest)
}
