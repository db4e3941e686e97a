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
