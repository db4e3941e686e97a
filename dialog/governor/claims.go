package governor

import (
	"encoding/json"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/claim"
)

// claims is what results say, against which a final text is held.
type claims struct {
	facts  claim.Facts
	seen   bool     // a browser was shown a page
	up     []string // ports of the servers that answered, and were not stopped since
	marked bool     // the last text was held against them
}

func (x *claims) result(c *call) {
	x.facts.Changed = append(x.facts.Changed, c.changes...)
	x.server(c)
	switch {
	case !c.success || c.class == dialog.Read:
	case c.tool == "run_command":
		x.command(c)
	case c.tool == "launch_agent", strings.HasPrefix(c.tool, "mcp_"), dialog.AgentTool(c.tool): // its result names no files
		x.facts.Changed = append(x.facts.Changed, "unknown")
		x.facts.Committed = x.facts.Committed || strings.Contains(c.tool+c.input, "git") || c.tool == "launch_agent"
		x.facts.Ready = x.facts.Ready || !strings.HasPrefix(c.tool, "mcp_") && hasHost(c.input+c.result)
	}
}

// command takes in what a command that succeeded says of git, and of a server.
func (x *claims) command(c *call) {
	if strings.Contains(c.input, "git") {
		x.facts.Log = append(slices.Clip(x.facts.Log), c.result)
		for _, verb := range []string{"commit", "push", "merge", "log", "show", "rebase", "revert", "cherry-pick", "am "} {
			x.facts.Committed = x.facts.Committed || strings.Contains(c.input, verb)
		}
	}
	if hasHost(c.input + c.result) {
		x.facts.Ready = true
		x.facts.Ports = nil
	}
}

// hasHost reports whether a text names an address on this machine.
func hasHost(text string) bool {
	return strings.Contains(text, "localhost") || strings.Contains(text, "127.0.0.1") || strings.Contains(text, "0.0.0.0")
}

// undo takes in that a human took back what was made of a file, or brought it back.
func (x *claims) undo(path string, back bool) {
	if x.facts.Changed = without(x.facts.Changed, path); !back {
		x.facts.Changed = append(x.facts.Changed, path)
	}
}

// server takes in what a result says of a server: one that was started again, and does
// not answer now, is not ready for having answered before. Its logs say whether one of
// an earlier turn still runs.
func (x *claims) server(c *call) {
	if c.success && (c.class == dialog.Verify || c.tool == "server_logs") {
		x.answered(c)
	}
	if c.success && c.class == dialog.Verify && c.tool != "start_server" {
		x.seen = true // a browser got a good answer
		x.facts.Ready = true
		return
	}
	starts := c.tool == "start_server"
	if c.tool == "server_logs" && c.success {
		var out struct{ Running bool }
		starts = json.Unmarshal([]byte(c.result), &out) == nil && out.Running
	} else if !starts && c.tool != "stop_server" {
		return
	}
	var in struct{ Port json.Number }
	if json.Unmarshal([]byte(c.input), &in) != nil {
		return
	}
	if starts || c.success {
		x.up = slices.DeleteFunc(slices.Clone(x.up), func(port string) bool { return port == in.Port.String() })
	}
	if starts && c.success {
		x.up = append(x.up, in.Port.String())
	}
	x.seen = x.seen && starts && c.success // what is down now may be what was seen
	x.facts.Ready = len(x.up) > 0 || x.seen
}

// answered takes in the ports on which something answered, as a call and its result name
// them: a server's own, and that of its preview.
func (x *claims) answered(c *call) {
	var in struct{ Port json.Number }
	if json.Unmarshal([]byte(c.input), &in) == nil && in.Port != "" {
		x.facts.Ports = append(slices.Clip(x.facts.Ports), in.Port.String())
	}
	for _, host := range []string{"localhost:", "127.0.0.1:"} {
		for i, part := range strings.SplitN(c.result, host, 20) {
			if end := len(part) - len(strings.TrimLeft(part, "0123456789")); i > 0 && end > 0 {
				x.facts.Ports = append(slices.Clip(x.facts.Ports), part[:end])
			}
		}
	}
}

// unbacked returns the Note of a last word that claims what no result of the dialog
// bears out. Those of earlier turns are looked at where this one's do not.
func (j *Judge) unbacked() []Note {
	if j.claims.marked || len(claim.Unbacked(j.speech.text, j.claims.facts)) == 0 {
		return nil
	}
	found := claim.Unbacked(j.speech.text, j.allClaims().facts)
	if len(found) == 0 {
		return nil
	}
	return []Note{{Kind: "unbacked", To: "human", Text: "Unbacked claim: no result of this dialog says that " + strings.Join(found, ", or that ") + ".",
		Meta: dialog.Fields{{Key: "Claims", Value: dialog.Clean(strings.Join(found, "; "), 300)}}}}
}

// allClaims folds the results of the whole dialog, but for those of tools that only read.
func (j *Judge) allClaims() *claims {
	all := New(j.rules, j.class)
	for i := range j.d.Sections[:j.seen] {
		s := &j.d.Sections[i]
		if s.Torn || s.Role == dialog.Assistant || s.Role == dialog.Reasoning || s.Role == dialog.ToolResult && j.class(s.Tool()) == dialog.Read && s.Tool() != "server_logs" {
			continue
		}
		was := all.claims
		all.fold(j.d, i, s)
		if s.Role == dialog.User {
			all.claims = was
		}
	}
	return &all.claims
}
