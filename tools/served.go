package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/tools/caught"
	"vibey/tools/disk"
	"vibey/tools/mcp"
	"vibey/tools/sandbox"
)

// Served is what a call of an MCP server showed of it.
type Served struct {
	Server string
	Fault  string       // how the server itself failed, partly in its words; "" where it did not
	Listed *mcp.Listing // its tools as it lists them now; nil where that is not known
}

// serverTool makes a tool of an MCP server's. What the server says of it is not trusted: it
// may change anything, and a human is asked.
func serverTool(spec history.ToolSpec) Tool {
	return Tool{
		ToolSpec: spec, Class: dialog.Mutate, Asks: true,
		read: func(args string) (func(context.Context, Env) Result, string) {
			return func(ctx context.Context, env Env) Result {
				r := callServer(ctx, env, spec, args)
				if env.MCP.Local(spec.Server) {
					r.Sandbox = string(env.Sandbox.Level())
				}
				return r
			}, wrongObject(args)
		},
	}
}

// wrongObject says what keeps args from being one JSON object in which each name stands
// once, or "". Whether it fits the schema the server says.
func wrongObject(args string) string {
	if args == "" {
		return ""
	}
	if !utf8.ValidString(args) {
		return "the arguments are not UTF-8; send one JSON object in UTF-8"
	}
	members, err := jsontext.Members([]byte(args))
	if err != nil {
		return "the arguments are not one JSON object (" + err.Error() + "); send exactly one object with double quotes"
	}
	for i, m := range members {
		if slices.ContainsFunc(members[:i], func(o jsontext.Member) bool { return o.Name == m.Name }) {
			return fmt.Sprintf("%q stands there twice; send it once", clip(m.Name, 60))
		}
	}
	return ""
}

// ServerOff returns why a call of that tool can't reach its MCP server, before a human is
// asked about it; nil where it can, and for other tools.
func (s *Set) ServerOff(env Env, name string) *Failure {
	if t, ok := s.Lookup(name); ok && t.Server != "" {
		return serverOff(env, t.ToolSpec)
	}
	return nil
}

func serverOff(env Env, spec history.ToolSpec) *Failure {
	switch {
	case !slices.Contains(env.MCP.Names(), spec.Server):
		return &Failure{ExecError, fmt.Sprintf("%s was not called: the MCP server %q is not configured where this program runs now. Go on without it, and tell the human.", spec.Name, spec.Server)}
	case env.Off != nil && env.Off(spec.Server):
		return &Failure{ExecError, fmt.Sprintf("%s was not called: the MCP server %q has failed twice in this dialog, and is off in it. Go on without it, and tell the human.", spec.Name, spec.Server)}
	}
	return nil
}

func callServer(ctx context.Context, env Env, spec history.ToolSpec, args string) Result {
	if off := serverOff(env, spec); off != nil {
		return off.Result()
	}
	if args == "" {
		args = "{}"
	}
	reply, changed, err := callWatched(ctx, env, spec, args)
	seen := &Served{Server: spec.Server}
	mask := env.masker()
	if reply.Listed.Server != "" {
		listed := reply.Listed.Masked(mask) // as the model was told of them: else it would be another list
		seen.Listed = &listed
	}
	r := Result{}
	f, failedItself := errors.AsType[*mcp.Fault](err)
	switch refused, _ := errors.AsType[*mcp.Refused](err); {
	case err == nil:
		r = replied(env, spec, &reply, changed)
	case failedItself && f.Sent:
		r = brokeOff(mask, changed, "the MCP server %q failed during this call: %s. Whether it did what was asked is not known: look before you try again.", spec.Server, faultWords(mask, f))
	case failedItself:
		r = notRun(ExecError, "%s was not called: the MCP server %q failed before that: %s. Go on without it, or try once more.", spec.Name, spec.Server, faultWords(mask, f))
	case refused != nil:
		r = brokeOff(mask, changed, "the MCP server %q refused the call: %s. Read the tool's schema, correct the arguments, and send it again.", spec.Server, clip(mask(plainText(refused.Message)), 2000))
	case errors.Is(err, mcp.ErrGone):
		r = notRun(NotFound, "the MCP server %q no longer has the tool %q. Use another one. What it has now is there in the next dialog.", spec.Server, clip(spec.Tool, 80))
	case ctx.Err() != nil:
		r = interrupted()
	default:
		r = failed(ExecError, "%s could not be called: %v.", spec.Name, err)
	}
	if failedItself {
		seen.Fault = faultWords(mask, f)
	}
	r.Served = seen
	return r
}

// callWatched calls a tool, and looks what changes in the deed meanwhile where its server
// may write there.
func callWatched(ctx context.Context, env Env, spec history.ToolSpec, args string) (reply mcp.Reply, changed changes, err error) {
	if !env.MCP.Local(spec.Server) {
		reply, err = env.MCP.Call(ctx, env.place(), spec.Server, spec.Tool, args)
		return reply, changed, err
	}
	deed, err := openDeed(env, true)
	if err != nil {
		return reply, changed, fmt.Errorf("deed/ can't be opened: %w", err)
	}
	defer deed.Close()
	before := survey(deed, walkLimit)
	reply, err = env.MCP.Call(ctx, env.place(), spec.Server, spec.Tool, args)
	if ctx.Err() == nil { // of a call that was stopped nothing is told, as of a command
		changed = before.until(ctx, deed)
	}
	return reply, changed, err
}

