package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server"
	"vibey/server/hub"
)

type jsonFlag struct {
	JSON bool `help:"Events as JSON, one a line, as the server streams them."`
}

// teller returns what writes events: t, or with the flag JSON lines.
func (f jsonFlag) teller(t *teller) func(hub.Event) {
	if !f.JSON {
		return t.tell
	}
	return func(e hub.Event) { t.w.Write(append(server.AppendEvent(nil, &e, nil), '\n')) }
}

// teller writes a dialog's events for people: streamed text as it is, and a few
// lines for each other event.
type teller struct {
	w        io.Writer
	project  string
	flags    string // that the next command needs too, each with a blank in front
	streamed string // of the answer that is being written
	midLine  bool
	user     bool   // User sections are told too
	ends     bool   // what asks is an agent, which ends with this program
	around   string // what stands around a command; "" where it is not known
}

// tell writes one event.
func (t *teller) tell(e hub.Event) {
	switch e.Type {
	case hub.ChunkEvent:
		t.write(plain(e.Content))
		t.streamed += e.Content
	case hub.SectionEvent:
		t.section(e.Section)
	case hub.NoteEvent:
		t.line("[%s] %s", e.Kind, plain(e.Text))
	case hub.ResetEvent:
		t.streamed = ""
		t.line("[the dialog's text was changed meanwhile; here it is again]")
	case hub.ToolEvent:
		t.asks(e)
	case hub.DoneEvent:
		t.line("")
		t.line("%s · needs %s · %s", e.Status, e.Needs, cost(e.Resources))
	case hub.ErrorEvent:
		t.line("error: %s", plain(e.Message))
	}
}

func (t *teller) section(s *dialog.Section) {
	if s.Torn {
		by := "torn by a crash"
		if s.Merged() {
			by = "left by a merge of two versions"
		}
		t.line("[%s, counts for nothing] %s", by, brief(s.Text()))
		return
	}
	switch s.Role {
	case dialog.User:
		if t.user {
			t.line("")
			t.line("%s", indent(plain(dialog.UserMessage(s)), "> "))
			t.line("")
		}
	case dialog.Assistant:
		t.answer(s)
	case dialog.ToolRequest:
		t.line("→ %s  %s", plain(s.Tool()), title(s.Text()))
	case dialog.ToolResult:
		t.line("← %s  %s: %s", plain(s.Tool()), plain(s.Meta.Get("Status")), brief(s.Text()))
	case dialog.Authorization:
		mark := "✓"
		if s.Void {
			mark = "✗ void:"
		}
		for line := range strings.Lines(s.Text()) {
			t.line("%s %s", mark, plain(strings.TrimSpace(line)))
		}
	case dialog.Note:
		if s.Kind() != "started" {
			t.line("[%s] %s", plain(s.Kind()), brief(s.Text()))
		}
	case dialog.Summary:
		t.line("[summary] %s", plain(s.Text()))
	}
}

// answer writes the part of a model's text that was not streamed.
func (t *teller) answer(s *dialog.Section) {
	text := s.Text()
	rest, ok := strings.CutPrefix(text, t.streamed)
	if !ok {
		t.line("")
		rest = text
	}
	t.write(plain(rest))
	if text != "" {
		t.line("")
	}
	if s.Meta.Get("Stop") == "interrupted" {
		t.line("[interrupted]")
	}
	t.streamed = ""
}

// asks writes the calls that wait for a human, and the commands that decide them.
func (t *teller) asks(e hub.Event) {
	for _, c := range e.Calls {
		t.line("")
		t.call(c)
	}
	t.line("")
	if t.ends {
		t.line("The agent that asks this ends with this command, so it can't be decided any more, and what it asks for was not run.")
		t.line("Send the message in the window (vibey serve), where an agent waits for your answer.")
		return
	}
	if slices.ContainsFunc(e.Calls, func(c hub.Pending) bool { return dialog.AgentTool(c.Tool) }) {
		t.line("It waits for you, in the window of the program in which its agent runs.")
		return
	}
	t.line("It waits for you:")
	for _, c := range e.Calls {
		effect := ""
		if c.Effect != nil {
			effect = " --effect " + c.Effect.SHA256
		}
		t.line("  vibey approve%s %s/%s %s%s", t.flags, t.project, e.DialogID, c.ID, effect)
	}
	t.line("or deny instead of approve.")
}

