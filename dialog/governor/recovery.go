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
	f.last = append(f.last, outcome{*c, key, !c.denied && c.failed()})
	f.last = f.last[max(0, len(f.last)-failuresSeen):]
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
var answers = []string{"grep", "egrep", "fgrep", "zgrep", "pgrep", "rg", "test", "[", "[[", "diff", "cmp", "which"}

// harmless are the commands that never give an exit code of 1.
var harmless = []string{"echo", "printf", "ls", "pwd", "true"}

// program returns the words of a step of a shell line from the name of the program on
// that gives its exit code: without variables, the folder of the system's programs, and
// what only runs another.
func program(step string) []string {
	words := strings.Fields(step)
	for len(words) > 0 {
		name := words[0]
		for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
			name = strings.TrimPrefix(name, dir)
		}
		words[0] = name
		switch {
		case name == "!" || name == "cd" && len(words) == 1 || isVariable(name):
		case name == "cd":
			return nil
		case slices.Contains([]string{"timeout", "env", "nice", "time", "command"}, name):
			if name == "command" && len(words) > 1 && (words[1] == "-v" || words[1] == "-V") {
				return words
			}
			for len(words) > 1 && (strings.HasPrefix(words[1], "-") || words[1][0] >= '0' && words[1][0] <= '9') {
				words = words[1:]
			}
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

// asks reports whether a program answers no by an exit code of 1.
func asks(words []string) bool {
	switch words[0] {
	case "command":
		return true
	case "git":
		return gitAsks(words[1:])
	}
	return slices.Contains(answers, words[0])
}

func gitAsks(words []string) bool {
	for len(words) > 1 && words[0][0] == '-' {
		if words[0] == "-C" || words[0] == "-c" {
			words = words[1:]
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	has := func(option string) bool { return slices.Contains(words, option) }
	return words[0] == "grep" || words[0] == "check-ignore" || words[0] == "diff" && (has("--quiet") || has("--exit-code") || has("--no-index")) || words[0] == "merge-base" && has("--is-ancestor")
}

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
		words := program(strings.TrimLeft(step[strings.LastIndexByte(step, '|')+1:], " ({"))
		switch {
		case len(words) == 0 || slices.Contains(harmless, words[0]):
		case !asks(words):
			return false
		default:
			asked = true
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