// brokeOff is the result of a call that failed once the server had it, which may have
// changed the deed.
func brokeOff(mask func(string) string, changed changes, format string, a ...any) Result {
	body := &servedBody{Error: fmt.Sprintf(format, a...), Content: []servedItem{}}
	if body.change(changed, mask); body.Changed == nil {
		return failed(ExecError, "%s", body.Error)
	}
	return Result{Failure: ExecError, body: body}.sealed()
}

// faultWords says how a server failed, in words that are partly its own: masked, and only
// then cut.
func faultWords(mask func(string) string, f *mcp.Fault) string {
	text := clip(mask(plainText(f.Err)), 500)
	if f.Said != "" {
		text += " (" + clip(mask(plainText(f.Said)), 1000) + ")"
	}
	return text
}

// place is where the servers of env's project run: as its commands do, but for the HOME of
// some.
func (env Env) place() mcp.Place {
	return mcp.Place{Project: env.ProjectDir, Deed: deedDir(env), Network: env.Network, Home: env.homeOf, Start: func(command, home string, vars []string) (mcp.Process, error) {
		if home != "" {
			if err := disk.MakeIn(home); err != nil {
				return nil, errors.New("its home folder could not be made")
			}
		}
		deed, err := openDeed(env, true)
		if err != nil {
			return nil, fmt.Errorf("deed/ can't be opened: %w", err)
		}
		deed.Close()
		p, err := env.Sandbox.Pipe(sandbox.Spec{Command: command, Dir: env.ProjectDir, Home: home, Deed: deedDir(env), Network: env.Network, Show: namedPaths(command, env.Sandbox.LookPath)}, vars)
		if err != nil {
			return nil, err
		}
		return p, nil
	}}
}

// namedPaths are the absolute paths in a server's command, which a human wrote: it could
// not be started, or do its work, without them. A program that is named without a path is
// where look finds it, "" for nowhere: in a node_modules/.bin it needs the packages beside.
func namedPaths(command string, look func(name string) string) (paths []string) {
	words := shellWords(command)
	for _, word := range words {
		if assignment.MatchString(word) || word == "exec" || word == "env" {
			continue
		}
		if !strings.Contains(word, "/") {
			if at := look(word); at != "" {
				paths = append(paths, at)
			}
		}
		break
	}
	for _, word := range words {
		if _, value, ok := strings.Cut(word, "="); ok && !filepath.IsAbs(word) {
			word = value
		}
		if filepath.IsAbs(word) {
			paths = append(paths, filepath.Clean(word))
		}
	}
	return paths
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// shellWords are the words of a command as a shell parts them; nothing in them is expanded.
func shellWords(command string) (words []string) {
	var word strings.Builder
	quote, escaped := rune(0), false
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
		}
		word.Reset()
	}
	for _, r := range command {
		switch {
		case escaped:
			escaped = false
			word.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped = true
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune(" \t\n;&|()<>", r):
			end()
		default:
			word.WriteRune(r)
		}
	}
	end()
	return words
}

// homeOf names the HOME of an MCP server: the one of commands, or one of its own.
func (env Env) homeOf(server string, own bool) (string, error) {
	if !own {
		return env.Home, nil
	}
	home, _ := env.ServerHome(server)
	if home == "" {
		return "", errors.New("it has a key or the network, and no home folder of its own could be made for it")
	}
	return home, nil
}

// serversLimit is how long a dialog's first message waits for the servers to list their
// tools. One that takes longer goes on being started, for the next dialog.
const serversLimit = 10 * time.Second

// ListServers asks these MCP servers for their tools, all at once. left says, a sentence
// without a full stop each, which servers and tools are left out.
func ListServers(ctx context.Context, env Env, servers []string) (specs []history.ToolSpec, left []string) {
	ctx, cancel := context.WithTimeout(ctx, serversLimit)
	defer cancel()
	lists, errs := make([]mcp.Listing, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for i, server := range servers {
		all.Add(1)
		caught.Go(nil, "listing the tools of an MCP server", func() {
			defer all.Done()
			lists[i], errs[i] = env.MCP.List(ctx, env.place(), server)
		})
	}
	all.Wait()
	mask := env.masker()
	for i, err := range errs {
		if err != nil {
			why := err.Error()
			if f, ok := errors.AsType[*mcp.Fault](err); ok {
				why = faultWords(mask, f)
			} else if errors.Is(err, context.DeadlineExceeded) {
				why = fmt.Sprintf("it did not list its tools within %v", serversLimit)
			}
			if env.MCP.Local(servers[i]) && !env.Network {
				why += "; it runs without the network, which no human has allowed"
			}
			left = append(left, fmt.Sprintf("%s: all of its tools are left out: %s", servers[i], why))
		}
	}
	for i := range lists {
		lists[i] = lists[i].Masked(mask)
	}
	specs, more := mcp.Specs(lists, env.MCP.Names())
	left = append(left, more...)
	for i, text := range left {
		left[i] = mask(text)
	}
	return specs, left
}
