package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/turn"
)

type explainCmd struct {
	dirFlag
	stateFlag
	Provider []string `help:"Where models answer, as for serve; repeatable." sep:"none" placeholder:"NAME=API,BASE_URL[,KEY_ENV]"`
	MCP      []string `help:"An MCP server that doc-main.md may use, as for serve; repeatable." sep:"none" placeholder:"NAME[,KEY_ENV]=COMMAND|URL"`
	Dialog   string   `arg:"" help:"The dialog: its file, PROJECT/ID, or its id."`
}

// Run prints what the next request of a dialog would be: the rules and the lines of
// doc-main.md that made them, what is appended first, the prefix hash, and the body as
// the last line. It writes nothing and asks no provider.
func (c *explainCmd) Run(to streams) error {
	name, id, err := c.namedDialog(c.Dialog)
	if err != nil {
		return err
	}
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	defined, err := definedEndpoints(c.Provider, s)
	if err != nil {
		return err
	}
	servers, err := definedServers(c.MCP, s)
	if err != nil {
		return err
	}
	h, err := reading(c.dirFlag, s, defined, servers)
	if err != nil {
		return err
	}
	defer h.store.Close()
	p, err := c.namedProject(h.store, name)
	if err != nil {
		return err
	}
	x, err := h.runner.Explain(p, id)
	if err != nil {
		return unable{err}
	}
	writeExplanation(to.out, name, &x)
	return nil
}

func writeExplanation(w io.Writer, name string, x *turn.Explanation) {
	fmt.Fprintf(w, "%s/%s: %s, needs %s; provider %s, model %s\n", name, x.DialogID, x.Status, x.Needs, x.Provider, x.Model)
	writeRules(w, &x.Rules)
	for _, p := range x.Problems {
		how := "not held"
		if holdsAt(&x.Rules, p.Line) {
			how = "but"
		}
		fmt.Fprintf(w, "  %s:%d: %s: %s\n", project.MainDoc, p.Line, how, p.Text)
	}
	if len(x.Control) > 0 {
		fmt.Fprintf(w, "\nDecided for good, by the line of %s:\n", x.Filename)
	}
	for _, c := range x.Control {
		fmt.Fprintf(w, "  %s:%d: %s\n", x.Filename, c.Line, dialog.Clean(c.Text, 300))
	}
	intent := x.Budget.Intent
	if intent == "" {
		intent = "not classified"
	}
	fmt.Fprintf(w, "\nThe turn: intent %s, %d of %d steps used", intent, x.Budget.Used, x.Budget.Limit)
	if x.Phase != "" {
		fmt.Fprintf(w, ", phase %s", x.Phase)
	}
	if x.Stopped != "" {
		fmt.Fprintf(w, ", stopped: %s", x.Stopped)
	}
	fmt.Fprintln(w, ".")
	if x.Continues {
		fmt.Fprintln(w, "Next: a human's Continue (a message instead would be appended, and its turn judged anew).")
	}
	for _, n := range x.Notes {
		fmt.Fprintf(w, "First a Note of Kind %s to the %s: %s\n", n.Kind, n.To, dialog.Clean(n.Text, 200))
	}
	if x.Summed != "" {
		fmt.Fprintf(w, "First a Summary of the sections %s.\n", x.Summed)
	}
	if x.Why != "" {
		fmt.Fprintf(w, "No request can be told: %s.\n", x.Why)
		return
	}
	fmt.Fprintf(w, "The request: API %s, %d bytes, prefix %s", x.API, len(x.Body), x.Prefix)
	if x.NoTools {
		fmt.Fprint(w, ", no tool may be called")
	}
	fmt.Fprintf(w, "\n\n%s\n", x.Body)
}

// holdsAt reports whether a line of doc-main.md made a rule, perhaps in part.
func holdsAt(r *grant.Rules, line int) bool {
	for _, lines := range r.At {
		if slices.Contains(lines, line) {
			return true
		}
	}
	return false
}

// writeRules tells each rule with the line that made it, and those that no line made.
func writeRules(w io.Writer, r *grant.Rules) {
	fmt.Fprintf(w, "\nRules, by the line of %s:\n", project.MainDoc)
	type rule struct {
		line int
		text string
	}
	var said []rule
	say := func(key, value string) {
		for _, line := range r.At[key] {
			said = append(said, rule{line, key + " " + value})
		}
	}
	say("tools", strings.Join(r.Tools, " "))
	say("phases", onOff(r.Phases))
	say("verify", r.Verify)
	for _, i := range grant.Intents {
		say("budget "+i, fmt.Sprint(r.Budgets[i]))
	}
	say("budget "+grant.Unclassified, fmt.Sprint(r.Budgets[""]))
	say("window", fmt.Sprint(r.Window))
	say("agents", fmt.Sprint(r.Agents))
	say("limit", fmt.Sprint(r.Limit))
	say("commit", onOff(r.Commit))
	slices.SortFunc(said, func(a, b rule) int { return a.line - b.line })
	for _, s := range said {
		fmt.Fprintf(w, "  %s:%d: %s\n", project.MainDoc, s.line, dialog.Clean(s.text, 300))
	}
	if len(said) == 0 {
		fmt.Fprintln(w, "  none; all is as it is unless said")
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
