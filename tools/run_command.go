package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/dialog/change"
	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

type runCommandInput struct {
	Command     string `json:"command" jsonschema:"minLength=1"`
	Description string `json:"description,omitempty"`
	// Network: a human who allows this call allows it the network.
	Network bool `json:"network,omitempty" jsonschema:"description=ask a human for the network; without it there is none unless they opened it"`
}

// ran is the body of the result of a command that was started.
type ran struct {
	Success  bool    `json:"success"`
	Error    string  `json:"error,omitempty" mask:"text"`
	ExitCode int     `json:"exitCode"`
	Stdout   string  `json:"stdout" mask:"text"`
	Stderr   string  `json:"stderr" mask:"text"`
	Dropped  int64   `json:"droppedBytes,omitempty"` // of stdout and stderr together
	Changed  changes `json:"changed"`
	More     int     `json:"changedMore,omitempty"`
	// Made are the folders that it made, without those in one of them.
	Made    []string `json:"madeFolders,omitempty" mask:"text"`
	Sandbox string   `json:"sandbox"`
	Note    string   `json:"note,omitempty"`

	// Of a command with a layer: what was not put into the deed, since it was changed there
	// meanwhile or never counts. NoLayer is why another had none.
	Conflicts []conflict       `json:"conflicts,omitempty" mask:"text"`
	Refused   []effect.Refused `json:"refused,omitempty" mask:"text"`
	NoLayer   string           `json:"noLayer,omitempty"`

	Tried   bool   `json:"tried,omitempty"`
	Network string `json:"network,omitempty"` // of one that was tried and failed
}

// runCommand runs a command in the project's folder. What it writes to the deed goes to a
// layer, and is put into the deed when it has ended; where the deed can't have one, what it
// changed is found by a survey before and after.
func runCommand(ctx context.Context, env Env, in runCommandInput) Result {
	deed, refused := openFor(env, commands, in.Command)
	if deed == nil {
		return refused
	}
	defer deed.Close()
	stray := watchStray(env, in.Command)
	spec := sandbox.Spec{
		Command: in.Command, Dir: env.ProjectDir, Home: env.Home, Deed: deedDir(env), Network: env.Network, Limit: env.Limit, ReadOnly: env.ReadOnly,
		Watch: env.watch(), Layer: !env.ReadOnly,
	}
	if env.Tried {
		spec.Tried, spec.Network, spec.ReadOnly = true, false, false
	}
	out, before, why := env.command(ctx, spec, deed)
	defer func() { env.Sandbox.Drop(out.Layer, out.Home) }() // but for what was taken
	switch {
	case out.Err != nil:
		return notStarted(in.Command, out.Err)
	case out.Stopped && env.Watch == nil:
		r := interrupted()
		r.Sandbox = string(env.Sandbox.Level())
		return r
	case out.Stopped: // what it changed counts all the same
		var enough context.CancelFunc
		ctx, enough = context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer enough()
	}
	body := &ran{ExitCode: out.ExitCode, Dropped: out.Stdout.Dropped + out.Stderr.Dropped, Sandbox: string(env.Sandbox.Level())}
	body.Error = verdict(out, cmp.Or(env.Limit, env.Sandbox.Limit()))
	notes := out.Notes
	body.Stdout, notes = text("stdout", out.Stdout, notes)
	body.Stderr, notes = text("stderr", out.Stderr, notes)
	if out.Layer != nil && bytes.Contains(out.Stderr.Text, []byte(overflow)) {
		notes = append(notes, "A file below deed/ that belongs to another user or group of this machine can't be changed here: \""+overflow+"\" says that. Tell the human.")
	}
	if stray() {
		notes = append(notes, change.NoteMark+" This command ran in the project folder and wrote, but never entered deed/, where results belong. If you meant the deed, begin the next one with 'cd deed && '.")
	}
	if out.Layer == nil {
		c := before.until(ctx, deed)
		body.Changed, body.More, body.NoLayer = c, c.more, why
	}
	switch {
	case env.Tried:
	case env.ReadOnly && len(body.Changed.files) == 0 && !body.Changed.unknown:
		notes = append(notes, ranReadOnly)
	case env.ReadOnly:
		notes = append(notes, "It ran read-only itself; what changed was changed by something else at that time, such as a server that it asked.")
	}
	body.Note = strings.Join(notes, "\n")
	if env.Tried {
		if done := env.try(ctx, out, body); done != nil {
			out.Layer, out.Home = nil, nil
			return Result{Tried: done, Sandbox: body.Sandbox}
		}
	} else if out.Layer != nil {
		if err := env.put(ctx, out, body); err != nil {
			return Result{Unfinished: err}
		}
	}
	body.Success = body.Error == ""
	return Result{Success: body.Success, Sandbox: body.Sandbox, Interrupted: out.Stopped, body: body}
}

