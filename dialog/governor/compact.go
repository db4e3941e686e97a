package governor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vibey/dialog"
)

const (
	keptTurns   = 4        // the last turns, which stay whole where they fit
	summaryMost = 48 << 10 // bytes of a Summary, but for what must stay whole
	argsMost    = 100      // characters of a call's arguments
	callsMost   = 40       // lines of calls for a turn
	wordsMost   = 2_000    // bytes of a message or an answer; less where there are many
	mailMost    = 600      // bytes of what another agent wrote
)

// Compaction is a Summary to be appended: Covers names the sections it stands for.
type Compaction struct {
	Covers, Text string

	from, to int // the sections
}

// Summaries returns the sections of compactions of d.
func Summaries(d *dialog.Dialog, now time.Time, sums []Compaction) (secs []dialog.Section) {
	for i, c := range sums {
		secs = append(secs, dialog.Section{
			Role: dialog.Summary, ID: d.NextID(dialog.Summary, now, i), Time: dialog.Span(now, now),
			Meta:     dialog.Fields{{Key: "Covers", Value: c.Covers}},
			Payloads: []dialog.Payload{{Type: dialog.SummaryMarkdown, Text: c.Text}},
		})
	}
	return secs
}

// named reports whether a range can name section i: it has an id that metadata can
// hold, and no earlier section of its role has the same. Where a hand wrote or copied
// the section, it need not.
func named(d *dialog.Dialog, i int) bool {
	s := &d.Sections[i]
	return dialog.OneLine(s.ID) && !strings.Contains(s.ID, " - ") && d.Find(s.Role, s.ID) == i
}

func userSections(d *dialog.Dialog) (at []int) {
	for i, s := range d.Forward() {
		if s.Role == dialog.User {
			at = append(at, i)
		}
	}
	return at
}

// beginning is where the turn of the User section i begins: with the Notes that were
// appended together with it.
func beginning(d *dialog.Dialog, i int) int {
	for i > 0 && d.Sections[i-1].Role == dialog.Note && d.Sections[i-1].Meta.Get("To") == "model" && !d.Sections[i-1].Torn && describesFiles(d.Sections[i-1].Kind()) {
		i--
	}
	return i
}

// describesFiles reports whether a Note of that kind says, before a message, what a doc or
// the deed is now.
func describesFiles(kind string) bool {
	return kind == "doc-change" || kind == "codebase" || kind == "plan"
}

// summary sums up the turns that begin at users, up to section end, in about most bytes.
// Where they are many, less is kept of each.
func summary(d *dialog.Dialog, users []int, end, most int) string {
	var body string
	for words := wordsMost; ; words /= 2 {
		var b strings.Builder
		for n, at := range users {
			next := end
			if n+1 < len(users) {
				next = users[n+1]
			}
			writeTurn(&b, d, n+1, at, next, words)
		}
		if body = b.String(); len(body) <= most || words < 50 {
			break
		}
	}
	if len(body) > most {
		body = "(The earliest turns are left out here.)\n\n" + strings.ToValidUTF8(body[len(body)-most:], "")
	}
	text := fmt.Sprintf("[SUMMARY] This stands for the turns 1 to %d of this dialog. It was made from the record: what it calls done is what results said.\n\n%s%s",
		len(users), body, LedgerOf(d, end).Markdown())
	for _, told := range [...][2]string{{"doc-change", ""}, {"codebase", "Instructions"}, {"codebase", "Codebase"}, {"plan", ""}} {
		if note := lastNote(d, end, told[0], told[1]); note != "" {
			text += "\n" + note + "\n"
		}
	}
	return text
}

// lastNote returns the last Note of that kind before section end, whole; with a key only
// one that has it.
func lastNote(d *dialog.Dialog, end int, kind, key string) string {
	for i := end - 1; i >= 0; i-- {
		if s := &d.Sections[i]; s.Role == dialog.Note && !s.Torn && s.Kind() == kind && s.Meta.Get("To") == "model" && (key == "" || s.Meta.Has(key)) {
			return s.Text()
		}
	}
	return ""
}

// LastTurn is the record of the last turn of d, as a Summary has it. ok is false for one
// without calls.
func LastTurn(d *dialog.Dialog) (record string, ok bool) {
	users := userSections(d)
	if len(users) == 0 {
		return "", false
	}
	at := users[len(users)-1]
	for i := at + 1; i < len(d.Sections) && !ok; i++ {
		s := &d.Sections[i]
		ok = s.Role == dialog.ToolRequest && !s.Torn || ranBehind(d, i, at)
	}
	var b strings.Builder
	writeTurn(&b, d, len(users), at, len(d.Sections), lastTurnWords)
	return b.String(), ok
}

// lastTurnWords is how many bytes of a message and of its answer LastTurn keeps.
const lastTurnWords = 20_000

