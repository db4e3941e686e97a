package turn

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/caught"
)

// terminal is a command that the agent runs by us: a run_command of ours.
type terminal struct {
	id, call string // its own, and the Tool Request's
	limit    int    // bytes of output that are told, 0 for all
	within   string // the agent's call for which a human approved it, "" for none
	cancel   context.CancelFunc
	done     chan struct{} // closed when res is set
	res      tools.Result
	written  atomic.Pointer[func() string] // what it wrote until now, nil before it runs
	start    int64                         // milliseconds, by the runner's clock
	told     bool                          // its result stands in the file, or is given up
	waiters  []*acp.Request
}

// terminalsMost is how many terminals of one prompt are kept.
const terminalsMost = 100

// createTerminal is a run_command of ours, see writeFile.
func (x *exchange) createTerminal(r *acp.Request) error {
	var p acp.TerminalParams
	if err := r.Decode(&p); err != nil {
		r.Fail(err)
		return nil
	}
	command, err := x.command(&p)
	if err != nil || len(x.s.terms) >= terminalsMost {
		if err == nil {
			err = acp.Errorf(acp.CodeInvalidRequest, "%d terminals are open already; release some", terminalsMost)
		}
		r.Fail(err)
		return nil
	}
	if err := x.release(""); err != nil {
		return err
	}
	payload := string(append(jsontext.AppendString([]byte(`{"command":`), command), '}'))
	id, e := x.ask("", "run_command", payload)
	if e != nil {
		return e
	}
	term := &terminal{id: "term_" + id, call: id, limit: p.Limit, done: make(chan struct{})}
	x.await(&agentAsk{id: id, req: r, term: term})
	c, ok := x.t.openCall(id)
	if !ok || c.Verdict != dialog.Wait {
		return x.t.answer()
	}
	if run, _, covered := x.covers(func(in approved) bool { return in.runs(&p, x.s.cwd) }, ""); covered {
		term.within = run
		return x.t.runWithin(&c, run)
	}
	return x.t.answer()
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// command is a terminal's command as a shell in the project's folder reads it.
func (x *exchange) command(p *acp.TerminalParams) (string, *acp.Error) {
	if p.Command == "" || strings.ContainsRune(p.Command+strings.Join(p.Args, "")+p.CWD, 0) {
		return "", acp.Errorf(acp.CodeInvalidParams, "the command is empty, or holds a NUL")
	}
	folder := "deed"
	if p.CWD != "" {
		if folder = x.relative(p.CWD); filepath.IsAbs(folder) || hasScheme(folder) {
			return "", acp.Errorf(acp.CodeInvalidParams, "PATH_OUTSIDE_PROJECT: a command runs in the project's folder or below it")
		}
	}
	var b strings.Builder
	then := " && "
	if len(p.Args) == 0 && !plainCommand.MatchString(p.Command) {
		then = " || exit; " // what stands behind a ; in the command would run where the folder is missing
	}
	if folder != "." {
		b.WriteString("cd " + shellWord(folder) + then)
	}
	for _, v := range p.Env {
		if !variable.MatchString(v.Name) || strings.ContainsRune(v.Value, 0) {
			return "", acp.Errorf(acp.CodeInvalidParams, "a variable's name is made of letters, digits and _")
		}
		b.WriteString("export " + v.Name + "=" + shellWord(v.Value) + then)
	}
	if len(p.Args) == 0 {
		return b.String() + p.Command, nil
	}
	return b.String() + shellLine(p), nil
}

// shellLine is the command and its arguments, each as one word.
func shellLine(p *acp.TerminalParams) string {
	words := []string{shellWord(p.Command)}
	for _, a := range p.Args {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// plainCommand is one command: nothing in it begins another one.
var plainCommand = regexp.MustCompile(`^[^;|&\n\x60$(){}#]*$`)

var plainShellWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell, where it must be.
func shellWord(word string) string {
	if plainShellWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// runs reports whether it shows exactly that command, in the same folder: rawInput's
// command is the command and its arguments joined by blanks, which mean the same to a
// shell.
func (a approved) runs(p *acp.TerminalParams, deed string) bool {
	raw, ok := memberOf(json.RawMessage(a.payload), "rawInput")
	if !ok {
		return false
	}
	shown, ok := textMember(raw, "command")
	if !ok || len(p.Env) > 0 || shown != strings.Join(append([]string{p.Command}, p.Args...), " ") {
		return false
	}
	if len(p.Args) > 0 && shown != shellLine(p) {
		return false
	}
	cwd := p.CWD
	if cwd == "" {
		cwd = deed
	}
	for _, name := range []string{"cwd", "workdir", "directory"} {
		members, _ := jsontext.Members(raw)
		if !slices.ContainsFunc(members, func(m jsontext.Member) bool { return strings.EqualFold(m.Name, name) }) {
			continue
		}
		at, ok := textMember(raw, name)
		return ok && at == cwd
	}
	return cwd == deed
}

// startTerminal runs the command of a terminal, which the file says has started. It
// reads nothing of the turn meanwhile.
func (t *turn) startTerminal(c *dialog.Call, a *agentAsk) error {
	s, term := t.agent, a.term
	env, err := t.env(c)
	if err != nil {
		s.asks = append(s.asks, a) // answered with the result
		return t.appendResults([]dialog.Section{t.result(*c, dialog.CallError, record.Failure("the call could not be prepared: "+told(err, s.cwd)+". Nothing was changed."))})
	}
	if env.Committed != nil { // its hook reads the turn, and the command runs beside that
		asked, err := t.noteUncommitted(env, tools.See(env))
		if err != nil {
			return err
		}
		if asked {
			if _, ok, err := t.stillApproved(c); err != nil {
				return err
			} else if !ok {
				a.refuse()
				return t.notRun(c)
			}
		}
	}
	env.Committed, env.Hash, env.Launch, env.Approved = nil, nil, nil, nil
	env.Watch = func(written func() string) { term.written.Store(&written) }
	ctx, cancel := context.WithCancel(t.r.ctx)
	term.cancel, term.start = cancel, t.r.w.Now().UnixMilli()
	set, tool, input := t.set(), c.Tool, c.Input
	s.terms = append(s.terms, term)
	a.req.Reply(acp.TerminalResult{TerminalID: term.id})
	caught.Go(t.r.w.Log, "a terminal of an agent", func() {
		defer s.push(agentMessage{term: term})
		defer close(term.done)
		defer cancel()
		term.res = set.Call(ctx, env, tool, input)
	})
	return nil
}

// terminalEnded appends the result of a terminal's command and answers who waits for it.
func (x *exchange) terminalEnded(term *terminal) error {
	if term.told {
		return nil
	}
	term.told = true
	if c, ok := x.t.openCall(term.call); ok {
		status, json := dialog.CallApproved, term.res.JSON
		if term.res.Interrupted && context.Cause(x.t.ctx) != nil {
			status, json = dialog.CallError, record.Failure(record.CutOff(context.Cause(x.t.ctx)))
		} else if term.res.NotRun || term.res.Panic != nil || json == "" {
			status = dialog.CallError
		}
		if json == "" {
			json = record.Failure(record.OutcomeUnknown)
		}
		sec := x.t.result(c, status, json)
		sec.Resources = dialog.Resources{Tools: 1, MS: max(0, x.t.r.w.Now().UnixMilli()-term.start)}
		sec.Meta = sec.Meta.With("Sandbox", term.res.Sandbox).With("Failure", term.res.Failure).With("Within", term.within)
		if err := x.t.appendResults([]dialog.Section{sec}); err != nil {
			return err
		}
	}
	for _, f := range dialog.Named(term.res.JSON) {
		delete(x.s.read, f.Path) // its result names what it left
	}
	for _, r := range term.waiters {
		r.Reply(term.exit())
	}
	term.waiters = nil
	return nil
}

// output is what the command wrote, and how it ended.
func (term *terminal) output() (text string, exit *int) {
	var ran struct {
		ExitCode *int   `json:"exitCode"`
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
		Error    string `json:"error"`
	}
	json.Unmarshal([]byte(term.res.JSON), &ran)
	if ran.ExitCode == nil {
		return ran.Error, nil
	}
	return ran.Stdout + ran.Stderr, ran.ExitCode
}

// exit tells how the command ended. One that was stopped has no exit code.
func (term *terminal) exit() acp.TerminalExit {
	if _, code := term.output(); code != nil && !term.res.Interrupted {
		return acp.TerminalExit{ExitCode: code}
	}
	signal := "SIGKILL"
	return acp.TerminalExit{Signal: &signal}
}

// onTerminal answers the other requests about terminals.
func (x *exchange) onTerminal(r *acp.Request) error {
	var p acp.TerminalRef
	if err := r.Decode(&p); err != nil {
		r.Fail(err)
		return nil
	}
	i := slices.IndexFunc(x.s.terms, func(t *terminal) bool { return t.id == p.TerminalID })
	if i < 0 {
		r.Fail(acp.Errorf(acp.CodeNotFound, "there is no such terminal"))
		return nil
	}
	term := x.s.terms[i]
	switch r.Method {
	case acp.MethodTerminalOutput:
		r.Reply(term.now())
	case acp.MethodTerminalWait:
		if term.told {
			r.Reply(term.exit())
		} else {
			term.waiters = append(term.waiters, r)
		}
	case acp.MethodTerminalKill, acp.MethodTerminalRelease:
		if err := x.endTerminal(term); err != nil {
			return err
		}
		if r.Method == acp.MethodTerminalRelease {
			x.s.terms = slices.Delete(x.s.terms, i, i+1)
		}
		r.Reply(struct{}{})
	}
	return nil
}

// now is the output up to now, of a command that runs in whole lines.
func (term *terminal) now() acp.TerminalOutput {
	text, written := "", term.written.Load()
	switch {
	case term.told:
		text, _ = term.output()
	case written != nil:
		text = (*written)()
	}
	out := acp.TerminalOutput{Output: text}
	if term.limit > 0 && len(text) > term.limit {
		text = text[len(text)-term.limit:]
		for text != "" && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
		out = acp.TerminalOutput{Output: text, Truncated: true}
	}
	if term.told {
		exit := term.exit()
		out.Exit = &exit
	}
	return out
}

// endTerminal ends a command and appends its result.
func (x *exchange) endTerminal(term *terminal) error {
	if term.told {
		return nil
	}
	term.cancel()
	<-term.done
	return x.terminalEnded(term)
}

// works reports whether a command of ours runs for the agent.
func (s *agentSession) works() bool {
	return slices.ContainsFunc(s.terms, func(t *terminal) bool { return !t.told })
}

// endTerminals ends all commands of a prompt that is over.
func (x *exchange) endTerminals() error {
	for _, term := range x.s.terms {
		if err := x.endTerminal(term); err != nil {
			return err
		}
	}
	x.s.terms = nil
	return nil
}
