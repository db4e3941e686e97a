package governor

import (
	"slices"

	"vibey/dialog"
)

// failuresSeen is how many of the last results are asked for a failure.
const failuresSeen = 3

// recovery is the one round without tools in which the model says honestly where a
// stretch ended that did not end well.
type recovery struct {
	begun    bool
	answered bool   // the model has spoken since
	spent    bool   // it was over before mail came, and comes no second time
	stop     string // why the governor stopped the turn, "" where it did not
}

// awake takes in mail that is to be read now. A turn that its recovery round had ended
// goes on, without another such round; one that the governor stopped stays stopped.
func (r *recovery) awake() {
	if r.answered && r.stop == "" {
		*r = recovery{spent: true}
	}
}

// failures is which of the last results of a turn failed.
type failures struct{ last []bool }

// result takes in a result. What a human denied is an answer and no failure, and what
// a rule refused was never tried.
func (f *failures) result(c *call) {
	if c.refused != "" {
		return
	}
	if len(f.last) == failuresSeen {
		f.last = append(f.last[:0], f.last[1:]...)
	}
	f.last = append(f.last, !c.success && !c.denied)
}

func (f *failures) any() bool { return slices.Contains(f.last, true) }

// recover returns the Note that begins the recovery round, for a stop or another
// reason.
func (j *Judge) recover(why string) Note {
	var reason string
	switch why {
	case StopLoop:
		reason = "LOOP DETECTED: " + j.loop.found + ". Stop trying that approach. "
	case StopMistakes:
		reason = "Too many calls failed one after the other. "
	case StopBudget:
		reason = "You hit the round cap of this message. "
	case "silent":
		reason = "Your last answer had no words. "
	}
	if j.failed.any() {
		reason += "Your last tool calls returned failures or non-2xx health checks. Do NOT claim those operations succeeded. "
	}
	return Note{Kind: "recovery", To: "model", Meta: dialog.Fields{{Key: "Reason", Value: why}},
		Text: "[RECOVERY] " + reason + "In this one answer no tool runs. Tell the human in a few plain sentences what was really done, citing results of this turn, what failed, with its error, and what should happen next. Claim no success that no result of this turn shows."}
}
