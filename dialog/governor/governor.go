// Package governor judges how an agent works, by its dialog's text alone: how many
// rounds a message may take, what must be checked before the agent is done, when it
// goes in circles, when it has to speak. Each rule is a fold over the sections, in a
// file of its own; it keeps no memory beyond them, so that a verdict is the same
// after a restart.
//
//	j := governor.New(rules, classOf)
//	j.Extend(d)                      // after each append; costs what was appended
//	if why, refused := j.Refuses(tool, restrained); refused { … }   // for each open call
//	next := j.Next()                 // where none is open: append next.Notes; then ask the model, or end the turn
//
// A turn begins with a User section. A stretch begins there too, and anew where a
// human pressed Continue: budget, loop and mistakes count within it, and one recovery
// round may come in each. What failed, and how long the model was silent, stays.
package governor

import (
	"encoding/json"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
)

// Judge is the fold. The zero value is not ready; use New.
type Judge struct {
	rules grant.Rules
	class func(tool string) dialog.Class

	d       *dialog.Dialog
	version int // of the dialog, see dialog.Version
	seen    int // sections folded
	turn
}

// turn is what the sections since the last User section say.
type turn struct {
	intent  string // of the User section; "" is unclassified
	gate    gate
	phase   phase
	claims  claims
	silence silence
	failed  failures
	unknown map[string]string // the names of tools that are not there, by the calls' ids
	stretch
}

// stretch is what they say since the last User section or Continue.
type stretch struct {
	again    bool // it began with a Continue
	speech   speech
	budget   budget
	loop     loop
	mistakes mistakes
	recovery recovery
}

// New returns a judge by the project's rules. class tells the class of a tool, 0 for
// one that is not there; the same tool has always the same.
func New(rules grant.Rules, class func(tool string) dialog.Class) *Judge {
	return &Judge{rules: rules, class: class}
}

// call is a Tool Request with its result, as the rules see it.
type call struct {
	tool, input string
	class       dialog.Class
	result      string
	success     bool
	denied      bool
	failure     string            // the kind of mistake, "" for none
	refused     string            // the rule that refused it, "" where none did
	files       []change.FileHash // that it changed
	unknown     bool              // it changed more than could be told
	changes     []string          // the paths of these, or "unknown"
	same        []string          // those of changes whose content is what it was
	checks      bool              // it ran the check that the project declares
	verifies    bool              // it did, or looked at the result of the work otherwise
}

// command returns what a call of run_command runs.
func (c *call) command() (command string, ok bool) {
	var in struct{ Command string }
	if c.tool != "run_command" || json.Unmarshal([]byte(c.input), &in) != nil {
		return "", false
	}
	return in.Command, true
}

// name takes in a Note that tells which tool a call named that is not there.
func (j *Judge) name(s *dialog.Section) {
	var said struct{ Name string }
	if s.Meta.Get("Failure") != "tool_not_found" || json.Unmarshal([]byte(s.Payload(dialog.NoteJSON)), &said) != nil {
		return
	}
	if j.unknown == nil {
		j.unknown = map[string]string{}
	}
	j.unknown[s.Meta.Get("Parent")] = said.Name
}

// halted reports whether a human stopped the turn while the call ran.
func (c *call) halted() bool {
	var r struct{ Error string }
	return !c.success && json.Unmarshal([]byte(c.result), &r) == nil && r.Error == dialog.StoppedByUser
}

// Extend folds the sections that d got since the last call. d must be the dialog of
// that call; it may only have been appended to.
func (j *Judge) Extend(d *dialog.Dialog) {
	if v := d.Version(); j.version != v { // a section that was folded may have become torn
		*j = Judge{rules: j.rules, class: j.class, version: v}
	}
	j.d = d
	if j.seen == 0 {
		j.seen = max(d.LastPrompt(), 0) // what stands before it says nothing of it
	}
	for ; j.seen < len(d.Sections); j.seen++ {
		if s := &d.Sections[j.seen]; !s.Torn {
			j.fold(d, j.seen, s)
		}
	}
}

