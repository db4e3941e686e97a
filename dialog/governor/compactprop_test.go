package governor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vibey/dialog"
	"vibey/dialog/history"
)

// longDialog makes a dialog of a few turns and rounds. The model is to answer next; some
// prompts came with decisions, so that results stand behind them.
type longDialog struct {
	*rapid.T
	s *script
}

func (l *longDialog) chance(what string) bool { return rapid.Bool().Draw(l.T, what) }

func (l *longDialog) words(what string) string {
	return what + strings.Repeat(" word", rapid.SampledFrom([]int{1, 50, 3000}).Draw(l.T, "words"))
}

func (l *longDialog) user() {
	l.s.add(dialog.Section{Role: dialog.User, Payloads: payload(dialog.InputMarkdown, l.words("MESSAGE"))})
}

func (l *longDialog) calls() {
	l.s.add(dialog.Section{Role: dialog.Reasoning, Payloads: payload("reasoning/markdown", "Well.")})
	l.s.respond(rapid.SampledFrom([]string{"", "I do."}).Draw(l.T, "text"), "calls")
	for range rapid.IntRange(1, 3).Draw(l.T, "calls") {
		l.s.call(`run_command {"command":"ls"}`)
	}
}

func (l *longDialog) results() {
	for len(l.s.open) > 0 {
		if l.chance("started") {
			l.s.note("started", nil, "run_command started.")
		}
		l.s.result(dialog.CallApproved, nil, `{"success":true,"exitCode":0,"stdout":"`+l.words("RESULT-"+l.s.open[0])+`"}`)
	}
	if l.chance("note") {
		l.s.note("warning", dialog.Fields{{Key: "To", Value: rapid.SampledFrom([]string{"model", "human"}).Draw(l.T, "to")}}, "Three rounds are left.")
	}
}

func (l *longDialog) write() {
	l.user()
	for more := rapid.IntRange(0, 6).Draw(l.T, "turns"); ; more-- {
		for range rapid.IntRange(0, 3).Draw(l.T, "rounds") {
			l.calls()
			l.results()
		}
		if more == 0 {
			return
		}
		if l.chance("decides") {
			l.calls()
			if l.chance("authorization") { // a torn one is none
				l.s.add(dialog.Section{Role: dialog.Authorization, Payloads: payload(dialog.ControlV1, "allow run_command")})
			}
		} else {
			l.s.respond("Done.", "end")
		}
		l.user()
		l.results()
	}
}

// TestCompactAnyDialog: whatever is summed up, and however often, a provider takes the
// history, what stands before is sent as before, and what the model has not answered yet
// can be read: the message, and of each result the beginning.
func TestCompactAnyDialog(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := longDialog{T: r, s: &script{t: t, d: dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")}}
		l.write()
		d := l.s.d
		for n := range 5 {
			before, end, from := history.Build(d), len(d.Sections), len(d.Sections)
			if err := history.Validate(before); err != nil {
				r.Fatal(err)
			}
			sums := Compact(d, Room{Window: rapid.SampledFrom([]int{0, 500, 3000, 20000}).Draw(r, "window"), TooLong: l.chance("too long")})
			if len(sums) == 0 {
				return
			}
			for _, sum := range sums {
				l.s.add(dialog.Section{Role: dialog.Summary, Meta: dialog.Fields{{Key: "Covers", Value: sum.Covers}}, Payloads: payload(dialog.SummaryMarkdown, sum.Text)})
				c, ok := history.Covered(d, len(d.Sections)-1)
				if !ok || c.From != sum.from || c.To > sum.to {
					r.Fatalf("%q is %v, not %d to %d", sum.Covers, c, sum.from, sum.to)
				}
				from = min(from, c.From)
			}
			after := history.Build(d)
			if err := history.Validate(after); err != nil {
				r.Fatal(err)
			}
			if n == 0 {
				first := dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")
				for _, sec := range d.Sections[:from] {
					first.Append(sec)
				}
				if k := history.Build(first).Stable; !slices.Equal(before.Items[:k], after.Items[:k]) {
					r.Fatal("what stands before is sent otherwise")
				}
			}
			text := ""
			for _, it := range after.Items {
				text += it.Text + "\n"
			}
			for i := end - 1; i >= 0 && d.Sections[i].Role != dialog.Assistant && d.Sections[i].Role != dialog.ToolRequest; i-- {
				want := ""
				switch s := &d.Sections[i]; s.Role {
				case dialog.User:
					want = "MESSAGE"
				case dialog.ToolResult:
					want = "RESULT-" + s.ID
				}
				if !strings.Contains(text, want) {
					r.Fatalf("%s is lost: %s", want, fmt.Sprint(sums))
				}
			}
		}
	})
}
