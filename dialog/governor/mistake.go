package governor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vibey/dialog"
)

// mistakesMost is how many mistakes in a row bring guidance, and then a stop.
const mistakesMost = 3

// mistakeKinds are the kinds of failure that count. A command that ran and exited
// with another code than 0 is none: it neither counts nor ends a run of mistakes.
var mistakeKinds = []string{"schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"}

// mistakes counts failures of calls that the model does not recover from, whatever
// they are. A success ends the count.
type mistakes struct {
	run       []string // kinds since the last success or guidance
	nudges    int      // how often guidance was due since the last success
	noted     int      // and was given
	kinds     []string // since the last success, up to the last guidance that was due
	escalated bool
}

func (m *mistakes) step(c *call) {
	switch {
	case c.success && !m.escalated:
		*m = mistakes{}
	case slices.Contains(mistakeKinds, c.failure):
		m.add(c.failure)
	}
}

func (m *mistakes) add(kind string) {
	if m.escalated {
		return
	}
	m.run = append(m.run, kind)
	if len(m.run) < mistakesMost {
		return
	}
	m.kinds, m.run = append(slices.Clip(m.kinds), m.run...), nil
	m.nudges++
	m.escalated = m.nudges > 1
}

// note takes in a Note of Kind mistake: one that gave guidance, or a failure of the
// provider: failed reports that it was that.
func (m *mistakes) note(s *dialog.Section) (failed bool) {
	switch {
	case s.Meta.Get("To") == "model":
		m.noted++
	case s.Meta.Get("Failure") == "api_error":
		m.add("api_error")
		return true
	}
	return false
}

// MistakeRecovery is the note/json of a Note of Kind mistake, and the event that
// tells of it.
type MistakeRecovery struct {
	Kind         string   `json:"kind"`
	FailureKinds []string `json:"failure_kinds"`
	Count        int      `json:"count"`
	Escalated    bool     `json:"escalated"`
	CanContinue  bool     `json:"can_continue"`
}

// mistakeRecovery is the Kind of a MistakeRecovery, and the type of the event.
const mistakeRecovery = "mistake_recovery"

func mistakeJSON(kinds []string, escalated bool) string {
	b, err := json.Marshal(MistakeRecovery{mistakeRecovery, kinds, len(kinds), escalated, escalated})
	if err != nil {
		return ""
	}
	return string(b)
}

func (m *mistakes) guidance() (Note, bool) {
	if m.nudges == 0 || m.noted > 0 {
		return Note{}, false
	}
	kinds := m.kinds[:mistakesMost]
	return Note{Kind: "mistake", To: "model", JSON: mistakeJSON(kinds, false), Text: fmt.Sprintf("[RECOVERY GUIDANCE] Your last %d calls failed (%s). Don't retry variations of the same. Read each error again, and the tools' schemas; look whether a path or a tool exists before you use it; then take another approach, or ask the human.", len(kinds), strings.Join(kinds, ", "))}, true
}

// stops returns the Notes of a stop: where one round brought all the mistakes, the
// guidance comes with it.
func (m *mistakes) stops() []Note {
	n := stopNote("mistake", StopMistakes, fmt.Sprintf("The turn was stopped: %d calls failed one after the other (%s), also after guidance. Press Continue to let it try again, or tell it what to do.", len(m.kinds), strings.Join(m.kinds, ", ")))
	n.JSON = mistakeJSON(m.kinds, true)
	if guidance, ok := m.guidance(); ok {
		return []Note{guidance, n}
	}
	return []Note{n}
}
