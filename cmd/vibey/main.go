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

	"github.com/alecthomas/kong"
)

// cli is the whole command line.
type cli struct {
	Serve   serveCmd   `cmd:"" default:"withargs" help:"Serve the projects to a browser (the default)."`
	Run     runCmd     `cmd:"" help:"Run one prompt without a browser."`
	Approve approveCmd `cmd:"" help:"Approve a call that waits."`
	Deny    denyCmd    `cmd:"" help:"Deny a call that waits."`
	ACP     acpCmd     `cmd:"" name:"acp" help:"Be the agent of an editor, over ACP on stdin and stdout."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Be the tools of another program, over MCP on stdin and stdout."`
	Tail    tailCmd    `cmd:"" help:"Print a dialog, and follow it while it is written."`
	Login   loginCmd   `cmd:"" help:"Print an address with a fresh one-time code."`
	Explain explainCmd `cmd:"" help:"Print the next request of a dialog, and why it is so."`
	Check   checkCmd   `cmd:"" help:"Tell every broken rule in dialogs and docs."`
	Repair  repairCmd  `cmd:"" help:"Put in order what a kill left in dialogs; deletes no text."`
	Export  exportCmd  `cmd:"" help:"Write a project into a zip."`
	Import  importCmd  `cmd:"" help:"Make a project of a zip."`
	Fmt     fmtCmd     `cmd:"" help:"Write hand-written dialogs in canonical form."`

	Version kong.VersionFlag `help:"Print the version."`
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
func run(args []string, to streams) int {
	k := grammar(to)
	ctx, err := k.Parse(args)
	if err != nil {
		fmt.Fprintf(to.err, "vibey: %v\nvibey --help tells what there is.\n", err)
		return exitUsage
	}
	return exitCode(ctx.Run(to), to.err)
}

// grammar is the parser of command lines.
func grammar(to streams) *kong.Kong {
	return kong.Must(new(cli), kong.Name("vibey"), kong.Writers(to.out, to.err),
		kong.Vars{"state": defaultState(), "version": version()},
		kong.Description("Vibey is a workspace where people and agents make things together, through text. Docs and dialogs are markdown files in a folder."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
}

// exitCode prints an error, and returns its exit code.
func exitCode(err error, to io.Writer) int {
	var e exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return int(e)
	}
	fmt.Fprintln(to, "vibey:", words(err))
	if errors.As(err, new(unable)) {
		return exitUsage
	}
	return 1
}