// call writes one call as a human must see it before a decision: the exact input with
// hidden characters drawn, and the hash to which an approval is bound.
func (t *teller) call(c hub.Pending) {
	if c.Effect != nil {
		t.effect(c)
	} else {
		t.line("%s wants to run %s", c.ID, drawn(c.Tool))
	}
	if c.Description != "" {
		t.line("  it says: %s", drawn(c.Description))
	}
	if s := c.Server; s != nil {
		t.line("  %s", drawn(servedBy(s)))
	}
	if c.Target != nil && c.Effect == nil {
		t.line("  %s", drawn(replaces(c.Target)))
	}
	t.line("  sha256 %s, %d bytes of input:", c.SHA256, len(c.InputText))
	t.line("%s", indent(drawn(c.InputText), "  | "))
	t.hidden(c.Tool + c.Description + c.InputText)
	if t.around != "" && c.Effect == nil && (c.Tool == "run_command" || c.Tool == "start_server") {
		t.line("  %s", t.around)
	}
}

// outputTail is how many characters of what a tried command wrote are shown, from its end.
const outputTail = 2000

// effect writes what a tried command did, as a human must see it before it counts.
func (t *teller) effect(c hub.Pending) {
	e := c.Effect
	t.line("%s ran %s, and nothing of it counts yet: exit code %d, %s", c.ID, drawn(c.Tool), e.ExitCode, counted(int64(len(e.Changes)), "change", "changes"))
	lines := strings.Join(e.Lines(), "\n")
	t.line("%s", indent(drawn(lines), "  | "))
	t.hidden(lines)
	if c.Target != nil {
		for _, conflict := range c.Target.Conflicts {
			t.line("  changed meanwhile, and would stay as it is: %s", drawn(conflict.Path))
		}
	}
	if e.Held {
		t.line("  its bytes lie on the machine where it ran; on another one it can only be denied")
	}
	for _, out := range []struct{ name, text string }{{"stdout", e.Stdout}, {"stderr", e.Stderr}} {
		if text := strings.TrimSpace(out.text); text != "" {
			r := []rune(text)
			t.line("  %s ends in:", out.name)
			t.line("%s", indent(drawn(string(r[max(0, len(r)-outputTail):])), "  | "))
		}
	}
	t.line("  effect %s", e.SHA256)
}

// servedBy says whose tool a call is of, and what is not known of it.
func servedBy(s *hub.ServerTool) string {
	text := fmt.Sprintf("it is the tool %q of the MCP server %q", s.Tool, s.Name)
	if s.ReadOnly {
		text += ", which says that it changes nothing; nothing checks that"
	}
	return text
}

// namesMax is how many hidden characters are listed by name.
const namesMax = 8

// hidden writes which hidden characters a text holds, if any.
func (t *teller) hidden(text string) {
	n, names := hiddenNames(text)
	if n == 0 {
		return
	}
	if len(names) > namesMax {
		names = append(names[:namesMax], "and others")
	}
	t.line("  %d hidden, drawn in ⟨⟩ where they stand: %s", n, strings.Join(names, ", "))
}

// replaces returns what a call would do to the file that it writes.
func replaces(f *grant.Target) string {
	var what string
	switch {
	case !f.Exists:
		what = "makes a new file, " + f.Path
	case f.SHA256 == "":
		what = fmt.Sprintf("over %s, %d bytes, too large to be compared", f.Path, f.Bytes)
	default:
		what = fmt.Sprintf("over %s as it is now: %d bytes, sha256 %s", f.Path, f.Bytes, f.SHA256)
	}
	if f.Stale {
		what += "; it has changed since this dialog last saw it, so if you approve this, nothing happens but that the agent is told so"
	}
	return what
}

// line writes a line of its own.
func (t *teller) line(format string, args ...any) {
	if t.midLine {
		fmt.Fprintln(t.w)
		t.midLine = false
		if format == "" {
			return
		}
	}
	fmt.Fprintf(t.w, format+"\n", args...)
}

func (t *teller) write(s string) {
	if s != "" {
		io.WriteString(t.w, s)
		t.midLine = !strings.HasSuffix(s, "\n")
	}
}

// title returns what a call is about, on one line.
func title(input string) string {
	var in struct{ Description, Path, Command, Slug any }
	if json.Unmarshal([]byte(input), &in) == nil {
		for _, v := range []any{in.Path, in.Command, in.Slug, in.Description} {
			if s, ok := v.(string); ok && s != "" {
				return brief(s)
			}
		}
	}
	return brief(input)
}

// briefMax is how many characters of a result are written.
const briefMax = 200

func brief(s string) string {
	return dialog.Cut(plain(strings.ReplaceAll(strings.TrimSpace(s), "\n", " ")), briefMax+1)
}

func cost(r dialog.Resources) string {
	calls := counted(r.Tools, "call", "calls")
	if r.In == 0 && r.Out == 0 {
		return calls
	}
	return fmt.Sprintf("%d in, %d out, %s", r.In, r.Out, calls)
}
