package view

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/project"
)

// Bounds of what a list has of a dialog. Of a text wordsRead bytes are read:
// it may have megabytes, and a line of the list has wordsMax characters.
const (
	wordsMax  = 200
	wordsRead = 2 << 10
)

// Summarize returns what a list has of a dialog. The store calls it, see
// project.Options.
func (r *Reader) Summarize(proj, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) project.Summary {
	s := project.Summary{Needs: string(dialog.NeedsNone), From: strings.Clone(g.From), In: g.Own.In, Out: g.Own.Out}
	s.Origin = dialog.Origin{Dialog: strings.Clone(g.Origin.Dialog), At: strings.Clone(g.Origin.At)}
	s.USD, s.AsOf = cost(g.Models)
	s.Title = r.titled(g)
	if st != dialog.Done {
		s.Wrote = slices.Clone(g.Wrote)
	}
	switch {
	case g.Open:
		s.Words = r.lastWords(g.Words)
	case st == dialog.Active && !g.Said:
		return s // the human's words are no answer
	}
	if st == dialog.Waiting {
		p, err := r.w.Store.Project(proj)
		if err != nil {
			return s // it was deleted meanwhile
		}
		policy := r.Policy(p, id, r.ToolsOf(d))
		real := policy.Real
		policy.Real = func(tool, input string) string {
			s.Fleeting = true
			return real(tool, input)
		}
		calls := grant.Decide(d, grant.Of(d, r.Authority(proj, id)), policy)
		needs := grant.Needs(d, st, calls)
		s.Needs, s.Words = string(needs), r.needsText(needs, calls, g)
	}
	if s.Words == "" {
		s.Words = dialog.Cut(r.opening(head(g.Words)), wordsMax)
	}
	return s
}

// cost is what models cost together, at their list prices and without what a cache
// saves, and the date of the prices. asOf is "" if one is not known.
func cost(models []dialog.Spending) (usd float64, asOf string) {
	for _, m := range models {
		known := provider.Known(m.Model)
		if known.AsOf == "" {
			return 0, ""
		}
		usd += (float64(m.In)*known.In + float64(m.Out)*known.Out) / 1e6
		asOf = known.AsOf
	}
	return math.Round(usd*1e6) / 1e6, asOf
}

// needsText says in one line what a dialog waits for, "" if its last words do.
func (r *Reader) needsText(needs dialog.Needs, calls []grant.Call, g *dialog.Digest) string {
	switch needs {
	case dialog.NeedsApproval:
		return waitingCalls(calls)
	case dialog.NeedsContinue:
		why := stopWords[g.Stop]
		if why == "" {
			why = r.plain(head(g.Failure))
		}
		if why != "" {
			return dialog.Cut("stopped: "+why, wordsMax)
		}
	case dialog.NeedsReply:
		if g.Said && mayAsk(tail(g.Words)) {
			return question(r.plain(tail(g.Words)))
		}
	}
	return ""
}

// stopWords are why a turn was stopped, by governor.Stop….
var stopWords = map[string]string{
	governor.StopBudget:   "its steps are used up",
	governor.StopLoop:     "it went in circles",
	governor.StopMistakes: "too many calls failed in a row",
}

// waitingCalls counts the calls that wait for a human, the first in words.
func waitingCalls(calls []grant.Call) string {
	words, more := "", -1
	for _, c := range calls {
		if c.Verdict != grant.Wait {
			continue
		}
		if more++; more == 0 {
			words = callWords(c.Tool, c.Input)
			if c.Effect != nil {
				words = keepWords(c.Effect.Effect.Changes)
			}
		}
	}
	if more > 0 {
		rest := ", and " + strconv.Itoa(more) + " more"
		return dialog.Cut(words, wordsMax-len(rest)) + rest
	}
	return dialog.Cut(words, wordsMax)
}

// keepWords says what is asked about a command that was tried. Its shell is for who opens the question.
func keepWords(changes []effect.Change) string {
	n := 0
	for _, c := range changes {
		if c.Type != effect.Folder {
			n++
		}
	}
	switch n {
	case 0:
		return "wants to keep the folders that it changed"
	case 1:
		return "wants to keep 1 changed file"
	}
	return "wants to keep " + strconv.Itoa(n) + " changed files"
}

// verbs say what a call of a tool does, and to which argument; "" if that is an id.
var verbs = map[string][2]string{
	"run_command":       {"wants to run: ", "command"},
	"start_server":      {"wants to start a server: ", "command"},
	"write_file":        {"wants to write ", "path"},
	"edit_file":         {"wants to change ", "path"},
	"launch_agent":      {"wants to start an agent: ", "prompt"},
	"message_agent":     {"wants to write to another agent: ", "text"},
	"browser_console":   {"wants to open ", "url"},
	"request_visual_qa": {"asks: ", "question"},
	"plan_decision_log": {"wants to note in the plan: ", "title"},
	"stop_server":       {"wants to stop a server", ""},
	"server_logs":       {"wants to read what a server wrote", ""},
}

