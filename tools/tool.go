// Package tools defines what a model may call, checks a call's arguments, runs it
// and returns its result. Files are written by Env.Write, which is server/project's
// Change; commands run in tools/sandbox.
//
//	set := tools.NewSet(tools.Declared(rules)...)
//	if f := set.Check(name, args); f != nil { … f.Result() goes back, no human is asked }
//	result := set.Call(ctx, env, name, args)   // result.JSON is one object with "success"
//
// A tool's input is a Go struct; its JSON Schema and its strict decoder are
// made from it. The text that a model reads stands beside each tool as .md.
package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/tools/mcp"
)

// Tool is one thing that a model can call, with what the model is told of it. Of our own
// tools the description is the .md beside the tool, and the schema an object without
// further properties.
type Tool struct {
	history.ToolSpec
	Class dialog.Class
	Asks  bool // a human is asked, unless a control line says otherwise

	// read reads the arguments of a call and returns what runs it, or what is wrong with them.
	read func(args string) (run func(context.Context, Env) Result, wrong string)
}

// Set is the tools that one dialog has, in an order that never changes.
// It holds nothing but values and may be used from many goroutines.
type Set struct{ tools []Tool }

// NewSet returns the four tools that are always there, and those of the named
// sets, as Declared and SetsIn give them. A name that is no set's adds nothing.
func NewSet(sets ...string) *Set {
	return &Set{append(slices.Clone(always()), beyond(sets)...)}
}

// SetOf returns the tools that a dialog's model was told of: those of our sets that are
// among specs, and those of MCP servers as they stand there.
func SetOf(specs []history.ToolSpec) *Set {
	s := NewSet(SetsIn(specs)...)
	for _, spec := range specs {
		if mcp.Named(spec) {
			s.tools = append(s.tools, serverTool(spec))
		}
	}
	return s
}

// Specs returns the tools as providers send them, in the same order and bytes each
// time.
func (s *Set) Specs() []history.ToolSpec {
	specs := make([]history.ToolSpec, len(s.tools))
	for i, t := range s.tools {
		specs[i] = t.ToolSpec
	}
	return specs
}

// Lookup returns the tool of that exact name.
func (s *Set) Lookup(name string) (Tool, bool) {
	for _, t := range s.tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// Check returns what is wrong with a call, or nil, before a human is asked about it.
// It reads the arguments as strictly as Call does: one JSON object, each key once
// and spelled as in the schema, each value of its type.
func (s *Set) Check(name, args string) *Failure {
	t, ok := s.Lookup(name)
	if !ok {
		var names []string
		for _, t := range s.tools {
			names = append(names, t.Name)
		}
		return &Failure{Kind: NotFound, Error: fmt.Sprintf("there is no tool %q. The tools are: %s. Call one of them, with exactly that name.", clip(name, 80), strings.Join(names, ", "))}
	}
	if _, wrong := t.read(args); wrong != "" {
		return schemaFailure(name, wrong, args)
	}
	return nil
}

// Call checks the arguments again, runs the call and returns its result. A panic is
// a result, too. When ctx ends, the call ends at once with Interrupted set.
func (s *Set) Call(ctx context.Context, env Env, name, args string) Result {
	return Caught(name, func() Result { return s.run(ctx, env, name, args) })
}

func (s *Set) run(ctx context.Context, env Env, name, args string) Result {
	t, known := s.Lookup(name)
	if !known {
		return s.Check(name, args).Result().masked(env)
	}
	call, wrong := t.read(args)
	switch {
	case ctx.Err() != nil:
		r := failed("", "stopped before it began: nothing was run.")
		r.Interrupted, r.NotRun = true, true
		return r
	case wrong != "":
		return schemaFailure(name, wrong, args).Result().masked(env)
	case env.Blanket && NeverBlanket(name, args):
		return notRun(Permission, "%s must be allowed by a human for this one call: a blanket allow does not cover it here. Ask, and say why.", name)
	}
	if abs, err := filepath.Abs(env.ProjectDir); err == nil {
		env.ProjectDir = abs
	}
	return call(ctx, env).masked(env)
}

// clip returns s as valid text of at most n characters, with the number of bytes that
// it leaves out.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return clipOf(s, n, int64(len(s)))
}

// clipOf is clip for the head of a text, which has that many bytes in all.
func clipOf(head string, n int, total int64) string {
	first := firstOf(head, n)
	if len(first) == len(head) {
		return head
	}
	return fmt.Sprintf("%s… (%d bytes more)", first, total-int64(len(first)))
}

// firstOf returns the first n characters of s.
func firstOf(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
