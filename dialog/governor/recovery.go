package governor

import (
	"encoding/json"
	"slices"
	"strings"

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

// failures are the last results of a turn.
type failures struct{ last []outcome }

// outcome is a result, and whether it is a failure that nothing has made good since.
type outcome struct {
	call    call
	repairs string
	bad     bool
}

// result takes in a result. What a human denied is an answer and no failure, and what
// a rule refused was never tried.
func (f *failures) result(c *call) {
	if c.refused != "" {
		return
	}
	key := repairs(c)
	for i := range f.last {
		if o := &f.last[i]; c.success && (c.checks || key == o.repairs) {
			o.bad = false
		}
	}
	if len(f.last) == failuresSeen {
		f.last = append(f.last[:0], f.last[1:]...)
	}
	f.last = append(f.last, outcome{*c, key, !c.denied && c.failed()})
}

func (f *failures) any() bool {
	return slices.ContainsFunc(f.last, func(o outcome) bool { return o.bad })
}

// hidden reports whether text, the model's last, names not all of the failures.
func (f *failures) hidden(text string) bool {
	return slices.ContainsFunc(f.last, func(o outcome) bool { return o.bad && !names(text, &o.call) })
}

// repairs names what a success makes good: the failures with the same. It is the
// fingerprint, but that a file may be written by another tool, and that who looks at a
// server's logs, or stops it, has not started it.
func repairs(c *call) string {
	print := fingerprint(c)
	if _, path, ok := strings.Cut(print, ":"); ok && dialog.WritesFile(c.tool) {
		return "file:" + path
	}
	return c.tool + " " + print
}

// answers are the commands that answer no by an exit code of 1, and fail with another.
var answers = []string{"grep", "egrep", "fgrep", "rg", "test", "[", "diff", "cmp", "which"}

// failed reports whether a call failed. A command that answers no did what it should.
func (c *call) failed() bool {
	if c.success {
		return false
	}
	var r struct{ ExitCode int }
	command, ok := c.command()
	return !ok || json.Unmarshal([]byte(c.result), &r) != nil || r.ExitCode != 1 || !isAnswer(command)
}

// isAnswer reports whether an exit code of 1 of a shell line is that of one of answers:
// of what stands behind the last ; no other command can give it.
func isAnswer(line string) bool {
	line, ok := bare(line)
	line = strings.TrimRight(line, " \t\n;")
	line = line[strings.LastIndexAny(line, ";\n")+1:]
	asked := false
	for step := range strings.SplitSeq(strings.ReplaceAll(line, "||", "&&"), "&&") {
		switch name := verb(strings.ReplaceAll(step[strings.LastIndexByte(step, '|')+1:], "! ", "")); {
		case slices.Contains(answers, name):
			asked = true
		case name != "shell" && name != "echo" && name != "printf":
			return false
		}
	}
	return ok && asked
}

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
