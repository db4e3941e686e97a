package grant

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
)

// projectV1 is the type of the block in which doc-main.md declares rules.
const projectV1 = "project/v1"

// Rules are what a project/v1 block of doc-main.md declares, one rule a line:
//
//	tools read server
//	phases on
//	verify npm test
//	budget feature_build 60
//	window 200000
//	agents 6
//	limit 120
//	commit off
type Rules struct {
	Tools   []string       // sets beyond the four tools that are always there
	Phases  bool           // recon, checkpoint, execute, verify, final
	Verify  string         // the command that checks the deed; "" for none
	Budgets map[string]int // intent -> rounds, where they differ from the built-in ones; "" is the one that is not known
	Window  int            // tokens of the model's window; 0 if the table of models decides
	Agents  int            // live dialogs of a family, AgentsMost at most; 0 is the built-in ceiling
	Limit   int            // seconds that a command may run, limitMost at most; 0 is the built-in limit
	Commit  bool           // commit what a turn changed
	At      RuleLines      // where in the doc they are declared
}

// RuleLines are the lines of a doc that declare its rules, counted from 1, by the
// rule's name: "phases", and "budget diagnose" for the budget of that intent. Of a
// rule that is declared twice it is the line that counts, which is the last; tools
// has each line that names a set.
type RuleLines map[string][]int

// AgentsMost is how many dialogs of a family there may be, so that no more work at a time.
const AgentsMost = 32

// AgentsAtOnce returns how many dialogs of a family may work at a time.
func (r Rules) AgentsAtOnce() int { return cmp.Or(r.Agents, 4) }

// limitMost is the longest that a rule lets a command run, in seconds.
const limitMost = 600

// Intents are the kinds of prompt that a budget is known for.
var Intents = []string{"conversational", "status_check", "diagnose", "small_fix", "feature_build", "autonomous"}

// Unclassified is what a rule calls the prompts whose intent is not known. It is no
// intent itself.
const Unclassified = "unclassified"

// Known are the names that this program knows in a doc.
type Known struct {
	Sets  []string // that the rule "tools" may name
	Tools []string // that a line of the wish may be about; none for any
}

// hasTool reports whether a line of control text can be about a name. Those that begin
// with mcp_ or acp_ are of tools that are not known beforehand.
func (k Known) hasTool(name string) bool {
	return len(k.Tools) == 0 || name == Network || strings.HasPrefix(name, "mcp_") || strings.HasPrefix(name, "acp_") || slices.Contains(k.Tools, name)
}

// Misses says why a line of control text does nothing, though it is one: there is no tool of
// that name, or no file of such a tool lies in that folder; "" for any other line.
func (k Known) Misses(l Line) string {
	switch {
	case l.ID != "":
		return ""
	case !k.hasTool(l.Tool):
		return fmt.Sprintf("there is no tool %q; the tools are %s, and network", dialog.Clean(l.Tool, 60), strings.Join(k.Tools, ", "))
	case l.Tool == runCommand && l.Folder != "" && !strings.HasPrefix(l.Folder, "deed/"):
		return "no command changes anything in that folder: it is not below deed/"
	case l.Folder != "" && !strings.HasPrefix(l.Folder, "deed/"):
		return "no file that an agent writes lies in that folder: docs stand directly in the project, all else below deed/"
	}
	return ""
}

// ParseRules reads the project/v1 blocks of a doc. A line that is no rule, or has no
// sensible value, is a problem to show; the other lines hold all the same. So is what
// says nothing in the doc's wish.
func ParseRules(doc string, known Known) (Rules, []dialog.SyntaxError) {
	r := Rules{Commit: true}
	var problems []dialog.SyntaxError
	dialog.EachBlock(doc, func(b dialog.Block) {
		if b.Type != projectV1 {
			return
		}
		for i, raw := range strings.Split(b.Text, "\n") {
			line := strings.TrimSpace(raw)
			if line == "" || line[0] == '#' {
				continue
			}
			was := r.At[keyOf(line)]
			if wrong, holds := r.line(line, known.Sets); wrong != "" {
				problems = append(problems, dialog.SyntaxError{Line: b.Line + i, Rule: "project", Text: wrong})
				if !holds {
					continue
				}
			}
			if len(was) > 0 && keyOf(line) != "tools" {
				problems = append(problems, dialog.SyntaxError{Line: b.Line + i, Rule: "project", Text: fmt.Sprintf("%s was said in line %d already; what is said last counts", keyOf(line), was[0])})
			}
			r.stands(line, b.Line+i)
		}
	})
	problems = append(problems, unread(doc)...)
	problems = append(problems, wishProblems(doc, known)...)
	slices.SortStableFunc(problems, func(a, b dialog.SyntaxError) int { return a.Line - b.Line })
	return r, problems
}

// unread returns the lines that look as if they began a block of rules or a wish, and
// begin none: its closing fence is missing, or the opening one is not as it must be.
func unread(doc string) (problems []dialog.SyntaxError) {
	blocks := map[int]bool{} // where the texts of closed blocks begin
	var within []dialog.Block
	dialog.EachBlock(doc, func(b dialog.Block) {
		blocks[b.From] = b.Type == projectV1 || b.Type == dialog.ControlV1
		within = append(within, b)
	})
	n, at := 0, 0
	for line := range strings.Lines(doc) {
		n++
		for len(within) > 0 && within[0].Next <= at {
			within = within[1:]
		}
		inside := len(within) > 0 && within[0].From <= at
		next := at + len(line)
		if typ, what := begins(line); typ != "" && !inside && !blocks[next] {
			text := "this begins no " + what + "; write " + dialog.Fence + typ + " at the beginning of a line, in small letters"
			if at == 0 {
				line = strings.TrimPrefix(line, dialog.BOM)
			}
			if opened, _ := dialog.OpenFence(line); opened == typ {
				text = "this " + what + " has no end, so nothing of it holds; close it with a line " + dialog.Fence
			}
			problems = append(problems, dialog.SyntaxError{Line: n, Rule: strings.TrimSuffix(typ, "/v1"), Text: text})
		}
		at = next
	}
	return problems
}

