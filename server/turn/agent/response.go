package agent

import (
	"fmt"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// exchange is the part of a prompt that one turn takes: until the agent ends it, a
// human has to decide, or it is stopped.
type exchange struct {
	*Partner
	s    *session         // stays when the Partner has ended it
	w    *record.Response // the open response, nil if there is none
	last message          // the end of a prompt that was cancelled
	wait time.Duration
	hold *time.Timer // runs while a held call is in progress
	// until, if it is not nil, reports that the exchange is over though the prompt is not.
	until func() bool
	// onlyNews: only updates count, what the agent asks now is refused, because its human goes on to
	// something else.
	onlyNews bool
	// yield, if it is not nil, is closed by the human's next request, for which the exchange
	// ends: until then it goes on while what a human has approved runs, though another call
	// waits for a decision.
	yield <-chan struct{}
}

func (x *exchange) response() *record.Response {
	if x.w == nil {
		x.w = record.NewResponse(x.turn.Response(), acp.API)
	}
	return x.w
}

// flush appends what was said, and behind it sections that follow from it: calls, whose
// ids are given.
func (x *exchange) flush(stop string, calls []string, more ...dialog.Section) error {
	w := x.response()
	w.Calls = calls
	secs := w.Sections(stop, x.all.Now())
	if x.s.prompted != lastUser(x.turn.Dialog()) { // the next prompt stands in the file already
		for i := range secs {
			if secs[i].Role == dialog.Assistant {
				secs[i].Meta = secs[i].Meta.With(dialog.AnswersKey, x.s.prompted)
			}
		}
	}
	secs = append(secs, more...)
	x.w = nil
	if w.Finish != nil {
		if err := x.seal(x.s, secs); err != nil {
			return err
		}
	}
	if err := x.turn.AppendResponse(secs); err != nil {
		return err
	}
	return x.appendPlans()
}

// lastUser returns the id of the last User section, "" for none.
func lastUser(d *dialog.Dialog) string {
	if i := d.LastPrompt(); i >= 0 {
		return d.Sections[i].ID
	}
	return ""
}

// planned takes a plan. It is appended at once if nothing that came before it is open, else
// behind that. Of many the last ones are kept.
func (x *exchange) planned(plan string) error {
	if s := x.s; plan != "" && (len(s.plans) == 0 || s.plans[len(s.plans)-1] != plan) {
		s.plans = append(s.plans, plan)
		s.plans = s.plans[max(0, len(s.plans)-plansMost):]
	}
	if x.w != nil && x.w.Began() || len(x.s.held) > 0 {
		return nil
	}
	return x.appendPlans()
}

// plansMost is how many plans are pending.
const plansMost = 20

// appendPlans appends the plans that came since the last response.
func (x *exchange) appendPlans() error {
	var secs []dialog.Section
	for i, plan := range x.s.plans {
		secs = append(secs, x.newNote(i, "plan", "human", plan))
	}
	x.s.plans = nil
	return x.turn.Append(secs...)
}

// planText is an agent's plan as markdown.
func planText(entries []acp.PlanEntry) string {
	var b strings.Builder
	for _, e := range entries {
		mark, more := " ", ""
		switch e.Status {
		case "completed":
			mark = "x"
		case "in_progress": // for which markdown has no mark
			more = " (under way)"
		}
		fmt.Fprintf(&b, "- [%s] %s%s\n", mark, dialog.Clean(e.Content, 1000), more)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pause appends what the agent has said up to now, while its prompt goes on.
func (x *exchange) pause() error {
	if x.w == nil || !x.w.Began() {
		return nil
	}
	return x.flush("calls", nil)
}

// ask appends a Tool Request of the agent behind what it said. want is the id that it
// gets if that can be kept.
func (x *exchange) ask(want, tool, payload string) (id string, err error) {
	w := x.response()
	if id = want; !dialog.ValidCallID(id) || w.Has(id) {
		id = w.FreshID()
	}
	now := x.all.Now()
	return id, x.flush("calls", []string{id}, dialog.Section{
		Role: dialog.ToolRequest, ID: id, Time: dialog.Span(now, now),
		Meta: dialog.Fields{{Key: "Parent", Value: w.Parent}, {Key: "Tool", Value: tool},
			{Key: "Status", Value: dialog.CallPending}, {Key: "Api", Value: dialog.APIAgent}},
		Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: payload}},
	})
}

// await keeps a request until its call, which stands in the file, is decided or over.
func (x *exchange) await(a *question) {
	if c, ok := x.openCall(a.id); ok {
		a.tool, a.sha256 = c.Tool, c.SHA256
	}
	x.s.asks = append(x.s.asks, a)
}

// spend adds what the prompt cost to the agent's last section.
func (x *exchange) spend(m message) {
	x.response().Finish = &provider.Finish{Stop: stopOf(m.stop), Resources: m.spent}
}
