package acp

import (
	"fmt"

	"vibey/dialog/jsontext"
)

// ContentBlock is one piece of a prompt, of a message or of what a tool brought. Type
// is text, image, audio, resource_link or resource, and says which fields are set.
type ContentBlock struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"` // base64, of an image or audio
	MimeType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
}

// Resource is an embedded file: Text, or Blob as base64.
type Resource struct {
	URI      string `json:"uri"`
	MimeType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"`
	Blob     string `json:"blob,omitempty"`
}

// Text returns a text block.
func Text(text string) ContentBlock { return ContentBlock{Type: "text", Text: text} }

// MarshalJSON writes the text of a text block also where it is empty.
func (b ContentBlock) MarshalJSON() ([]byte, error) {
	if b.Type == "text" {
		return jsontext.Marshal(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{b.Type, b.Text})
	}
	type plain ContentBlock
	return jsontext.Marshal(plain(b))
}

// Markdown returns what a reader sees of the block. Of images and sound it is a line
// that says what was there.
func (b ContentBlock) Markdown() string {
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI)
	case "resource":
		if b.Resource != nil && b.Resource.Text != "" {
			return b.Resource.Text
		}
	}
	kind := b.Type
	if b.MimeType != "" {
		kind += " " + b.MimeType
	}
	return fmt.Sprintf("[%s, %d bytes of base64, not kept]", kind, len(b.Data))
}

// ReadFileParams are those of fs/read_text_file. Line counts from 1; 0 is the first,
// and a Limit of 0 is all lines.
type ReadFileParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Line      int    `json:"line,omitempty"`
	Limit     int    `json:"limit,omitempty"`
}

// ReadFileResult answers ReadFileParams.
type ReadFileResult struct {
	Content string `json:"content"`
}

// WriteFileParams are those of fs/write_text_file; its answer is an empty object.
type WriteFileParams struct {
	SessionID string  `json:"sessionId"`
	Path      string  `json:"path"` // absolute
	Content   *string `json:"content"`
}

// TerminalParams are those of terminal/create.
type TerminalParams struct {
	SessionID string   `json:"sessionId"`
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Env       []EnvVar `json:"env,omitempty"`
	CWD       string   `json:"cwd,omitempty"` // absolute
	Limit     int      `json:"outputByteLimit,omitempty"`
}

// EnvVar is one variable of a command.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TerminalResult answers terminal/create.
type TerminalResult struct {
	TerminalID string `json:"terminalId"`
}

// TerminalRef are the params of all other methods about a terminal.
type TerminalRef struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// TerminalOutput answers terminal/output. Exit is nil while the command runs.
type TerminalOutput struct {
	Output    string        `json:"output"`
	Truncated bool          `json:"truncated"`
	Exit      *TerminalExit `json:"exitStatus,omitempty"`
}

// TerminalExit is how a command ended, and answers terminal/wait_for_exit.
type TerminalExit struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}
