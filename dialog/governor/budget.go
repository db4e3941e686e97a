package governor

import (
	"fmt"
	"strconv"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// The most rounds that a message of each intent may take, unless a rule
// "budget INTENT N" says another number. Source: vibey/vibey/doc-reference.md, "The governor".
var limits = map[string]int{
	"conversational": 0, "status_check": 2, "diagnose": 8, "small_fix": 15, "feature_build": 40, "autonomous": 150,
}

const (
	unclassified = 15 // rounds of a message whose intent is not known
	warnAt       = 3  // rounds left when the model is warned
)

// budget counts the rounds of a stretch: the responses with calls of which at least
// one was not refused by a rule. A round counts from its first call on, since Refuses
// asks about it before any result is there. Its results come in any order, those of
// refused calls mostly first: the first refusal takes the round back, and a call that
// runs behind it counts it again.
type budget struct {
	rounds  int  // with the one that is under way
	begun   bool // there was one in this stretch; the results before it belong to the stretch before
	counted bool // the last one is among rounds
	used    bool // a call of the last one was not refused
	over    bool // a call was refused because of the budget
	warned  bool
}

func (b *budget) round() {
	b.rounds++
	b.begun, b.counted, b.used = true, true, false
}

// ran takes in the result of a call that no rule refused.
func (b *budget) ran() {
	if b.begun && !b.counted {
		b.rounds++
		b.counted = true
	}
	b.used = true
}

// refused takes in the result of a call that a rule refused: a round of which no
// other call ran uses nothing.
func (b *budget) refused(rule string) {
	b.over = b.over || rule == refusedByBudget
	if b.counted && !b.used {
		b.rounds--
		b.counted = false
	}
}

// Budget is how many rounds a stretch has used of those that it may; Used is never
// above Limit. Intent is that of the turn, "" for one that is not known.
type Budget struct {
	Used, Limit int
	Intent      string
}

// Budget returns what the stretch has used.
func (j *Judge) Budget() Budget {
	limit := j.limit()
	return Budget{min(j.budget.rounds, limit), limit, j.intent}
}

func (j *Judge) limit() int {
	limit := Limit(j.rules, j.intent)
	if limit == 0 && j.again { // who presses Continue wants something done
		return unclassified
	}
	return limit
}

// Limit is how many rounds a message of an intent may take; "" is one that is not
// known.
func Limit(r grant.Rules, intent string) int {
	limit, known := r.Budgets[intent]
	if !known {
		limit, known = limits[intent]
	}
	if !known {
		return unclassified
	}
	return limit
}

func (j *Judge) budgetLeft() bool { return j.budget.rounds < j.limit() }

// warning is due in the request with exactly three rounds left.
func (j *Judge) warning() []Note {
	limit := j.limit()
	if limit <= warnAt || limit-j.budget.rounds != warnAt || j.budget.warned {
		return nil
	}
	return []Note{{Kind: "warning", To: "model", Meta: dialog.Fields{{Key: "Left", Value: strconv.Itoa(warnAt)}},
		Text: fmt.Sprintf("[WARNING] %d of the %d rounds that this message may take are left. Bring what you began to a state that works, and say what is left undone.", warnAt, limit)}}
}

func (j *Judge) budgetText() string {
	if j.limit() == 0 {
		return "This message was taken as conversation, for which no tool runs. Press Continue to let the agent work on it, or say what you want done."
	}
	b := j.Budget()
	return used(b.Limit, "step", ofIntent(b.Intent)) + " Press Continue for as many more, or say what you want next."
}

func ofIntent(intent string) string {
	if intent == "" {
		return ""
	}
	return " (" + intent + ")"
}

// used says that a message has no round left, in the word of who reads it: to people a round
// is a step.
func used(limit int, round, of string) string {
	if limit == 1 {
		return "The one " + round + " that this message may take" + of + " is used."
	}
	return fmt.Sprintf("All %d %ss that this message may take%s are used.", limit, round, of)
}