// callWords says in one line what a call would do. What the model wrote is shown as it
// is but for what can't stand in a line.
func callWords(tool, input string) string {
	var args map[string]json.RawMessage
	var arg string
	verb, ok := verbs[tool]
	if dialog.AgentTool(tool) {
		verb, ok = [2]string{"wants to do this: ", "title"}, true
	}
	if ok && len(input) <= 1<<20 && json.Unmarshal([]byte(input), &args) == nil {
		json.Unmarshal(args[verb[1]], &arg)
	}
	if arg = oneLine(head(arg)); arg == "" && (!ok || verb[1] != "") {
		return "wants to use " + dialog.Cut(oneLine(tool), 100)
	}
	return verb[0] + arg
}

// TitleOf is the title of a dialog in the list.
func (r *Reader) TitleOf(d *dialog.Dialog) string {
	var g dialog.Digest
	g.Extend(d)
	return r.titled(&g)
}

func (r *Reader) titled(g *dialog.Digest) string {
	if g.Title != "" {
		return strings.Clone(g.Title)
	}
	return r.firstLine(g.Prompt)
}

// firstLine is the first line of a message in which there are words, without marks.
func (r *Reader) firstLine(prompt string) string {
	for line := range strings.Lines(head(prompt)) {
		if words := dialog.LineOf(r.plain(line), dialog.TitleMax); words != "" {
			return strings.Clone(words)
		}
	}
	return ""
}

// plain is a markdown text in one line, without marks. It is no part of text.
func (r *Reader) plain(text string) string {
	if r.w.Plain != nil {
		text = r.w.Plain(text)
	}
	return strings.Clone(oneLine(text))
}

// opening returns what plain makes of a text, of a long one at least the first wordsMax
// characters: half of a cold list is the parsing of markdown. No mark goes on behind a
// blank line, but for a block of code, which needs no end, and a link whose address
// follows somewhere.
func (r *Reader) opening(text string) string {
	if i := strings.Index(text[min(len(text), wordsMax):], "\n\n"); i >= 0 && !strings.Contains(text, "]:") {
		if words := r.plain(text[:wordsMax+i]); utf8.RuneCountInString(words) > wordsMax {
			return words
		}
	}
	return r.plain(text)
}

// mayAsk reports whether the words of a markdown text may end with a question mark. It
// passes over lines at the end in which there are no words.
func mayAsk(text string) bool {
	for text != "" {
		i := strings.LastIndexByte(text, '\n')
		line := text[i+1:]
		if text = text[:max(i, 0)]; strings.ContainsAny(line, "?？؟&") {
			return true
		}
		if words := strings.Trim(line, " \t\r-*_=`~>#|+"); words != "" && words[0] != '[' { // [name]: address
			return false
		}
	}
	return false
}

// oneLine joins the lines of a text, without what turns the text around it.
func oneLine(text string) string {
	return strings.Join(strings.Fields(dialog.Straight(text)), " ")
}

// question is the question that an answer ends with, if the answer is too long for a line
// of the list; else "".
func question(answer string) string {
	asked := strings.TrimRight(answer, "\"'”’»)* ")
	if utf8.RuneCountInString(answer) <= wordsMax || strings.TrimRight(asked, "?？؟") == asked {
		return ""
	}
	asked = strings.TrimRight(asked, "?？؟")
	return dialog.Cut(strings.TrimSpace(answer[sentence(asked):]), wordsMax)
}

// sentence is where the last sentence of a line begins.
func sentence(line string) int {
	begin := 0
	for _, end := range []string{". ", "! ", "? ", ": ", "。", "！", "？", "؟ "} {
		if i := strings.LastIndex(line, end); i >= 0 {
			begin = max(begin, i+len(end))
		}
	}
	return begin
}

// lastWords is the sentence that is being written at the end of an answer. One that is
// longer than a line of the list begins within.
func (r *Reader) lastWords(answer string) string {
	text := strings.TrimRight(tail(answer), " \t\r\n")
	if i := strings.LastIndex(text, "\n\n"); i >= 0 && r.plain(text[i:]) != "" {
		text = text[i:]
	}
	words := r.plain(text)
	words = words[sentence(words):]
	if over := utf8.RuneCountInString(words) - wordsMax + 1; over > 0 {
		cut := string([]rune(words)[over:])
		words = "…" + cut[strings.IndexByte(cut, ' ')+1:]
	}
	return words
}

// head and tail are what is looked at of a text.
func head(text string) string { return strings.ToValidUTF8(text[:min(len(text), wordsRead)], "") }
func tail(text string) string { return strings.ToValidUTF8(text[max(0, len(text)-wordsRead):], "") }