// writeTurn writes what one turn was: the message, the last words of the answer, and
// the calls.
func writeTurn(b *strings.Builder, d *dialog.Dialog, n, at, end, words int) {
	fmt.Fprintf(b, "## Turn %d\n\nUser%s: %s\n\n", n, about(&d.Sections[at]), clip(dialog.UserInput(&d.Sections[at]), words))
	writeWork(b, d, at, end, words)
}

// about says behind the word User on which passages a message is, "" for none.
func about(user *dialog.Section) string {
	var places []string
	for _, p := range dialog.Passages(user) {
		places = append(places, strings.TrimPrefix(p.Place(), "On "))
	}
	if len(places) == 0 {
		return ""
	}
	return " (on " + clip(dialog.List(places, 5, "; ", "%d more"), argsMost) + ")"
}

// writeWork writes the last words of the answer to the message in section at, and the
// calls, up to section end.
func writeWork(b *strings.Builder, d *dialog.Dialog, at, end, words int) {
	last := ""
	var calls []string
	for i := at + 1; i < end; i++ {
		switch s := &d.Sections[i]; {
		case s.Torn:
		case s.Role == dialog.Assistant && strings.TrimSpace(s.Text()) != "":
			last = s.Text()
		case s.Role == dialog.ToolRequest && d.Find(dialog.ToolRequest, s.ID) == i:
			calls = append(calls, CallLine(d, i))
		case ranBehind(d, i, at): // it may stand in its own turn, too
			calls = append(calls, CallLine(d, d.Find(dialog.ToolRequest, s.ID)))
		case s.Role == dialog.Note && (s.Kind() == "unverified" || s.Kind() == "unbacked" || s.Kind() == "commit" || s.Kind() == dialog.UndoNote && s.Meta.Get("To") == "model"):
			calls = append(calls, "   "+clip(s.Text(), 200))
		case s.IsMail():
			_, said, _ := strings.Cut(s.Text(), "\n\n") // behind the line that says whose word it is
			calls = append(calls, "   mail from "+clip(s.Meta.Get("By"), 100)+": "+clip(said, mailMost))
		}
	}
	if last != "" {
		b.WriteString("Agent: " + clip(last, words) + "\n\n")
	}
	if len(calls) > 0 {
		left := len(calls) - callsMost
		b.WriteString("[tools executed this turn:\n")
		if left > 0 {
			fmt.Fprintf(b, "   (%d more before these)\n", left)
			calls = calls[left:]
		}
		b.WriteString(strings.Join(calls, "\n") + "\n]\n\n")
	}
}

// ranBehind reports whether section i is the result of a call that was approved together
// with the message in section user: it was asked for before, and ran behind it.
func ranBehind(d *dialog.Dialog, i, user int) bool {
	s := &d.Sections[i]
	if s.Role != dialog.ToolResult || s.Torn || d.Find(dialog.ToolResult, s.ID) != i {
		return false
	}
	k := d.Find(dialog.ToolRequest, s.ID)
	return k >= 0 && k < user
}

// CallLine says in one line what the call in section i was and what came of it.
func CallLine(d *dialog.Dialog, i int) string {
	req := &d.Sections[i]
	args := req.Text()
	if args == "" {
		args = "{}"
	}
	return " - " + req.Tool() + "(" + clip(args, argsMost) + ") → " + outcomeLine(d, req.ID)
}

// outcomeLine says what came of a call: its evidence, or its error.
func outcomeLine(d *dialog.Dialog, id string) string {
	k := d.Find(dialog.ToolResult, id)
	if k < 0 {
		return "(no result captured)"
	}
	var r struct {
		Success  bool
		Error    string
		Bytes    int64
		SHA256   string
		Preview  string                `json:"previewUrl"`
		Health   *struct{ Status int } `json:"healthCheck"`
		ExitCode *int                  `json:"exitCode"`
		Dialog   string                `json:"dialogId"`
	}
	text := d.Sections[k].Text()
	if json.Unmarshal([]byte(text), &r) != nil {
		return clip(text, 80)
	}
	switch {
	case !r.Success && r.Health != nil:
		return "ERROR: " + clip(r.Error, 200) + " health=" + strconv.Itoa(r.Health.Status)
	case !r.Success && r.Error != "":
		return "ERROR: " + clip(r.Error, 200)
	case !r.Success:
		return "ERROR: unknown"
	case r.SHA256 != "" && r.Bytes > 0:
		return fmt.Sprintf("ok bytes=%d sha=%.8s", r.Bytes, r.SHA256)
	case r.SHA256 != "":
		return fmt.Sprintf("ok sha=%.8s", r.SHA256)
	case r.Health != nil:
		return "ok previewUrl=" + clip(r.Preview, 100) + " health=" + strconv.Itoa(r.Health.Status)
	case r.Dialog != "":
		return "ok dialogId=" + clip(r.Dialog, 100)
	case r.ExitCode != nil:
		return "ok exitCode=" + strconv.Itoa(*r.ExitCode)
	}
	return "ok"
}

// clip returns text on one line, cut to about n bytes.
func clip(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " …"
}
