package agent

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vibey/dialog/grant"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
	"vibey/tools/sandbox"
)

// createTerminal is a run_command of ours, see writeFile.
func (x *exchange) createTerminal(r *acp.Request) error {
	var p acp.TerminalParams
	if err := r.Decode(&p); err != nil {
		return err
	}
	command, err := x.command(&p)
	if err != nil {
		return err
	}
	if len(x.s.terms) >= terminalsMost {
		return acp.Errorf(acp.CodeInvalidRequest, "%d terminals are open already; release some", terminalsMost)
	}
	if err := x.release(isAny); err != nil {
		return err
	}
	payload := string(append(jsontext.AppendString([]byte(`{"command":`), command), '}'))
	id, err := x.ask("", "run_command", payload)
	if err != nil {
		return err
	}
	term := &terminal{id: "term_" + id, call: id, limit: p.Limit, done: make(chan struct{})}
	x.await(&question{id: id, req: r, term: term})
	c, ok := x.openCall(id)
	if !ok || c.Verdict != grant.Wait {
		return x.turn.Answer()
	}
	if run, _, covered := x.covers(func(in approved) bool { return in.showsCommand(&p, x.s.cwd) }, ""); covered {
		term.within = run
		return x.runWithin(&c, run)
	}
	return x.turn.Answer()
}

// onTerminal answers the other requests about terminals.
func (x *exchange) onTerminal(r *acp.Request) error {
	var p acp.TerminalRef
	if err := r.Decode(&p); err != nil {
		return err
	}
	i := slices.IndexFunc(x.s.terms, func(t *terminal) bool { return t.id == p.TerminalID })
	if i < 0 {
		return acp.Errorf(acp.CodeNotFound, "there is no such terminal")
	}
	term := x.s.terms[i]
	switch r.Method {
	case acp.MethodTerminalOutput:
		r.Reply(term.outputNow())
	case acp.MethodTerminalWait:
		if term.ended {
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

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// command is a terminal's command as a shell in the project's folder reads it.
func (x *exchange) command(p *acp.TerminalParams) (string, error) {
	if p.Command == "" || strings.ContainsRune(p.Command+strings.Join(p.Args, "")+p.CWD, 0) {
		return "", acp.Errorf(acp.CodeInvalidParams, "the command is empty, or holds a NUL")
	}
	folder := "deed"
	if p.CWD != "" {
		if folder = x.relative(p.CWD); filepath.IsAbs(folder) || scheme.MatchString(folder) {
			return "", acp.Errorf(acp.CodeInvalidParams, "PATH_OUTSIDE_PROJECT: a command runs in the project's folder or below it")
		}
	}
	var b strings.Builder
	then := " && "
	if len(p.Args) == 0 && !plainCommand.MatchString(p.Command) {
		then = " || exit; " // what stands behind a ; in the command would run where the folder is missing
	}
	if folder != "." {
		b.WriteString("cd " + sandbox.Quote(folder) + then)
	}
	for _, v := range p.Env {
		if !variable.MatchString(v.Name) || strings.ContainsRune(v.Value, 0) {
			return "", acp.Errorf(acp.CodeInvalidParams, "a variable's name is made of letters, digits and _")
		}
		b.WriteString("export " + v.Name + "=" + sandbox.Quote(v.Value) + then)
	}
	if len(p.Args) == 0 {
		return b.String() + p.Command, nil
	}
	return b.String() + sandbox.Quote(slices.Concat([]string{p.Command}, p.Args)...), nil
}

// plainCommand is one command: nothing in it begins another one.
var plainCommand = regexp.MustCompile(`^[^;|&\n\x60$(){}#]*$`)

// showsCommand reports whether it shows exactly that command, in the same folder: rawInput's
// command is the command and its arguments joined by blanks, which mean the same to a
// shell.
func (a approved) showsCommand(p *acp.TerminalParams, deed string) bool {
	raw, ok := memberOf(json.RawMessage(a.payload), "rawInput")
	if !ok {
		return false
	}
	shown, ok := textMember(raw, "command")
	if !ok || len(p.Env) > 0 || shown != strings.Join(append([]string{p.Command}, p.Args...), " ") {
		return false
	}
	if len(p.Args) > 0 && shown != sandbox.Quote(slices.Concat([]string{p.Command}, p.Args)...) {
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
