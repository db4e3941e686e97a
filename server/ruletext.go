package server

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/view"
)

// What a rule is about.
const (
	aboutMay   = "may"
	aboutSpend = "spend"
	aboutCheck = "check"
)

// ruleViews returns each rule of a project as a sentence, in the order in which a card
// shows them. If the doc is silent it is what holds then.
func ruleViews(r *view.ProjectRules) []ruleView {
	views := []ruleView{toolsRule(r), phasesRule(r)}
	for _, intent := range append(slices.Clone(grant.Intents), "") {
		views = append(views, budgetRule(r, intent))
	}
	return append(views, limitRule(r), agentsRule(r), windowRule(r), verifyRule(r), commitRule(r))
}

// lineOf is the line that declares a rule, 0 for none.
func lineOf(r *view.ProjectRules, rule string) int {
	lines := r.At[rule]
	if len(lines) == 0 {
		return 0
	}
	return lines[len(lines)-1]
}

// setTexts are what the tools of a set are for, behind "Agents".
var setTexts = map[string]string{
	"read":    "read docs, dialogs and the deed, and search in them, unasked",
	"server":  "start a server for what is made and see whether it answers, and ask before they start or stop one",
	"plan":    "read the plan unasked, and ask before they write into it",
	"browser": "open what is made in a browser and see what it says",
	"mail":    "read what other agents said unasked, and ask before they write to one",
}

func toolsRule(r *view.ProjectRules) ruleView {
	v := ruleView{"tools", strings.Join(r.Tools, " "), lineOf(r, "tools"), aboutMay,
		"Agents run commands, write and change files, and start other agents. They ask before each of these, unless it is allowed above or in a dialog."}
	var more []string
	for _, set := range r.Tools {
		text, ok := setTexts[set]
		if server, served := strings.CutPrefix(set, "mcp:"); served {
			text = "use the tools of the MCP server " + server + ", and ask before each call unless it is allowed"
		} else if !ok {
			text = "use the tools of the set " + set
		}
		more = append(more, text)
	}
	if len(more) > 0 {
		v.Text += " They also " + strings.Join(more, "; ") + "."
	}
	return v
}

func phasesRule(r *view.ProjectRules) ruleView {
	if r.Phases {
		return ruleView{"phases", "on", lineOf(r, "phases"), aboutMay,
			"Agents look first. Nothing is changed before they have said what they want, what they found, and what they propose."}
	}
	return ruleView{"phases", "off", lineOf(r, "phases"), aboutMay, "Agents need not say what they propose before they change something."}
}

// intentTexts are what a message of an intent is.
var intentTexts = map[string]string{
	"conversational": "A message that only talks",
	"status_check":   "A question about how things stand",
	"diagnose":       "A message that asks to find out why",
	"small_fix":      "A message that asks for a small change",
	"feature_build":  "A message that asks for something new",
	"autonomous":     "A message that lets the agent work on its own",
	"":               "Any other message",
}

func budgetRule(r *view.ProjectRules, intent string) ruleView {
	n := r.Rounds(intent)
	rule := "budget " + cmp.Or(intent, grant.Unclassified)
	v := ruleView{rule, strconv.Itoa(n), lineOf(r, rule), aboutSpend, intentTexts[intent]}
	if n == 0 {
		v.Text += " runs no tool."
	} else {
		v.Text += " may take " + plural(n, "step") + " of work."
	}
	return v
}

func limitRule(r *view.ProjectRules) ruleView {
	return ruleView{"limit", strconv.Itoa(r.Seconds), lineOf(r, "limit"), aboutSpend, "A command may run for " + plural(r.Seconds, "second") + "."}
}

func agentsRule(r *view.ProjectRules) ruleView {
	return ruleView{"agents", strconv.Itoa(r.AtOnce), lineOf(r, "agents"), aboutSpend,
		"Of an agent and those that it started, and they in turn, at most " + strconv.Itoa(r.AtOnce) + " work at a time."}
}

