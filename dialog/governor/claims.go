package governor

import (
	"strings"

	"vibey/dialog"
)

// claims is what the results of a turn say, against which its final text is held.
type claims struct {
	facts  Facts
	marked bool // the last text was held against them
}

// Facts are what the results of a turn bear out.
type Facts struct {
	Changed   []string // paths of the project that were written or removed; "unknown" is any
	Ready     bool     // a server answered with 2xx
	Committed bool
}

func (x *claims) result(c *call) {
	x.facts.Changed = append(x.facts.Changed, c.changes...)
	if c.success && c.tool == "start_server" {
		x.facts.Ready = true
	}
	if c.success && c.tool == "run_command" && strings.Contains(c.input, "git") && strings.Contains(c.input, "commit") {
		x.facts.Committed = true
	}
}

// note returns the Note of a final text that claims what no result bears out.
func (x *claims) note(text string) (Note, bool) {
	if x.marked {
		return Note{}, false
	}
	found := Unbacked(text, x.facts)
	if len(found) == 0 {
		return Note{}, false
	}
	return Note{Kind: "unbacked", To: "human", Text: "Unbacked claim: no result of this turn says that " + strings.Join(found, ", or that ") + ".",
		Meta: dialog.Fields{{Key: "Claims", Value: dialog.Clean(strings.Join(found, "; "), 300)}}}, true
}
