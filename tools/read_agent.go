package tools

import (
	"context"
	"fmt"
	"strings"

	"vibey/dialog"
)

type readAgentInput struct {
	DialogID    string `json:"dialogId" jsonschema:"minLength=1"`
	From        int    `json:"from,omitempty" jsonschema:"minimum=0"`
	Description string `json:"description,omitempty"`
}

// The bounds of what one call reads of a dialog: some 8,000 tokens.
const (
	agentBytes   = 32 << 10
	sectionBytes = 8 << 10 // of one section
)

// agentText is the body of the result of read_agent.
type agentText struct {
	Success  bool          `json:"success"`
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Sections int           `json:"sections"` // of the whole dialog
	From     int           `json:"from"`
	Next     int           `json:"next,omitempty"` // where to go on; 0 at the end
	Text     string        `json:"text" mask:"text"`
}

func readAgent(_ context.Context, env Env, in readAgentInput) Result {
	if !dialog.ValidID(in.DialogID) {
		return notRun(Schema, "'%s' is not the id of a dialog, such as 20260216-201100-read-vibey. list_agents names them.", clip(in.DialogID, 100))
	}
	d, st, err := env.Agent(in.DialogID)
	if err != nil {
		return failed(ExecError, "it was not read: %v", err)
	}
	if n := len(d.Sections); in.From >= n && n > 0 {
		return failed(Schema, "that dialog has %d sections, from 0 to %d.", n, n-1)
	}
	a := &agentText{Success: true, DialogID: in.DialogID, Status: st, Sections: len(d.Sections), From: in.From}
	clean := env.masker()
	var b strings.Builder
	for i := in.From; i < len(d.Sections); i++ {
		text := sectionText(i, &d.Sections[i], clean)
		if b.Len() > 0 && b.Len()+len(text) > agentBytes {
			a.Next = i
			break
		}
		b.WriteString(text)
	}
	a.Text = b.String()
	return Result{Success: true, body: a}
}

// told are the metadata that say what a section is. A seal is none of them.
var told = []string{"Kind", "By", "Tool", "Status", "Scope", "Intent", "Failure", "Stop"}

// sectionText is a section as another agent reads it: without what only its provider
// reads, and without the system text, which is much the same for all.
// clean masks secrets, before a text is cut in the middle of one.
func sectionText(i int, s *dialog.Section, clean func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %d %s %s", i, s.Role, clip(s.ID, 100))
	for _, key := range told {
		if v := s.Meta.Get(key); v != "" {
			fmt.Fprintf(&b, " %s=%s", key, clip(v, 100))
		}
	}
	b.WriteString("\n")
	if s.Torn {
		b.WriteString("(torn by a crash: this counts for nothing)\n")
	}
	left := sectionBytes
	for _, p := range s.Payloads {
		if s.Role == dialog.System || strings.HasPrefix(p.Type, "native/") {
			fmt.Fprintf(&b, "(%s, %d bytes, left out)\n", clip(p.Type, 60), len(p.Text))
			continue
		}
		text := clean(p.Text)
		if len(text) > left {
			fmt.Fprintf(&b, "%s\n(%d bytes more of this are left out)\n", strings.ToValidUTF8(text[:left], ""), len(text)-left)
			left = 0
			continue
		}
		left -= len(text)
		b.WriteString(strings.ToValidUTF8(text, "\uFFFD") + "\n")
	}
	b.WriteString("\n")
	return b.String()
}
