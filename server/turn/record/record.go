// Package record makes the sections that a turn appends: Notes, the results of calls, and
// the response of a model or an agent, piece by piece as it comes. It decides nothing and
// appends nothing but the pieces of an open response.
//
// Begin with Note, Result, Failure and Response. Stopped and ErrWaiting are why a turn
// ends before its model has had its word.
package record

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
)

// Note makes a Note. to is "model", "human" or "". skip is how many Notes are made that d
// does not have yet.
func Note(d *dialog.Dialog, now time.Time, skip int, kind, to, text string, more ...dialog.Field) dialog.Section {
	meta := dialog.Fields{{Key: "Kind", Value: kind}}.With("To", to)
	return dialog.Section{
		Role: dialog.Note, ID: d.NextID(dialog.Note, now, skip), Time: dialog.Span(now, now),
		Meta: append(meta, more...), Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: text}},
	}
}

// Judged makes the Note that the governor wants.
func Judged(d *dialog.Dialog, now time.Time, skip int, n governor.Note) dialog.Section {
	s := Note(d, now, skip, n.Kind, n.To, n.Text, n.Meta...)
	if n.JSON != "" {
		s.Payloads = append(s.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: n.JSON})
	}
	return s
}

// Continued returns the Note of a human's Continue, if one is due. answered reports that
// the history of the model ends with its own answer.
func Continued(j *governor.Judge, answered bool) []governor.Note {
	by := dialog.Fields{{Key: "By", Value: "human"}}
	switch {
	case !j.Stands():
		return nil
	case answered, j.Spoken():
		return []governor.Note{{Kind: "nudge", To: "model", Text: Continue, Meta: by}}
	}
	return []governor.Note{{Kind: "budget", To: "human", Text: "Continued: steps, loops and mistakes count anew from here.", Meta: by}}
}

// MetaMost is how many bytes a value has at most that is repeated from metadata.
const MetaMost = 300

// Result makes a Tool Result of a call of d, for which nothing ran.
func Result(d *dialog.Dialog, now time.Time, c grant.Call, status, json string, more ...dialog.Field) dialog.Section {
	// Metadata that damage has put into the request must not keep its answer out of the file.
	parent, tool := dialog.Clean(c.Parent, MetaMost), dialog.Clean(c.Tool, MetaMost)
	meta := append(dialog.Fields{}.With("Parent", parent).With("Tool", tool).With("Status", status), more...)
	if startedUnasked(d, c) {
		meta = meta.With("Asked", "no")
	}
	return dialog.Section{
		Role: dialog.ToolResult, ID: c.ID, Time: dialog.Span(now, now), Meta: meta,
		Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: json}},
	}
}

// StartedUnasked is what the Note says, behind the tool, that an agent's call has started
// without a question to a human.
const StartedUnasked = " started, unasked."

// startedUnasked reports whether d has such a Note of a call.
func startedUnasked(d *dialog.Dialog, c grant.Call) bool {
	if !c.Started || !dialog.AgentTool(c.Tool) {
		return false
	}
	for i := d.Find(dialog.ToolRequest, c.ID) + 1; i < len(d.Sections); i++ {
		if s := &d.Sections[i]; s.Role == dialog.Note && s.Kind() == "started" && s.Meta.Get("Parent") == c.ID {
			return s.Text() == c.Tool+StartedUnasked
		}
	}
	return false
}

// notFound is the failure of a tool that is not there (tools.NotFound).
const notFound = "tool_not_found"

// unknownTool is the Note that keeps the name of a tool that is not there.
func unknownTool(d *dialog.Dialog, now time.Time, skip int, id, name string) dialog.Section {
	name = strings.ToValidUTF8(name, "\uFFFD")
	n := Note(d, now, skip, "mistake", "human", "The model called a tool that is not there: "+dialog.Clean(name, 200),
		dialog.Field{Key: "Parent", Value: id}, dialog.Field{Key: "Failure", Value: notFound})
	b, _ := json.Marshal(map[string]string{"name": name}) // as in Failure
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return n
}

// Results of calls that did not run, or not to their end.
const (
	Denied         = `{"success":false,"error":"Denied by user"}`
	DeniedTried    = `{"success":false,"error":"Denied by user","tried":true}`
	NeverStarted   = "never started: the human went on before this call ran. It changed nothing."
	NothingKept    = "interrupted: nothing of it was kept. The server stopped while this command was tried. Run it again if it is still wanted."
	OutcomeUnknown = "interrupted: outcome unknown. The server stopped while this call ran. Look at what it did before you do it again."
	LongInput      = "never started: the input of this call has more than 16 MiB, the most that a call may have, so that no human can be asked about it. It changed nothing. Make several smaller calls."
	ChangedCall    = "never started: this dialog's file was changed in the moment in which the call was to begin, and what it says now is not what was approved. Nothing was run. Make the call again if it is still wanted."
	ForkedBefore   = "not run, forked before: this dialog was forked from another one at a place at which this call had no result. Make the call again if it is still wanted."
	ForkedWithin   = "outcome unknown, forked before its result: this call had begun in the dialog from which this one was forked, and nothing of it runs here. Look at what it did before you do it again."
	AgentEnded     = "interrupted: the agent that asked has ended, so this call can't run any more. Nothing was run. Send a message to go on."
)

// Failure returns the JSON of a result that says what went wrong.
func Failure(text string) string {
	b, _ := json.Marshal(struct { // it always can be
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}{false, text})
	return string(b)
}

// Continue asks a model to go on that had its word, or was cut off in it.
const Continue = "[CONTINUE] Go on from where you stopped. If your last message was cut off, do not repeat what you already said."

// ErrWaiting ends a turn in which a human has to decide.
var ErrWaiting = errors.New("a call waits for a human")

// Stopped is why a turn was ended from outside.
type Stopped struct {
	Reason string
	To     dialog.Status // of the dialog then, Waiting for ""
}

func (s *Stopped) Error() string { return s.Reason }

// The causes of a turn's context.
var (
	ErrStopped  = &Stopped{Reason: "stopped by user"}
	ErrFinished = &Stopped{Reason: "stopped by user", To: dialog.Done}
	ErrDeleted  = &Stopped{Reason: "the project was deleted"}
	ErrShutdown = &Stopped{Reason: "the server stopped"}
)

// CutOff is the error of a call that a stop of that cause has ended.
func CutOff(cause error) string {
	if cause == ErrShutdown {
		return OutcomeUnknown
	}
	return dialog.StoppedByUser
}

// Since is wall-clock milliseconds, to the nearest one.
func Since(from, to time.Time) int64 {
	return max(0, to.Sub(from).Round(time.Millisecond).Milliseconds())
}