// command runs a command. One that has no layer, and why where it might have one, has the
// deed surveyed before.
func (env Env) command(ctx context.Context, s sandbox.Spec, deed *os.Root) (out sandbox.Outcome, before Sight, why string) {
	if s.Layer || s.Tried {
		out = env.Sandbox.Command(ctx, s)
		no, without := errors.AsType[*sandbox.NoLayerError](out.Err)
		if !without || s.Tried {
			return out, nil, ""
		}
		s.Layer, why = false, no.Why
	}
	before = survey(deed, walkLimit)
	return env.Sandbox.Command(ctx, s), before, why
}

// overflow is what the system says of a file whose owner a layer can't give to its copy.
const overflow = "Value too large for defined data type"

// watch is Watch for the sandbox.
func (env Env) watch() func(written func() (stdout, stderr []byte)) {
	if env.Watch == nil {
		return nil
	}
	return func(written func() (stdout, stderr []byte)) {
		env.Watch(func() string {
			var text string
			stdout, stderr := written()
			for _, b := range [][]byte{stdout, stderr} {
				text += string(b[:bytes.LastIndexByte(b, '\n')+1]) // a part of a secret would pass by the mask
			}
			return env.masker()(strings.ToValidUTF8(text, "\uFFFD"))
		})
	}
}

// purpose is a tool that runs shell commands, in the words of its refusals.
type purpose struct{ tool, each, not string }

var (
	commands = purpose{"run_command", "command", "the command was not run"}
	servers  = purpose{"start_server", "server", "the server was not started"}
)

// openFor opens the deed for a command, and makes its HOME. It returns nil and the
// call's result if the command must not be started.
func openFor(env Env, p purpose, command string) (deed *os.Root, refused Result) {
	switch {
	case strings.ContainsRune(command, 0):
		return nil, notRun(Schema, "the command holds a NUL character, which no shell can take. Send it without.")
	case env.ReadOnly && !env.Sandbox.HoldsReadOnly():
		return nil, notRun(Permission, "%s: before your checkpoint it may write nothing, and at the sandbox level %s nothing here keeps it from that. Look with the other tools, or make the checkpoint first.", p.not, env.Sandbox.Level())
	case env.Blanket && env.Sandbox.Level() == sandbox.None:
		return nil, notRun(Permission, "without a sandbox each %s must be allowed by a human: a blanket allow does not cover %s here. Ask, and say why.", p.each, p.tool)
	}
	if env.Home != "" && !env.ReadOnly {
		if err := disk.MakeIn(env.Home); err != nil {
			return nil, notRun(ExecError, "%s: its home folder could not be made. Tell the human to look at the state folder.", p.not)
		}
	}
	deed, err := openDeed(env, true)
	if err != nil {
		return nil, notRun(ExecError, "%s, because deed/ can't be opened: %s", p.not, disk.Words(err))
	}
	return deed, Result{}
}

