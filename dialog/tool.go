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

// PlanTool is the one tool that writes the plan.
const PlanTool = "plan_decision_log"

// WritesFile reports whether a tool's calls have a Target.
func WritesFile(tool string) bool { return tool == "write_file" || tool == "edit_file" }

// AgentTool reports whether a tool is one of an agent's own, which asked over ACP:
// acp_<kind>. Nothing here runs it.
func AgentTool(tool string) bool { return strings.HasPrefix(tool, "acp_") }

// ServerTool reports whether a tool is one of an MCP server's: mcp_<server>_<tool>.
func ServerTool(tool string) bool { return strings.HasPrefix(tool, "mcp_") }

// APIAgent is the API of agents over ACP. A Tool Request with it has Call.Agent.
const APIAgent = "acp"
