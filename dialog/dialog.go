package dialog

import (
	"math"
	"strings"
)

// Status is where a dialog stands. The file name is its truth; the header repeats it.
type Status string

// The statuses of a dialog.
const (
	Active  Status = "active"
	Waiting Status = "waiting"
	Done    Status = "done"
)

// Valid tells whether s is one of the three statuses.
func (s Status) Valid() bool { return s == Active || s == Waiting || s == Done }

// The statuses of a call: in a Tool Request always pending, in a Tool Result how it ended.
const (
	CallPending  = "pending"
	CallApproved = "approved" // it ran, whatever came of it
	CallDenied   = "denied"   // a human said no, or a standing deny did
	CallError    = "error"    // it never ran, or its outcome is unknown
)

// Field is one "> Key: value" line. The value is one line without outer blanks.
type Field struct{ Key, Value string }

// Fields is metadata in the order of the file.
type Fields []Field

// Get returns the value of key, or "".
func (f Fields) Get(key string) string {
	for i := range f {
		if f[i].Key == key {
			return f[i].Value
		}
	}
	return ""
}

// Has tells whether key stands there, be its value empty.
func (f Fields) Has(key string) bool {
	for i := range f {
		if f[i].Key == key {
			return true
		}
	}
	return false
}

// With returns a copy of f in which key has value; a new key goes last. An
// empty value leaves f as it is, so that optional fields need no condition.
func (f Fields) With(key, value string) Fields {
	if value == "" {
		return f
	}
	out := make(Fields, len(f), len(f)+1)
	copy(out, f)
	for i := range out {
		if out[i].Key == key {
			out[i].Value = value
			return out
		}
	}
	return append(out, Field{key, value})
}

// Resources is what one section cost. In, Out and Total are tokens as the
// provider counted them, 0 where it told none; Tools counts calls; MS is
// wall-clock milliseconds. Cached, Written and Reasoning are parts of In and
// Out, written to the file only when one of them is not 0.
// Source: vibey/vibey/doc-main.md, "The dialog file".
type Resources struct {
	In        int64 `json:"in"`
	Out       int64 `json:"out"`
	Total     int64 `json:"total"`
	Tools     int64 `json:"tools"`
	MS        int64 `json:"ms"`
	Cached    int64 `json:"cached,omitempty"`
	Written   int64 `json:"written,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
}

// Plus returns the sum of both. No number of it is below 0, or less than one of
// those it is made of: a provider, or a hand, may count beyond what an int64 holds.
func (r Resources) Plus(o Resources) Resources {
	return Resources{
		In: plus(r.In, o.In), Out: plus(r.Out, o.Out), Total: plus(r.Total, o.Total), Tools: plus(r.Tools, o.Tools), MS: plus(r.MS, o.MS),
		Cached: plus(r.Cached, o.Cached), Written: plus(r.Written, o.Written), Reasoning: plus(r.Reasoning, o.Reasoning),
	}
}

func plus(a, b int64) int64 {
	a, b = max(a, 0), max(b, 0)
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

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

// Section is one "## Role" with its metadata and payloads. Id, Time and
// Resources have fields of their own; Meta holds all other lines in order.
// A parsed section's strings are parts of the parsed text, not copies.
type Section struct {
	Role      Role
	ID        string
	Time      string // "<start> - <end>", RFC 3339 in UTC
	Resources Resources
	Meta      Fields
	Payloads  []Payload
	// Loose is hand-written text of a section that stands outside its fences.
	Loose string
	// Torn marks what a crash cut off or left zeros in: it is shown, and counts
	// for nothing.
	Torn bool
	// Void marks a section that ended every allow above it: an Authorization that
	// is not as a human of this installation gave it, what is left of one in
	// another section, or a mark that says so. A Granter finds it out.
	Void bool

	lead        uint8 // how many lines of Meta stand above Time, as in the seed's tool sections
	noResources bool  // read from hand-written text without the line
	unclosed    bool  // a payload has no closing fence
	inner       bool  // a line within a payload begins with a fence
	lost        bool  // see Lost
	half        bool  // the text ends in a fence that may have been to open a payload
	bare        bool  // its payload stands there without a fence

	// What the index found out when the text was at hand.
	first    bool  // no earlier section of this role has this id
	said     bool  // its text is not blank
	object   bool  // a Tool Request's text is a JSON object
	answered bool  // a Tool Request that has its result
	same     int32 // the next section with this id, of another role; 0 for none

	off, end int // where it stands in the parsed text
}

// Text is the text of the section's first payload, or "".
func (s *Section) Text() string {
	if len(s.Payloads) == 0 {
		return ""
	}
	return s.Payloads[0].Text
}

// Payload returns the text of the first payload of that type, or "".
func (s *Section) Payload(typ string) string {
	for i := range s.Payloads {
		if s.Payloads[i].Type == typ {
			return s.Payloads[i].Text
		}
	}
	return ""
}

// Tool is the tool a request or result names.
func (s *Section) Tool() string { return s.Meta.Get("Tool") }

// Kind is the kind of a Note.
func (s *Section) Kind() string { return s.Meta.Get("Kind") }

// Start is the first of the two times, End the second; "" where there is none.
func (s *Section) Start() string { a, _, _ := strings.Cut(s.Time, " - "); return a }

// End is the second of the two times.
func (s *Section) End() string { _, b, _ := strings.Cut(s.Time, " - "); return b }

// Header is what stands above the first section.
type Header struct {
	DialogID string
	Provider string
	Model    string
	Status   Status
	Started  string
	Meta     Fields // all other lines, in order
	Loose    string // hand-written text above the first section
	// Damaged marks a head that may have held more fields than are read: lines that
	// are none stand among them, or behind them one that belongs there.
	Damaged bool
}

// Dialog is a parsed dialog file. It is a value of its text: Parse makes it,
// Append extends it by a section, and both ways give the same.
type Dialog struct {
	Header   Header
	Sections []Section
	// Problems tells every place where the text was not canonical enough to be
	// sure what its writer meant. Reading went on behind each.
	Problems []SyntaxError

	src   string // with plain line ends
	ends  []int  // of the sections in the file, where that has others
	index index

	headTorn bool // zeros stand above the first section
}