// ranReadOnly is the note of what ran with Env.ReadOnly.
const ranReadOnly = "It ran read-only: it could write nothing but temporary files and a HOME that is gone with it."

// notStarted is the result of a command that the sandbox could not start.
func notStarted(command string, err error) Result {
	if len(command) > 100<<10 {
		return notRun(ExecError, "the command was not run: with %d bytes it is too long for this system. Put it into a script with write_file, then run that.", len(command))
	}
	return notRun(ExecError, "the command was not run: %s. Nothing was changed; tell the human if it stays so.", disk.Words(err))
}

// verdict returns what to do about a command that failed, "" for a success.
func verdict(out sandbox.Outcome, limit time.Duration) string {
	switch {
	case out.Stopped:
		return "stopped before its end, with all that it started; what it wrote until then is still there."
	case out.TimedOut:
		return fmt.Sprintf("stopped after %v, the most a command may take, with all that it started; what it wrote until then is still there. Run something shorter, or in parts; a server can't be started this way.", limit)
	case out.Exceeded == sandbox.OverLayer:
		return "stopped, with all that it started, because it wrote more than a command may."
	case out.Exceeded != "":
		return fmt.Sprintf("stopped, with all that it started, because it used too much: %s; what it wrote until then is still there. Do it in smaller parts.", used[out.Exceeded])
	case out.Signal != 0:
		return fmt.Sprintf("ended by signal %d (%v). Read stderr, find the cause, then try again.", int(out.Signal), out.Signal)
	case out.ExitCode != 0:
		return fmt.Sprintf("exit code %d. Read stdout and stderr for the cause before you go on.", out.ExitCode)
	}
	return ""
}

// used names what a command used too much of.
var used = map[string]string{"memory": "half of the machine's memory", "processes": "more processes than one command may start", "disk": "the disk is almost full"}

// text makes output valid for a result, and notes it where that changed it.
func text(name string, o sandbox.Output, notes []string) (string, []string) {
	if utf8.Valid(o.Text) {
		return string(o.Text), notes
	}
	return strings.ToValidUTF8(string(o.Text), "\uFFFD"), append(notes, name+" was not UTF-8 throughout: U+FFFD stands for each run of other bytes.")
}

var (
	entersDeed = regexp.MustCompile(`(^|[^\w.-])deed($|[^\w.-])`)
	quoted     = regexp.MustCompile(`'[^']*'|"(\\.|[^"\\])*"`)
	redirect   = regexp.MustCompile(`>>?\|?\s*([^\s>&|;]+)`)
	writes     = regexp.MustCompile(`(^|[;&|(]|\bxargs|\bthen|\bdo)\s*(touch|mkdir|cp|mv|rm|ln|tee|install|truncate|dd|patch|unzip|tar\s+-?\w*x|sed\s+(-\w+\s+)*-i|git\s+(clone|init|add|commit|checkout|apply)|npm\s+(i|ci|install|init)|npx\s+create)\b`)
)

// watchStray returns a func that reports, once the command has run, whether it wrote
// without entering deed: by new entries beside the deed or, since a sandbox prevents
// these, by its words. The project's folder, which may hold thousands of dialogs, is
// only read if the words do not decide.
func watchStray(env Env, command string) func() bool {
	if env.Noted || env.ReadOnly || entersDeed.MatchString(command) {
		return func() bool { return false }
	}
	if meansToWrite(command) {
		return func() bool { return true }
	}
	before := topNames(env.Project)
	return func() bool {
		return slices.ContainsFunc(topNames(env.Project), func(name string) bool { return !slices.Contains(before, name) })
	}
}

// meansToWrite reports whether a command, by its words, writes files.
func meansToWrite(command string) bool {
	bare := quoted.ReplaceAllString(command, "q")
	for _, m := range redirect.FindAllStringSubmatch(bare, -1) {
		if !strings.HasPrefix(m[1], "/dev/") {
			return true
		}
	}
	return writes.MatchString(bare)
}
