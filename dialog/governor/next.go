package governor

import (
	"slices"

	"vibey/dialog"
)

// Note is a Note section that is to be appended.
type Note struct {
	Kind, To, Text string
	Meta           dialog.Fields // beyond Kind and To
	JSON           string        // of a note/json payload, "" for none
}

// Next is what follows where no call is open: Notes are appended, in one append;
// then the model is asked, or the turn is over.
type Next struct {
	Notes   []Note
	Ask     bool
	NoTools bool // the model is asked for words alone: the recovery round
}

// The reasons for which the governor stops a turn, as its Note says them in "> Stop:".
const (
	StopLoop     = "loop"
	StopMistakes = "mistakes"
	StopBudget   = "budget"
)

// Next judges what follows. It is asked where no call is open: after a message, after
// results, and after the model's word.
func (j *Judge) Next() Next {
	if j.recovery.begun {
		if j.recovery.answered { // also by calls, which are refused
			return j.end()
		}
		return Next{Ask: true, NoTools: true}
	}
	if j.recovery.stop != "" {
		if j.recovery.spent {
			return j.end()
		}
		return Next{Notes: []Note{j.recover(j.recovery.stop)}, Ask: true, NoTools: true}
	}
	if n := j.stops(); n != nil {
		notes := append(j.phase.notes(), n...)
		if j.recovery.spent {
			return Next{Notes: notes}
		}
		return Next{Notes: append(notes, j.recover(n[len(n)-1].Meta.Get("Stop"))), Ask: true, NoTools: true}
	}
	if j.speech.over() {
		return j.over()
	}
	return Next{Notes: j.before(), Ask: true}
}

// stops returns the Notes that stop the turn, the last of them with the reason, or
// nil. One stop has one reason.
func (j *Judge) stops() []Note {
	switch {
	case j.loop.found != "":
		return []Note{stopNote("loop", StopLoop, "The turn was stopped because it went in circles: "+j.loop.found+", the last time as `"+j.loop.call+"`, and each time the result was the same, but perhaps for numbers. Press Continue to let it go on, or tell it what to do instead.")}
	case j.mistakes.escalated:
		return []Note{j.mistakes.stop()}
	case j.budget.over:
		return []Note{stopNote("budget", StopBudget, j.budgetText())}
	}
	return nil
}

func stopNote(kind, reason, text string) Note {
	return Note{Kind: kind, To: "human", Text: text, Meta: dialog.Fields{{Key: "Stop", Value: reason}}}
}

// before returns the Notes that go to the model with its next request, and the one of
// a phase that began.
func (j *Judge) before() []Note {
	return slices.Concat(j.phase.notes(), j.mistakes.guidance(), j.warning(), j.silence.nudge())
}

// over judges the end of a turn in which the model has had its word.
func (j *Judge) over() Next {
	switch {
	case !j.speech.said && !j.recovery.spent:
		return Next{Notes: []Note{j.recover("silent")}, Ask: true, NoTools: true}
	case j.gated() && j.gate.unverified() && j.gate.asked < gateMost && j.budgetLeft() && !admits(j.speech.text):
		return Next{Notes: slices.Concat(j.unbacked(), j.phase.notes(), []Note{j.gateNote()}, j.phase.gated()), Ask: true}
	case j.failed.hidden(j.speech.text) && !j.recovery.spent: // the human has read that text, too
		return Next{Notes: append(j.unbacked(), j.recover("failed")), Ask: true, NoTools: true}
	}
	return j.end()
}

// end returns the Notes of a turn that is over.
func (j *Judge) end() Next {
	var notes []Note
	if j.gated() && j.gate.unverified() && !j.gate.marked {
		notes = append(notes, j.unverified())
	}
	if !j.speech.said {
		notes = append(notes, Note{Kind: "warning", To: "human", Text: "The model's answer was empty. Press Continue to ask it again, or send a message."})
	}
	if j.speech.stop == "refusal" {
		notes = append(notes, Note{Kind: "warning", To: "human", Text: "The model refused to go on with this. Say it in other words, or ask another model."})
	}
	notes = append(notes, j.unbacked()...)
	return Next{Notes: append(notes, j.phase.end()...)}
}

// Stands reports whether a turn has come to an end, be it a good one or not, so that
// only a human lets it go on, and a Continue is noted in the file. Else a request was
// due when the server died: a Continue makes that one, with no Note.
func (j *Judge) Stands() bool {
	return j.recovery.stop != "" || j.speech.broken || j.speech.halted || !j.Next().Ask
}

// Spoken reports whether the model has had its word, and nothing came for it since.
func (j *Judge) Spoken() bool { return j.speech.over() }

// Verifies reports whether the success of a call verifies what the turn changed before.
func (j *Judge) Verifies(tool, input string) bool {
	return j.class(tool) == dialog.Verify || checks(&call{tool: tool, input: input}, j.rules.Verify)
}

// LastWords returns what the model said last, "" for nothing.
func (j *Judge) LastWords() string { return j.speech.text }

// Unverified reports whether the turn changed files and nothing verified them after
// the last change, where the project wants that, or did when the turn was marked so.
func (j *Judge) Unverified() bool { return j.gate.marked || j.gated() && j.gate.unverified() }

// Stopped returns why the governor stopped the turn (StopLoop …), or "". It stays so
// behind the recovery round, until a Continue or a message.
func (j *Judge) Stopped() string { return j.recovery.stop }
