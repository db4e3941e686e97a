package dialog

// Payload is one fenced block: its type, such as "input/markdown", and its
// text after unescaping, without the one final newline of the fence.
type Payload struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// The payload types of the format. Native reasoning is "native/<api>+json".
const (
	InputMarkdown     = "input/markdown"
	InputJSON         = "input/json"
	PassageText       = "passage/text" // what a User section is about, as it stood: see Passage
	OutputMarkdown    = "output/markdown"
	ToolInput         = "tool/input/json"
	ToolResultJSON    = "tool/result/json"
	ControlV1         = "control/v1"
	SystemMarkdown    = "system/markdown"
	ToolsJSON         = "tools/json"
	ReasoningMarkdown = "reasoning/markdown"
	NoteMarkdown      = "note/markdown"
	NoteJSON          = "note/json"
	SummaryMarkdown   = "summary/markdown"
)

// AppendPayload appends a blank line and the fenced payload to dst.
func AppendPayload(dst []byte, p Payload) []byte {
	dst = append(dst, '\n')
	dst = append(dst, Fence...)
	dst = append(dst, p.Type...)
	dst = append(dst, '\n')
	dst = append(dst, Escape(p.Text)...)
	dst = append(dst, '\n')
	dst = append(dst, Fence...)
	return append(dst, '\n')
}
