// Package mcp talks with MCP servers (https://modelcontextprotocol.io): programs and
// addresses that a human has named, and that offer tools to agents.
//
//	m := mcp.New(mcp.Config{Servers: servers, Getenv: os.Getenv})
//	listing, err := m.List(ctx, at, "fs")
//	specs, left := mcp.Specs([]mcp.Listing{listing}, m.Names())    // what a model is told
//	reply, err := m.Call(ctx, at, "fs", "read_file", `{"path":"a.txt"}`)
//
// A server is not trusted. What it says of its tools is kept within bounds; a server that
// dies, hangs, floods or answers what is no answer ends its connection, and the error is a
// *Fault. How often a dialog bears that is not known here: its text decides (server/turn).
//
// A connection belongs to one project with one deed, with or without the network. It begins
// at its first use, and ends when it was idle for ten minutes, once the deed leads elsewhere,
// with its project, or with the program.
package mcp

import (
	"errors"
	"fmt"
	"io"
	"time"

	"vibey/dialog/history"
)

// Server is an MCP server as a human has named it, by a flag or in the state dir. Either
// Command or URL is set.
type Server struct {
	Name    string   // 1 to 30 letters, digits, - or _
	Command string   // for /bin/sh -c; it speaks MCP at its standard input and output
	URL     string   // where it answers over streamable HTTP
	Keys    []string // variables of the human's environment whose values it gets
}

// Tool is a tool as its server tells of it, within our bounds.
type Tool struct {
	Name        string // what the server calls it
	Description string // see Masked
	Schema      history.RawJSON
	ReadOnly    bool // the server says that it changes nothing, which is not trusted
}

// Listing is the tools of a server, sorted by name, and what is wrong with others that
// are left out, a sentence without a full stop each.
type Listing struct {
	Server string
	Tools  []Tool
	Left   []string
}

// Place is where a project's servers run.
type Place struct {
	Project string // its folder
	Deed    string // the folder that its servers may write
	Network bool   // a human has allowed the network to the dialog
	// Home names the HOME of a server that is a command. With own it is one that no
	// command of the project sees, and no other server.
	Home func(server string, own bool) (string, error)
	// Start starts a server's command there, with that HOME, and with these variables
	// beside those that every command has.
	Start func(command, home string, env []string) (Process, error)
}

// Process is a server that was started by a Place.
type Process interface {
	io.Reader          // of its standard output
	io.Writer          // to its standard input
	CloseWrite() error // ends its standard input
	io.Closer          // closes both pipes
	// Ended is closed once nothing of it runs any more.
	Ended() <-chan struct{}
	// Stop ends it, and waits for that.
	Stop()
	// Last is the end of what it wrote to its standard error, and, once it has ended, how.
	Last() string
}

// Fault is a failure of the server itself: it could not be started or reached, it ended,
// it did not answer in time, or its answer is none.
// Err and Said have words of the server's, and neither is masked nor within the bounds of
// what is told: a part of a secret would pass by a mask.
type Fault struct {
	Err  string
	Said string // what its process wrote last to its standard error, how it ended, and what it wrote that is no message
	Sent bool   // the call was sent: whether it was carried out is not known
}

func (f *Fault) Error() string {
	if f.Said == "" {
		return f.Err
	}
	return f.Err + " (" + f.Said + ")"
}

func fault(format string, a ...any) *Fault { return &Fault{Err: fmt.Sprintf(format, a...)} }

// Refused is a server's answer that it did not carry out a call, in its own words.
type Refused struct{ Message string }

func (r *Refused) Error() string { return r.Message }

// Why there is nobody to call.
var (
	// ErrNoServer: no human has named a server of that name to this program.
	ErrNoServer = errors.New("no such MCP server is configured")
	// ErrGone: the server no longer lists the tool.
	ErrGone = errors.New("the server no longer has this tool")
)

// The bounds of what a server may take up.
const (
	toolsMost       = 100              // tools of one server
	pagesMost       = 20               // pages in which it lists them
	descriptionMost = 2000             // characters of a description, once it is masked
	wordsRead       = 8000             // characters that are taken of one, or of an error
	schemaMost      = 32 << 10         // bytes of one schema
	schemaDepth     = 98               // levels of one schema: more is none, see history.ToolSpec.Valid
	listMost        = 256 << 10        // bytes of all that is told of its tools
	frameMost       = 16 << 20         // bytes of one message
	floodMost       = 2 * frameMost    // bytes between two calls or lists
	pageMost        = 4 << 20          // bytes of one page of its tools, over HTTP
	startLimit      = 30 * time.Second // until it is connected and has listed its tools
	listLimit       = 10 * time.Second // for listing them again
	callLimit       = 60 * time.Second // of one call
	idleLimit       = 10 * time.Minute
	cancelGrace     = 200 * time.Millisecond // for the notification that a call is canceled
	endGrace        = 300 * time.Millisecond // for a server to end once its input has
)