func (j *Judge) fold(d *dialog.Dialog, i int, s *dialog.Section) {
	switch s.Role {
	case dialog.User:
		j.turn = turn{intent: s.Meta.Get("Intent")}
		j.phase.begin(j.rules.Phases)
	case dialog.Assistant, dialog.Reasoning:
		j.hear(s)
	case dialog.ToolRequest:
		if d.Find(dialog.ToolRequest, s.ID) == i {
			j.request()
		}
	case dialog.ToolResult:
		if k := d.Find(dialog.ToolRequest, s.ID); k >= 0 && d.Find(dialog.ToolResult, s.ID) == i {
			j.result(k, &d.Sections[k], s)
		}
	case dialog.Note:
		j.note(s)
		if s.Kind() == dialog.UndoNote {
			back := change.TakesBack(d, i)
			for _, f := range change.Left(s) {
				j.gate.undo(f.Path, back)
				j.claims.undo(f.Path, back)
			}
			j.loop.forget(pair{})
		}
		if s.Kind() == dialog.EffectNote && !s.Meta.Has("Parent") {
			j.effect(change.EffectOf(s))
		}
	}
}

// effect takes in what a server changed between two calls.
func (j *Judge) effect(e change.Effect) {
	var paths []string
	for _, f := range e.Changed {
		paths = append(paths, f.Path)
	}
	if e.More > 0 {
		paths = append(paths, "unknown")
	}
	j.gate.effect(paths)
	j.claims.facts.Changed = append(j.claims.facts.Changed, paths...)
	j.loop.forget(pair{})
}

func (j *Judge) hear(s *dialog.Section) {
	j.recovery.answered = j.recovery.begun
	j.speech.hear(s)
	j.claims.marked = false
	if s.Role == dialog.Assistant && strings.TrimSpace(s.Text()) != "" {
		j.silence = silence{}
	}
}

func (j *Judge) request() {
	j.recovery.answered = j.recovery.begun
	j.mistakes.open++
	if j.speech.request() {
		j.budget.round()
		j.loop.round++
		if !j.speech.said {
			j.silence.rounds++
		}
	}
	if !j.speech.said {
		j.silence.calls++
	}
}

func (j *Judge) result(at int, request, s *dialog.Section) {
	c := call{
		tool: request.Tool(), input: request.Text(), result: s.Text(),
		denied: s.Meta.Get("Status") == dialog.CallDenied, failure: s.Meta.Get("Failure"), refused: s.Meta.Get("Refused"),
	}
	c.class = j.class(c.tool)
	if name, ok := j.unknown[s.ID]; ok {
		c.tool = name
	}
	c.success = s.Meta.Get("Status") == dialog.CallApproved && dialog.Succeeded(c.result)
	c.change()
	c.checks = checks(&c, j.rules.Verify)
	c.verifies = c.checks || c.class == dialog.Verify
	j.speech.forModel()
	j.speech.halted = j.speech.halted || c.halted()
	j.mistakes.result(&c, at)
	j.failed.result(&c)
	j.phase.result(&c)
	if c.refused != "" {
		j.budget.refused(c.refused)
		return
	}
	j.budget.ran()
	j.loop.result(&c)
	j.gate.result(&c)
	j.claims.result(&c)
}

func (j *Judge) note(s *dialog.Section) {
	if s.Continues() {
		j.stretch, j.gate.marked = stretch{again: true}, false
		return
	}
	if s.AsksModel() {
		j.speech.forModel()
		if s.IsMail() {
			j.recovery.awake()
		}
	}
	switch s.Kind() {
	case "nudge":
		j.silence.nudged()
	case "warning":
		j.budget.warned = j.budget.warned || s.Meta.Has("Left")
	case "mistake":
		j.name(s)
		if j.mistakes.note(s) {
			j.speech.broken = true
		}
	case "recovery":
		j.recovery.begun = true
	case "gate":
		j.gate.asked++
		j.phase.gate()
	case "unverified":
		j.gate.marked = true
	case "unbacked":
		j.claims.marked = true
	case "phase":
		j.phase.noted = Phase(s.Meta.Get("Phase"))
	case "commit":
		j.claims.facts.Committed = j.claims.facts.Committed || s.Meta.Has("Sha")
	}
	if r := s.Meta.Get("Stop"); r != "" {
		j.recovery.stop = r
	}
}