// begins returns the type of the block that the writer of a line means to begin, and
// what people call it, or "". One in backticks, as markdown has code, is meant so too.
func begins(line string) (typ, what string) {
	line = strings.ToLower(strings.Trim(line, " \t\r\n"+dialog.BOM))
	rest, ok := strings.CutPrefix(line, dialog.Fence)
	if code := strings.TrimSpace(strings.TrimLeft(line, "`~")); code == projectV1 || code == dialog.ControlV1 {
		rest, ok = code, len(line)-len(code) >= len("```")
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(rest), " ", "/"), "/")
	switch {
	case ok && name == "project":
		return projectV1, "block of rules"
	case ok && name == "control":
		return dialog.ControlV1, "control block"
	}
	return "", ""
}

// keyOf names what a rule is about, as RuleLines does.
func keyOf(rule string) string {
	words := strings.Fields(rule)
	if len(words) > 1 && words[0] == "budget" {
		return words[0] + " " + words[1]
	}
	return words[0]
}

// stands notes the line of the doc at which a rule is declared.
func (r *Rules) stands(rule string, line int) {
	if r.At == nil {
		r.At = RuleLines{}
	}
	if key := keyOf(rule); key == "tools" {
		r.At[key] = append(r.At[key], line)
	} else {
		r.At[key] = []int{line}
	}
}

// line takes one rule. It returns what is wrong with it, or "", and whether it holds all
// the same, in part.
func (r *Rules) line(line string, sets []string) (wrong string, holds bool) {
	key := strings.Fields(line)[0]
	rest := strings.TrimSpace(strings.TrimPrefix(line, key))
	words := strings.Fields(rest)
	switch key {
	case "tools":
		return r.tools(words, sets), anyOf(line, sets)
	case "agents":
		wrong = positive(key, words, 100_000_000, &r.Agents)
		if holds = r.Agents > AgentsMost && wrong == ""; holds {
			wrong = fmt.Sprintf("agents is %d at most, which holds instead", AgentsMost)
			r.Agents = AgentsMost
		}
		return wrong, holds
	}
	return r.value(key, rest, words), false
}

// value is line for a rule of which nothing holds if anything is wrong with it.
func (r *Rules) value(key, rest string, words []string) (wrong string) {
	switch key {
	case "phases":
		return onOff(key, rest, &r.Phases)
	case "commit":
		return onOff(key, rest, &r.Commit)
	case "verify":
		if rest == "" {
			return "verify names no command"
		}
		r.Verify = rest
	case "window":
		return positive(key, words, 100_000_000, &r.Window)
	case "limit":
		return positive(key, words, limitMost, &r.Limit)
	case "budget":
		return r.budget(words)
	default:
		return fmt.Sprintf("there is no rule %q; the rules are tools, phases, verify, budget, window, agents, limit, commit", dialog.Clean(key, 60))
	}
	return ""
}

func (r *Rules) tools(words, sets []string) string {
	if len(words) == 0 {
		return "tools names no set; the sets are " + strings.Join(sets, ", ")
	}
	var wrong []string
	for _, w := range words {
		server, served := strings.CutPrefix(w, "mcp:")
		switch {
		case slices.Contains(r.Tools, w):
		case slices.Contains(sets, w):
			r.Tools = append(r.Tools, w)
		case served:
			wrong = append(wrong, fmt.Sprintf("no human has named an MCP server %q to this program: start it with --mcp NAME=COMMAND, or put NAME=COMMAND into the state dir's file mcp", dialog.Clean(server, 60)))
		default:
			wrong = append(wrong, fmt.Sprintf("this program has no set of tools %q; it has %s", dialog.Clean(w, 60), strings.Join(sets, ", ")))
		}
	}
	if n := len(wrong); n > 0 && n < len(words) {
		wrong = append(wrong, "the rest of the line holds")
	}
	return strings.Join(wrong, "; ")
}

// anyOf reports whether a line names a set of tools that there is.
func anyOf(line string, sets []string) bool {
	words := strings.Fields(line)
	return words[0] == "tools" && slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(sets, w) })
}

func (r *Rules) budget(words []string) string {
	if len(words) != 2 || words[0] != Unclassified && !slices.Contains(Intents, words[0]) {
		return "budget wants an intent and a number of steps; the intents are " + strings.Join(Intents, ", ") + ", and " + Unclassified + " where none is known"
	}
	n, err := strconv.Atoi(words[1])
	if err != nil || n < 0 || n > 10_000 {
		return fmt.Sprintf("budget %s wants a number of steps from 0 to 10000, not %q", words[0], dialog.Clean(words[1], 60))
	}
	if r.Budgets == nil {
		r.Budgets = map[string]int{}
	}
	if words[0] == Unclassified {
		words[0] = ""
	}
	r.Budgets[words[0]] = n
	return ""
}

func onOff(key, word string, to *bool) string {
	if word != "on" && word != "off" {
		return fmt.Sprintf("%s is on or off, not %q", key, dialog.Clean(word, 60))
	}
	*to = word == "on"
	return ""
}

func positive(key string, words []string, most int, to *int) string {
	if len(words) == 1 {
		if n, err := strconv.Atoi(words[0]); err == nil && n > 0 && n <= most {
			*to = n
			return ""
		}
	}
	return fmt.Sprintf("%s wants one whole number from 1 to %d", key, most)
}
