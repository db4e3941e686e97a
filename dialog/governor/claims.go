package governor

import (
	"encoding/json"
	"slices"
	"strings"

	"vibey/dialog"
)

// claims is what the results of a turn say, against which its final text is held.
type claims struct {
	facts  Facts
	seen   bool     // a browser was shown a page
	up     []string // ports of the servers that answered, and were not stopped since
	marked bool     // the last text was held against them
}

// Facts are what the results of a turn bear out.
type Facts struct {
	Changed   []string // paths of the project that were written or removed; "unknown" is any
	Ports     []string // on which a server answered; none where that is not known
	Ready     bool     // a server answered with 2xx when it was started or looked at last
	Committed bool
}

func (x *claims) result(c *call) {
	x.facts.Changed = append(x.facts.Changed, c.changes...)
	x.server(c)
	if c.success && c.tool == "run_command" && strings.Contains(c.input, "git") && strings.Contains(c.input, "commit") {
		x.facts.Committed = true
	}
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
	for _, m := range port().FindAllStringSubmatch(c.result, 20) {
		x.facts.Ports = append(slices.Clip(x.facts.Ports), m[1]+m[2])
	}
}

// note returns the Note of a final text that claims what no result bears out.
func (x *claims) note(text string) (Note, bool) {
	if x.marked {
		return Note{}, false
	}
	found := Unbacked(text, x.facts)
	if len(found) == 0 {
		return Note{}, false
	}
	return Note{Kind: "unbacked", To: "human", Text: "Unbacked claim: no result of this turn says that " + strings.Join(found, ", or that ") + ".",
		Meta: dialog.Fields{{Key: "Claims", Value: dialog.Clean(strings.Join(found, "; "), 300)}}}, true
}
