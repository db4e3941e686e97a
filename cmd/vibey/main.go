// Command vibey serves projects of markdown to a browser and lets agents work
// in them, or does one of the things that need no browser:
//
//	vibey [serve]                    the window on http://127.0.0.1:3001
//	vibey run -p PROJECT "prompt"    one turn, its events as text or JSON
//	vibey approve|deny DIALOG ID     decide a call
//	vibey tail DIALOG                read a dialog while it is written
//	vibey acp                        an agent for an editor, over ACP on stdio
//	vibey mcp                        tools for another program, over MCP on stdio
//	vibey login                      a fresh one-time code for a browser
//	vibey explain DIALOG             the exact request it would send next, and which rules hold
//	vibey why FILE[:LINE]            who brought in a line of a file
//	vibey check DIR                  every broken rule as file:line
//	vibey repair DIR                 what a kill left, put in order
//	vibey export -p PROJECT F.zip    a project as a zip
//	vibey import F.zip NAME          a project out of one
//	vibey fmt FILE…|DIR              hand-written dialogs in canonical form
//
// It is put together in wire.go; each verb has a file of its own.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"vibey/cmd/vibey/args"
)

// verb is what a verb's flags and arguments are read into.
type verb interface {
	Run(to streams) error
}

// streams are where a verb reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// The exit codes beyond 0 and 1.
const (
	exitUsage   = 2   // it could not run
	exitWaits   = 3   // run, approve, deny: the dialog waits for a decision
	exitStopped = 130 // interrupted at the keyboard
)

// exit is an exit code as an error without a message.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// unable is an error that kept a verb from running: exit code 2.
type unable struct{ error }

func (u unable) Unwrap() error { return u.error }

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run runs one command line and returns its exit code.
func run(words []string, to streams) int {
	into, err := grammar().Parse(words, to.out)
	if err != nil {
		fmt.Fprintf(to.err, "vibey: %v\nvibey --help tells what there is.\n", err)
		return exitUsage
	}
	if into == nil {
		return 0
	}
	return exitCode(into.(verb).Run(to), to.err)
}

// grammar is all that a command line may be.
func grammar() *args.Grammar {
	var all []args.Verb
	add := func(name string, into verb, help string) {
		all = append(all, args.Verb{Name: name, Into: into, Help: help})
	}
	add("serve", new(serveCmd), "Serve the projects to a browser (the default).")
	add("run", new(runCmd), "Run one prompt without a browser.")
	add("approve", new(approveCmd), "Approve a call that waits.")
	add("deny", new(denyCmd), "Deny a call that waits.")
	add("acp", new(acpCmd), "Be the agent of an editor, over ACP on stdin and stdout.")
	add("mcp", new(mcpCmd), "Be the tools of another program, over MCP on stdin and stdout.")
	add("tail", new(tailCmd), "Print a dialog, and follow it while it is written.")
	add("login", new(loginCmd), "Print an address with a fresh one-time code.")
	add("explain", new(explainCmd), "Print the next request of a dialog, and why it is so.")
	add("why", new(whyCmd), "Tell who brought in a line of a file, or each of its lines.")
	add("check", new(checkCmd), "Tell every broken rule in dialogs and docs.")
	add("repair", new(repairCmd), "Put in order what a kill left in dialogs; deletes no text.")
	add("export", new(exportCmd), "Write a project into a zip.")
	add("import", new(importCmd), "Make a project of a zip.")
	add("fmt", new(fmtCmd), "Write hand-written dialogs in canonical form.")
	return &args.Grammar{
		Name: "vibey", Version: version(), Verbs: all, Vars: map[string]string{"state": defaultStateWord()},
		About: "Vibey is a workspace where people and agents make things together, through text. Docs and dialogs are markdown files in a folder.",
	}
}

// exitCode prints an error, and returns its exit code.
func exitCode(err error, to io.Writer) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[exit](err); ok {
		return int(e)
	}
	fmt.Fprintln(to, "vibey:", words(err))
	if errors.As(err, new(unable)) {
		return exitUsage
	}
	return 1
}
