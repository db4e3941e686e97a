package acp

import (
	"encoding/json"
	"strings"

	"vibey/dialog"
	"vibey/dialog/plan"
	protocol "vibey/provider/acp"
	"vibey/server/hub"
)

// sent is what an editor was sent of a dialog. It is guarded by session.busy: one work
// at a time sends.
type sent struct {
	sections map[string]bool // the sections, by role and id
	last     string          // the id of the last one of them
	streamed string          // the open answer as the stream has it
	text     string          // the open answer as the editor has it
	answered bool            // an answer was sent last: the next one begins a paragraph
	own      string          // the message that came from the editor, until it is passed
	plan     string          // the steps that were sent last, as JSON
}

// first reports whether a section was not sent yet, and counts it as sent.
func (w *sent) first(s *dialog.Section) bool {
	if s.ID == "" {
		return true // written by hand
	}
	key := string(s.Role) + " " + s.ID
	if w.sections[key] {
		return false
	}
	if w.sections == nil {
		w.sections = map[string]bool{}
	}
	w.sections[key], w.last = true, s.ID
	return true
}

// textMax is the most bytes of a text in one update: a reader may be slow, and what
// waits for it is held.
const textMax = 256 << 10

// unreadMost is how many bytes may wait for a slow reader before the next update.
const unreadMost = 8 << 20

// update sends one update. It waits while the editor reads too slowly.
func (s *session) update(u protocol.Update) {
	s.sent.answered = s.sent.answered && u.SessionUpdate == protocol.MessageChunk
	s.a.conn.Room(s.a.ctx, unreadMost)
	s.a.conn.Notify(protocol.MethodUpdate, encoded(protocol.UpdateParams{SessionID: s.id, Update: u})) // an error is an editor that has left
}

// chunk sends a text, in as many pieces as it takes.
func (s *session) chunk(kind, text string) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for text != "" {
		at := dialog.HeadLen(text, textMax)
		s.update(protocol.Chunk(kind, text[:at]))
		text = text[at:]
	}
}

// notice sends a text that is not the model's, as a paragraph of its own.
func (s *session) notice(text string) {
	s.chunk(protocol.MessageChunk, "\n\n"+text+"\n\n")
	s.sent.answered = false
}

// event sends one event of a dialog's stream.
func (s *session) event(e hub.Event) {
	switch e.Type {
	case hub.ChunkEvent:
		s.sent.streamed += e.Content
		s.sendAnswer(s.sent.streamed)
	case hub.SectionEvent:
		s.section(e.Section)
	case hub.NoteEvent:
		s.notice("[" + e.Kind + "] " + e.Text)
	case hub.ResetEvent:
		s.sent.streamed = "" // it comes again
	}
}

// sendAnswer sends what the editor does not have of an answer that grows. One that was
// replaced is sent whole.
func (s *session) sendAnswer(text string) {
	if strings.HasPrefix(s.sent.text, text) {
		return // the stream repeats what is known
	}
	rest, grows := strings.CutPrefix(text, s.sent.text) // all of text if it does not grow
	if !grows || s.sent.text == "" && s.sent.answered {
		rest = "\n\n" + rest
	}
	s.sent.text, s.sent.answered = text, false
	s.chunk(protocol.MessageChunk, rest)
}

// section sends a section that was not sent yet.
func (s *session) section(sec *dialog.Section) {
	if !s.sent.first(sec) || sec.Torn {
		return
	}
	switch sec.Role {
	case dialog.User:
		if text := dialog.UserMessage(sec); text != s.sent.own {
			s.chunk(protocol.UserChunk, text)
		}
		s.sent.own, s.sent.answered = "", false
	case dialog.Reasoning:
		s.chunk(protocol.ThoughtChunk, sec.Payload(dialog.ReasoningMarkdown))
	case dialog.Assistant:
		s.sendAnswer(sec.Text())
		s.sent.streamed, s.sent.text, s.sent.answered = "", "", s.sent.text != ""
	case dialog.ToolRequest:
		s.update(protocol.Update{SessionUpdate: protocol.NewToolCall, ToolCall: s.toolCall(sec.ID, sec.Tool(), sec.Text(), target{})})
	case dialog.ToolResult:
		s.update(protocol.Update{SessionUpdate: protocol.ToolUpdate, ToolCall: toolResult(sec)})
	case dialog.Note:
		s.note(sec)
	}
}

// note sends a Note that is not for the model alone.
func (s *session) note(sec *dialog.Section) {
	switch kind := sec.Kind(); {
	case kind == "started":
		s.update(protocol.Update{SessionUpdate: protocol.ToolUpdate, ToolCall: protocol.ToolCall{ToolCallID: sec.Meta.Get("Parent"), Status: protocol.InProgress}})
	case kind == dialog.TitleNote:
		title := sec.Text()
		s.update(protocol.Update{SessionUpdate: protocol.InfoUpdate, ToolCall: protocol.ToolCall{Title: &title}})
	case sec.Meta.Get("To") != "model" && sec.Text() != "":
		s.notice("[" + kind + "] " + sec.Text())
	}
}

// sendPlan sends the tasks of doc-plan.md if they are others than before. A task has
// no state there, so all are still to be done.
func (s *session) sendPlan() {
	f, err := s.p.ReadFile(plan.File)
	if err != nil {
		return // there is none
	}
	entries := []protocol.PlanEntry{}
	for _, it := range plan.Items(f.Content) {
		if it.Kind == plan.Task {
			entries = append(entries, protocol.PlanEntry{Content: it.Title + ": " + it.Choice, Priority: "medium", Status: protocol.Pending})
		}
	}
	b, err := json.Marshal(entries)
	if err != nil || string(b) == s.sent.plan || len(entries) == 0 && s.sent.plan == "" {
		return
	}
	s.sent.plan = string(b)
	s.update(protocol.Update{SessionUpdate: protocol.PlanUpdate, Entries: entries})
}
