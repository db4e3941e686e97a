package agent

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/provider/acp"
	"vibey/server/turn/record"
	"vibey/tools/caught"
)

// terminalsMost is how many terminals of one prompt are kept.
const terminalsMost = 100

// startTerminal runs the command of a terminal, whose start stands in the file. It reads
// nothing of the turn meanwhile.
func (p *Partner) startTerminal(c *grant.Call, a *question) error {
	s, term := p.s, a.term
	env, err := p.turn.Env(c)
	if err != nil {
		s.asks = append(s.asks, a) // answered with the result
		return p.fail(*c, "the call could not be prepared: "+withoutPath(err, s.cwd)+". Nothing was changed.")
	}
	env.Hash, env.Launch, env.Approved = nil, nil, nil
	env.Watch = func(written func() string) { term.written.Store(&written) }
	ctx, cancel := context.WithCancel(p.all.Context)
	term.cancel, term.start = cancel, p.all.Now().UnixMilli()
	set, tool, input := p.turn.Tools(), c.Tool, c.Input
	s.terms = append(s.terms, term)
	a.req.Reply(acp.TerminalResult{TerminalID: term.id})
	caught.Go(p.all.Log, "a terminal of an agent", func() {
		defer s.push(message{term: term})
		defer close(term.done)
		defer cancel()
		term.res = set.Call(ctx, env, tool, input)
	})
	return nil
}

// terminalEnded appends the result of a terminal's command, and answers the requests that wait for it.
func (x *exchange) terminalEnded(term *terminal) error {
	if term.ended {
		return nil
	}
	term.ended = true
	if err := term.res.Unfinished; err != nil {
		return err
	}
	if c, ok := x.openCall(term.call); ok {
		status, json := dialog.CallApproved, term.res.JSON
		if term.res.Interrupted && context.Cause(x.turn.Context()) != nil {
			status, json = dialog.CallError, record.Failure(record.CutOff(context.Cause(x.turn.Context())))
		} else if term.res.NotRun || term.res.Panic != nil || json == "" {
			status = dialog.CallError
		}
		if json == "" {
			json = record.Failure(record.OutcomeUnknown)
		}
		sec := x.result(c, status, json)
		sec.Resources = dialog.Resources{Tools: 1, MS: max(0, x.all.Now().UnixMilli()-term.start)}
		sec.Meta = sec.Meta.With("Sandbox", term.res.Sandbox).With("Failure", term.res.Failure).With("Within", term.within)
		if err := x.appendResults([]dialog.Section{sec}); err != nil {
			return err
		}
	}
	for _, f := range change.Named(term.res.JSON) {
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

// exit is how the command ended. One that was stopped has no exit code.
func (term *terminal) exit() acp.TerminalExit {
	if _, code := term.output(); code != nil && !term.res.Interrupted {
		return acp.TerminalExit{ExitCode: code}
	}
	signal := "SIGKILL"
	return acp.TerminalExit{Signal: &signal}
}

// outputNow is the output up to now, of a command that runs in whole lines.
func (term *terminal) outputNow() acp.TerminalOutput {
	text, written := "", term.written.Load()
	switch {
	case term.ended:
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
		out.Output, out.Truncated = text, true
	}
	if term.ended {
		exit := term.exit()
		out.Exit = &exit
	}
	return out
}

// endTerminal ends a command and appends its result.
func (x *exchange) endTerminal(term *terminal) error {
	if term.ended {
		return nil
	}
	term.cancel()
	<-term.done
	return x.terminalEnded(term)
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
