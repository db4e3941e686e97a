package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/tools/caught"
	"vibey/tools/mcp"
	"vibey/tools/sandbox"
)

// Served is what a call of an MCP server showed of it.
type Served struct {
	Server string
	Fault  string       // how the server itself failed, "" where it did not
	Listed *mcp.Listing // its tools as it lists them now; nil where that is not known
}

// serverTool makes a tool of an MCP server's. What the server says of it is not trusted: it
// may change anything, and a human is asked.
func serverTool(spec dialog.ToolSpec) Tool {
	return Tool{
		Name: spec.Name, Description: spec.Description, Schema: spec.Schema, Class: dialog.Mutate, Asks: true,
		check: wrongObject,
		call: func(ctx context.Context, env Env, args string) Result {
			if wrong := wrongObject(args); wrong != "" {
				return schemaFailure(spec.Name, wrong, args).Result()
			}
			r := callServer(ctx, env, spec, args)
			if env.MCP.Local(spec.Server) {
				r.Sandbox = string(env.Sandbox.Level())
			}
			return r
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
	if spec, ok := s.Spec(name); ok && spec.Server != "" {
		return serverOff(env, spec)
	}
	return nil
}

func serverOff(env Env, spec dialog.ToolSpec) *Failure {
	switch {
	case !slices.Contains(env.MCP.Names(), spec.Server):
		return &Failure{ExecError, fmt.Sprintf("%s was not called: the MCP server %q is not configured where this program runs now. Go on without it, and tell the human.", spec.Name, spec.Server)}
	case env.Off != nil && env.Off(spec.Server):
		return &Failure{ExecError, fmt.Sprintf("%s was not called: the MCP server %q has failed twice in this dialog, and is off in it. Go on without it, and tell the human.", spec.Name, spec.Server)}
	}
	return nil
}

func callServer(ctx context.Context, env Env, spec dialog.ToolSpec, args string) Result {
	if off := serverOff(env, spec); off != nil {
		return off.Result()
	}
	if args == "" {
		args = "{}"
	}
	reply, err := env.MCP.Call(ctx, env.place(), spec.Server, spec.Tool, args)
	seen := &Served{Server: spec.Server}
	if reply.Listed.Server != "" {
		seen.Listed = &reply.Listed
	}
	r := Result{}
	f, failedItself := errors.AsType[*mcp.Fault](err)
	switch refused, _ := errors.AsType[*mcp.Refused](err); {
	case err == nil:
		r = replied(env, spec, &reply)
	case failedItself && f.Sent:
		r = failed(ExecError, "the MCP server %q failed during this call: %s. Whether it did what was asked is not known: look before you try again.", spec.Server, f.Err)
	case failedItself:
		r = notRun(ExecError, "%s was not called: the MCP server %q failed before that: %s. Go on without it, or try once more.", spec.Name, spec.Server, f.Err)
	case refused != nil:
		r = failed(ExecError, "the MCP server %q refused the call: %s. Read the tool's schema, correct the arguments, and send it again.", spec.Server, refused.Message)
	case errors.Is(err, mcp.ErrGone):
		r = notRun(NotFound, "the MCP server %q no longer has the tool %q. Use another one. What it has now is there in the next dialog.", spec.Server, clip(spec.Tool, 80))
	case ctx.Err() != nil:
		r = interrupted()
	default:
		r = failed(ExecError, "%s could not be called: %v.", spec.Name, err)
	}
	if failedItself {
		seen.Fault = env.masker()(f.Err)
	}
	r.Served = seen
	return r
}

// place is where the servers of env's project run: as its commands do.
func (env Env) place() mcp.Place {
	return mcp.Place{Project: env.ProjectDir, Network: env.Network, Start: func(command string, vars []string) (mcp.Process, error) {
		if env.Home != "" {
			if err := os.MkdirAll(env.Home, 0o700); err != nil {
				return nil, errors.New("its home folder could not be made")
			}
		}
		deed, err := openDeed(env, true)
		if err != nil {
			return nil, fmt.Errorf("deed/ can't be opened: %w", err)
		}
		deed.Close()
		p, err := env.Sandbox.Pipe(sandbox.Spec{Command: command, Dir: env.ProjectDir, Home: env.Home, Deed: deedDir(env), Network: env.Network}, vars)
		if err != nil {
			return nil, err
		}
		return p, nil
	}}
}

// serversLimit is how long a dialog's first message waits for the servers to list their
// tools. One that takes longer goes on being started, for the next dialog.
const serversLimit = 10 * time.Second

// ListServers asks these MCP servers for their tools, all at once. left says, a sentence
// without a full stop each, which servers and tools are left out.
func ListServers(ctx context.Context, env Env, servers []string) (specs []dialog.ToolSpec, left []string) {
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
			if errors.Is(err, context.DeadlineExceeded) {
				why = fmt.Sprintf("it did not list its tools within %v", serversLimit)
			}
			if env.MCP.Local(servers[i]) && !env.Network {
				why += "; it runs without the network, which no human has allowed"
			}
			left = append(left, fmt.Sprintf("%s: all of its tools are left out: %s", servers[i], why))
		}
	}
	specs, more := mcp.Specs(lists)
	for i := range specs {
		specs[i].Description = mask(specs[i].Description)
	}
	left = append(left, more...)
	for i, text := range left {
		left[i] = mask(text)
	}
	return specs, left
}
