package dialog

import (
	"fmt"
)

// SyntaxError is a place where a dialog's text is not what its writer can have
// meant. Line counts from 1.
type SyntaxError struct {
	Line int
	Rule string // one word: fence, section, header, field, torn
	Text string
}

func (e SyntaxError) Error() string { return fmt.Sprintf("line %d: %s: %s", e.Line, e.Rule, e.Text) }
