package acp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	protocol "vibey/provider/acp"
	"vibey/server/project"
)

// kinds are the protocol's words for what our tools do; others are "other".
var kinds = map[string]string{
	"read_file": "read", "list_files": "read", "server_logs": "read", "plan_get": "read",
	"search_files": "search",
	"write_file":   "edit", "edit_file": "edit",
	"run_command": "execute", "start_server": "execute", "stop_server": "execute",
	"browser_console": "fetch", "request_visual_qa": "fetch",
	"checkpoint": "think", "plan_decision_log": "think",
}

func kindOf(tool string) string {
	if k, ok := kinds[tool]; ok {
		return k
	}
	if k, ok := strings.CutPrefix(tool, "acp_"); ok && slices.Contains(protocol.Kinds, k) {
		return k
	}
	return "other"
}

// input is what our tools' inputs have in common.
type input struct {
	Title       *string `json:"title"` // of a call that another agent asked for
	Description any     `json:"description"`
	Path        *string `json:"path"`
	Command     *string `json:"command"`
	URL         *string `json:"url"`
	Content     *string `json:"content"`
	Old         *string `json:"old_string"`
	New         *string `json:"new_string"`
}

// target is the file that a call would write, as far as it can be shown: known says that
// it can be, and text is nil then if there is none. Else why says why not, if there
// is a reason to tell.
type target struct {
	known bool
	text  *string
	why   string
	// effect is what a tried command did, in words; "" for a call that has not run.
	effect string
}

// toolCall is a call as an editor shows it: its exact input, and for one that writes a
// file what it would change. A diff without an old text would be read as a new file, so
// that one is shown only of what is known.
func (s *session) toolCall(id, tool, text string, was target) protocol.ToolCall {
	var in input
	json.Unmarshal([]byte(text), &in) // what is no object has no parts
	title := s.title(tool, &in)
	c := protocol.ToolCall{ToolCallID: id, Title: &title, Kind: kindOf(tool), Status: protocol.Pending}
	if jsontext.IsObject(text) {
		c.RawInput = json.RawMessage(history.RawJSON(text))
	}
	var shows []protocol.ToolContent
	at, why := "", ""
	if in.Path != nil {
		at = absolute(s.p, *in.Path)
	}
	if at != "" {
		c.Locations = encoded([]protocol.Location{{Path: at}})
		switch {
		case tool == "write_file" && in.Content != nil && was.known:
			shows = append(shows, protocol.ToolContent{Type: "diff", Path: at, OldText: was.text, NewText: in.Content})
		case tool == "write_file" && was.why != "":
			why = was.why
		case tool == "edit_file" && in.Old != nil && in.New != nil:
			shows = append(shows, protocol.ToolContent{Type: "diff", Path: at, OldText: in.Old, NewText: in.New})
		}
	}
	// A diff shows no hidden characters, and a title may be cut: then the input itself
	// is shown too, as for a call that changes no file.
	if drawn := s.a.Drawn(text); len(shows) == 0 || drawn != text {
		shows = append(shows, asText(fenced(drawn)))
	}
	if why != "" {
		shows = append([]protocol.ToolContent{asText(why)}, shows...)
	}
	if was.effect != "" {
		shows = append([]protocol.ToolContent{asText(was.effect)}, shows...)
	}
	c.Content = encoded(shows)
	return c
}

// title is a call in one line.
func (s *session) title(tool string, in *input) string {
	what := ""
	for _, v := range []*string{in.Title, in.Command, in.Path, in.URL} {
		if v != nil && *v != "" {
			what = " " + *v
			break
		}
	}
	if d, _ := in.Description.(string); what == "" && d != "" {
		what = " " + d
	}
	return dialog.Cut(s.a.Drawn(strings.Join(strings.Fields(tool+what), " ")), 200)
}

// absolute is the path of this machine that a path of a project is, which the protocol
// wants; "" for one that leads out.
func absolute(p *project.Project, path string) string {
	if !filepath.IsLocal(path) {
		return ""
	}
	path = filepath.Clean(path)
	if rest, ok := strings.CutPrefix(path, "deed"); ok && (rest == "" || rest[0] == filepath.Separator) {
		deed, err := p.DeedDir()
		if err != nil {
			return ""
		}
		return filepath.Join(deed, rest)
	}
	return filepath.Join(p.Root().Name(), path)
}

// resultMax is the most bytes of a result that are sent.
const resultMax = 64 << 10

// toolResult is the end of a call. A diff that was shown stays.
func toolResult(sec *dialog.Section) protocol.ToolCall {
	var out struct {
		Success bool    `json:"success"`
		Error   string  `json:"error"`
		Stdout  *string `json:"stdout"`
		Stderr  *string `json:"stderr"`
	}
	json.Unmarshal([]byte(sec.Text()), &out)
	c := protocol.ToolCall{ToolCallID: sec.ID, Status: protocol.Completed}
	if !out.Success {
		c.Status = protocol.Failed
	}
	if text := sec.Text(); len(text) <= resultMax && jsontext.IsObject(text) {
		c.RawOutput = json.RawMessage(history.RawJSON(text))
	}
	text := sec.Text()
	switch {
	case out.Stdout != nil && out.Stderr != nil:
		text = *out.Stdout + *out.Stderr
		if out.Error != "" {
			text += "\n" + out.Error
		}
	case out.Error != "":
		text = out.Error
	case out.Success && dialog.WritesFile(sec.Tool()):
		return c
	}
	c.Content = encoded([]protocol.ToolContent{asText(fenced(brief(text)))})
	return c
}

func asText(text string) protocol.ToolContent {
	b := protocol.Text(text)
	return protocol.ToolContent{Type: "content", Content: &b}
}

// brief is a text cut to resultMax.
func brief(text string) string {
	if len(text) > resultMax {
		return strings.ToValidUTF8(text[:resultMax], "") + "\n… (cut; the dialog's file has all of it)"
	}
	return text
}

// fenced is a text as a code block that nothing in it can end.
func fenced(text string) string {
	return dialog.CodeBlock(strings.ToValidUTF8(text, "\uFFFD"))
}

// encoded is v as JSON; what is encoded here always can be.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
