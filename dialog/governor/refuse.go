package governor

import "vibey/dialog"

// The rules that refuse calls, as results name them in "> Refused:".
const (
	refusedByBudget   = "budget"
	refusedByPhase    = "phase"
	refusedByRecovery = "recovery"
)

// Refusal is why a call does not run, in words for the model. Rule and Failure stand
// in the result's metadata; Failure is "" for what is no mistake.
type Refusal struct{ Text, Rule, Failure string }

// Refuses judges an open call of the last response, before a human is asked about it
// and whatever they allowed. restrained reports that the call could be run so that it
// changes nothing (see Restrains).
func (j *Judge) Refuses(tool string, restrained bool) (Refusal, bool) {
	limit := j.limit()
	switch {
	case j.recovery.begun || j.recovery.stop != "":
		return Refusal{"This turn is over, and no tool runs any more. Say in words what was done, what failed, and what is left.", refusedByRecovery, ""}, true
	case j.budget.rounds > limit && limit == 0:
		return Refusal{"Not run: the human's message was taken as conversation, for which no tool runs. Answer in words; where something has to be done, say what, and ask for it.", refusedByBudget, ""}, true
	case j.budget.rounds > limit:
		return Refusal{"Not run. " + used(limit, "round", "") + " Say in words what was done, and what is left.", refusedByBudget, ""}, true
	case j.phase.now == Recon && !restrained && (j.class(tool) == dialog.Mutate || tool == "start_server"):
		return Refusal{j.phaseText(), refusedByPhase, "permission_denied"}, true
	}
	return Refusal{}, false
}

func (j *Judge) phaseText() string {
	if j.class("checkpoint") == 0 { // the dialog's tools are those of its first message, and the rule is newer
		return "Not run: by the project's rules nothing is changed before a checkpoint, and this dialog was begun before that rule, without the tool for one. Tell the human so: a new dialog has it. Here, look and answer in words."
	}
	return "Not run: this turn is still in its first phase, in which nothing is changed. Look until you know enough, then call checkpoint with your goal, what you found, and what you propose. After it calls like this one may run."
}

// Restrains reports whether the commands and servers of this phase must not be able to
// change anything.
func (j *Judge) Restrains() bool { return j.phase.now == Recon }