func windowRule(r *view.ProjectRules) ruleView {
	if r.Window > 0 {
		return ruleView{"window", strconv.Itoa(r.Window), lineOf(r, "window"), aboutSpend,
			"Earlier turns are summed up when a request has filled 80 % of " + strconv.Itoa(r.Window) + " tokens."}
	}
	return ruleView{"window", "", lineOf(r, "window"), aboutSpend, "Earlier turns are summed up when a request has filled 80 % of what the model can read, where that is known."}
}

func verifyRule(r *view.ProjectRules) ruleView {
	v := ruleView{"verify", dialog.Clean(r.Verify, 300), lineOf(r, "verify"), aboutCheck, ""}
	switch {
	case r.Verify != "":
		v.Text = "What was changed is checked by this command before an answer counts as done."
	case slices.Contains(r.Tools, "server") || slices.Contains(r.Tools, "browser"):
		v.Text = "What was changed must be seen to work, in a server or a browser, before an answer counts as done."
	default:
		v.Text = "No command checks what was changed."
	}
	return v
}

func commitRule(r *view.ProjectRules) ruleView {
	if r.Commit {
		return ruleView{"commit", "on", lineOf(r, "commit"), aboutCheck, "Where the deed is a git work tree, what a turn changed is committed at its end."}
	}
	return ruleView{"commit", "off", lineOf(r, "commit"), aboutCheck, "What a turn changed is not committed."}
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// controlLines are the lines of a control text that are neither blank nor comments.
func controlLines(text string) (lines []string) {
	for raw := range strings.SplitSeq(text, "\n") {
		if line := strings.TrimSpace(raw); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// toolTexts are what a tool does, behind "Agents may" or "Agents ask before they".
var toolTexts = map[string]string{
	"run_command":       "run commands",
	"write_file":        "write files",
	"edit_file":         "change files",
	"launch_agent":      "start other agents",
	"start_server":      "start a server for what is made",
	"stop_server":       "stop that server",
	"plan_decision_log": "write into the plan",
	"message_agent":     "write to other agents",
	grant.Network:       "reach the network with their commands",
}

// wishText returns a line about a tool as a sentence.
func wishText(l grant.Line, walls bool) string {
	what, ok := toolTexts[l.Tool]
	if !ok {
		what = "use " + l.Tool
	}
	if l.Folder != "" {
		what += " in " + strings.TrimSuffix(l.Folder, "/") + " and the folders within it"
	}
	if l.Tool == "run_command" && (l.Verb == grant.Try || l.Folder != "") {
		return tryText(l, walls)
	}
	switch {
	case l.Verb == grant.Deny, l.Verb == grant.Ask && l.Tool == grant.Network:
		return "Agents may not " + what + "."
	case l.Verb == grant.Ask:
		return "Agents ask before they " + what + "."
	case (l.Tool == "run_command" || l.Tool == "start_server") && !walls:
		return "Agents may " + what + " without asking, but here nothing contains them, so each still asks."
	case l.Folder == "" && dialog.WritesFile(l.Tool):
		return "Agents may " + what + " without asking, in docs and the deed. For doc-main.md they always ask."
	}
	return "Agents may " + what + " without asking."
}

// tryText is wishText for commands that are tried first.
func tryText(l grant.Line, walls bool) string {
	where := strings.TrimSuffix(l.Folder, "/") + " and the folders within it"
	switch {
	case l.Verb == grant.Try && !walls:
		return "Agents try commands first, but here nothing contains them, so each still asks."
	case l.Verb == grant.Try:
		return "Agents try commands first, without asking and without the network, and ask about what they changed."
	case l.Verb == grant.Deny:
		return "What a tried command changed is dropped if any of it lies in " + where + "."
	case l.Verb == grant.Ask:
		return "Agents ask about what a tried command changed in " + where + "."
	}
	return "What a tried command changed counts without asking if all of it lies in " + where + "."
}
