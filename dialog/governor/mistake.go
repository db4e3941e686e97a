package governor

import (
	"cmp"
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
// they are. They are judged behind all results of a round: one success among them ends
// the count.
type mistakes struct {
	open      int       // calls of the round without a result
	round     []mistake // of the others
	succeeded bool      // one of them did

	run       []string // kinds since the last success or guidance
	guided    []string // kinds that brought the guidance since the last success; nil for none
	escalated bool
}

// mistake is a failure of a call, whose request stands in that section.
type mistake struct {
	at   int
	kind string
}

// result takes in a result. One whose request stands before the turn is a round of its
// own.
func (m *mistakes) result(c *call, at int) {
	m.open = max(0, m.open-1)
	m.succeeded = m.succeeded || c.success
	if slices.Contains(mistakeKinds, c.failure) && !c.success {
		m.round = append(m.round, mistake{at, c.failure})
	}
	if m.open == 0 {
		m.judge()
	}
}

// judge takes in a round of which all results are there.
func (m *mistakes) judge() {
	round, succeeded := m.round, m.succeeded
	m.round, m.succeeded = nil, false
	if m.escalated {
		return
	}
	if succeeded {
		*m = mistakes{}
		return
	}
	slices.SortFunc(round, func(a, b mistake) int { return cmp.Compare(a.at, b.at) })
	for _, r := range round {
		m.run = append(m.run, r.kind)
	}
	m.escalated = m.guided != nil && len(m.run) >= mistakesMost
}

// note takes in a Note of Kind mistake: one that gave guidance, or a failure of the
// provider: failed reports that it was that.
func (m *mistakes) note(s *dialog.Section) (failed bool) {
	switch {
	case s.Meta.Get("To") == "model":
		if !m.escalated && len(m.run) > 0 {
			m.guided, m.run = m.run, nil
		}
	case s.Meta.Get("Failure") == "api_error":
		m.round = append(m.round, mistake{kind: "api_error"})
		if m.open == 0 {
			m.judge()
		}
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
	b, _ := json.Marshal(MistakeRecovery{mistakeRecovery, kinds, len(kinds), escalated, escalated}) // it always can be
	return string(b)
}

func (m *mistakes) guidance() []Note {
	if m.guided != nil || len(m.run) < mistakesMost {
		return nil
	}
	return []Note{{Kind: "mistake", To: "model", JSON: mistakeJSON(m.run, false), Text: fmt.Sprintf("[RECOVERY GUIDANCE] Your last %d calls failed (%s). Don't retry variations of the same. Read each error again, and the tools' schemas; look whether a path or a tool exists before you use it; then take another approach, or ask the human.", len(m.run), strings.Join(m.run, ", "))}}
}

// stop returns the Note of a stop.
func (m *mistakes) stop() Note {
	kinds := slices.Concat(m.guided, m.run)
	n := stopNote("mistake", StopMistakes, fmt.Sprintf("The turn was stopped: %d calls failed one after the other (%s), also after guidance. Press Continue to let it try again, or tell it what to do.", len(kinds), strings.Join(kinds, ", ")))
	n.JSON = mistakeJSON(kinds, true)
	return n
}
