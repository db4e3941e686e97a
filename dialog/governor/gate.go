package governor

import (
	"maps"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
)

// gateMost is how often a turn is sent back to verify what it changed.
const gateMost = 2

// gate is whether what a turn changed was verified.
type gate struct {
	changed  []string        // files that it changed, but for those that a human took back
	verified bool            // after the last change
	served   map[string]bool // of these, what a server changed between two calls
	asked    int
	marked   bool // told as unverified since the last change
}

func (g *gate) result(c *call) {
	built := ofDeed(c.other())
	switch {
	case c.success && c.verifies:
		g.verified, g.marked = true, false // what a test run leaves behind is no change of its own
	case len(built) > 0:
		g.verified, g.marked = false, false
	}
	g.changed = append(g.changed, built...)
}

// other are the changes of a call but for the files whose content is what it was.
func (c *call) other() []string {
	return slices.DeleteFunc(slices.Clone(c.changes), func(p string) bool { return slices.Contains(c.same, p) })
}

// effect takes in what a server changed between two calls. A file that it changes again
// and again, such as a log, could never be verified after the last change: it counts once
// a turn. What it keeps below a hidden folder is no result.
func (g *gate) effect(paths []string) {
	for _, p := range ofDeed(paths) {
		if g.served[p] || strings.Contains(p, "/.") && strings.Contains(p[strings.Index(p, "/.")+1:], "/") || strings.Contains(p, "/__pycache__/") {
			continue
		}
		if g.served == nil {
			g.served = map[string]bool{}
		}
		g.served[p] = true
		g.changed, g.verified, g.marked = append(g.changed, p), false, false
	}
}

// ofDeed returns those of paths that are of the deed; "unknown" is. Docs are no build.
func ofDeed(paths []string) (deed []string) {
	for _, p := range paths {
		if p == "unknown" || strings.HasPrefix(p, "deed/") {
			deed = append(deed, p)
		}
	}
	return deed
}

// undo takes in that a human took back what was made of a file, or brought it back.
func (g *gate) undo(path string, back bool) {
	if len(ofDeed([]string{path})) == 0 {
		return
	}
	if g.changed = without(g.changed, path); !back {
		g.changed, g.verified = append(g.changed, path), false
	}
	g.marked = g.marked && back && len(g.changed) > 0
}

// without returns paths without path.
func without(paths []string, path string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == path })
}

func (g *gate) unverified() bool { return len(g.changed) > 0 && !g.verified }

// gated reports whether the project wants changes verified, and the dialog's model can
// do so: its tools are those of its first message, and the rules may be newer.
func (j *Judge) gated() bool {
	return j.rules.Verify != "" || (slices.Contains(j.rules.Tools, "server") || slices.Contains(j.rules.Tools, "browser")) && len(j.verifiers()) > 0
}

// verifiers are the tools by which the dialog's model can verify.
func (j *Judge) verifiers() (names []string) {
	for _, tool := range []string{"browser_console", "request_visual_qa", "start_server"} {
		if j.class(tool) == dialog.Verify {
			names = append(names, tool)
		}
	}
	return names
}

// change finds the files that a call changed.
func (c *call) change() {
	if !c.success && c.tool != "run_command" && !dialog.ServerTool(c.tool) {
		return
	}
	if c.unknown = change.WroteUnknown(c.result); c.unknown {
		c.changes = []string{"unknown"}
		return
	}
	c.files = change.Wrote(c.tool, c.result)
	for _, f := range c.files {
		c.changes = append(c.changes, f.Path)
		if f.Same() {
			c.same = append(c.same, f.Path)
		}
	}
}

func (j *Judge) gateNote() Note {
	how := "Verify it now (" + strings.Join(j.verifiers(), " or ") + "), mend what it shows, then answer."
	if v := j.rules.Verify; v != "" {
		how = "Run the project's check now, exactly `" + v + "`" + fromDeed(v) + ", mend what it shows, then answer."
	}
	served := slices.Sorted(maps.Keys(j.gate.served))
	by := ""
	if len(served) > 0 {
		by = " Among them is what a server wrote meanwhile: " + clip(strings.Join(served, ", "), 300) + "."
	}
	return Note{Kind: "gate", To: "model", Text: "[VERIFY] You changed files in this turn, and nothing verified them after the last change." + by + " Your answer does not count as done yet. " + how}
}

// fromDeed tells that the check may be run in the deed, where its words do not name it.
func fromDeed(check string) string {
	if strings.Contains(check, "deed") {
		return ""
	}
	return " (or `cd deed && " + check + "`)"
}

func (j *Judge) unverified() Note {
	check := "no check of them"
	if j.rules.Verify != "" {
		check = "the check `" + j.rules.Verify + "` has not"
	}
	return Note{Kind: "unverified", To: "human", Text: "Unverified: files were changed in this turn, and " + check + " succeeded after the last change."}
}
