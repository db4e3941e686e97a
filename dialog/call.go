package dialog

import "strings"

// The statuses of a call: in a Tool Request always pending, in a Tool Result how it ended.
const (
	CallPending  = "pending"
	CallApproved = "approved" // it ran, whatever came of it
	CallDenied   = "denied"   // a human said no, or a standing deny did
	CallError    = "error"    // it never ran, or its outcome is unknown
)

// StoppedByUser is the error of a call that a human stopped while it ran.
const StoppedByUser = "interrupted: stopped by user"

// Verdict is what may happen to a call that has no result yet.
type Verdict uint8

// The verdicts.
const (
	Wait    Verdict = iota // a human must decide
	Run                    // it may run now
	Refused                // a human, or a standing deny, said no
	Lapsed                 // the agent that asked has ended: it can't run any more
)

// Call is one Tool Request, and what the file says about it.
type Call struct {
	Section int // the request's index in the Sections of the dialog that was decided
	ID      string
	Parent  string // the Assistant that the request names
	Tool    string
	Input   string // the payload's bytes, "{}" for none
	SHA256  string // of Input
	Verdict Verdict
	Blanket bool // released by "allow <tool>", not by its id
	// Unlinked: it was released for the place that its path names. Where a link leads
	// it elsewhere by the time it runs, it must not run.
	Unlinked bool
	Started  bool   // it began to run, or may have: the file says so, or lost what could say it
	Decided  bool   // an Authorization decides it by its id
	By       string // that Authorization's id; one written by hand may have none
	Target   string // of the file that it writes, as that approval has it (ControlLine.Target)
	Path     string // where that file lies, as that approval has it (ControlLine.Path)
	Agent    bool   // the dialog's agent asked for it over ACP, and waits for the answer
}

// AgentTool reports whether a tool is one of an agent's own, which asked over ACP:
// acp_<kind>. Nothing here runs it.
func AgentTool(tool string) bool { return strings.HasPrefix(tool, "acp_") }

// ServerTool reports whether a tool is one of an MCP server's: mcp_<server>_<tool>.
func ServerTool(tool string) bool { return strings.HasPrefix(tool, "mcp_") }

// APIAgent is the API of agents over ACP. A Tool Request with it has Call.Agent.
const APIAgent = "acp"

// Judge returns the call of the Tool Request in section i with its verdict, whether
// or not it has a result; Started is not set. Decide calls it for the calls without
// a result, and a check of the file for those that ran.
func (g Grants) Judge(d *Dialog, i int, p Policy) Call {
	s := &d.Sections[i]
	c := Call{Section: i, ID: s.ID, Parent: s.Meta.Get("Parent"), Tool: s.Tool(), Input: s.Text()}
	if c.Input == "" {
		c.Input = "{}"
	}
	c.SHA256 = InputHash(c.Input)
	c.Agent = AgentTool(c.Tool) || s.Meta.Get("Api") == APIAgent
	c.Verdict, c.Blanket = g.verdict(&c, p)
	return c
}
