package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vibey/tools/sandbox"
)

// The flags, in the groups in which verbs share them. Each is a flag over an
// environment variable over a default.

type dirFlag struct {
	Dir string `help:"The folder of projects (default: vibey)." default:"vibey" env:"VIBEY_DIR" placeholder:"DIR"`
}

type stateFlag struct {
	State string `help:"Where keys and the token are kept (default: ${state})." env:"VIBEY_STATE" placeholder:"DIR"`
}

// open opens the state dir that was named, or the default one, as openState does.
func (f stateFlag) open(root string, tell func(string)) (*state, error) {
	dir, err := f.stateDir()
	if err != nil {
		return nil, err
	}
	return openState(dir, root, tell)
}

// look is open for a verb that only reads; what openState tells goes to note.
func (f stateFlag) look(note io.Writer) (*state, error) {
	dir, err := f.stateDir()
	if err != nil {
		return nil, err
	}
	return lookState(dir, "", tellTo(note))
}

// tellTo writes what it is told as lines of this program.
func tellTo(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintln(w, "vibey:", text) }
}

// stateDir returns the path of the state dir that was named, or of the default one.
func (f stateFlag) stateDir() (string, error) {
	if f.State != "" {
		return f.State, nil
	}
	dir, err := defaultState()
	if err != nil {
		return "", unable{fmt.Errorf("%w, so there is no place for the keys and the token. Nothing was started. Name one with --state, or set HOME", err)}
	}
	return dir, nil
}

// given returns the flags that another verb needs to find the same folders, each with
// a blank in front. Those set by the environment are left out.
func (f dirFlag) given(s stateFlag) (flags string) {
	if f.Dir != cmp.Or(os.Getenv("VIBEY_DIR"), "vibey") {
		flags = " --dir " + sandbox.Quote(f.Dir)
	}
	return flags + s.givenState()
}

func (f stateFlag) givenState() string {
	if f.State == os.Getenv("VIBEY_STATE") {
		return ""
	}
	return " --state " + sandbox.Quote(f.State)
}

type logFlag struct {
	Log string `help:"How the log on stderr is written: text or json." enum:"text,json" default:"text"`
}

// logger writes what is of that level at least, without secrets.
func (f logFlag) logger(to io.Writer, level slog.Level, secrets func() []string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: masking(secrets)}
	if f.Log == "json" {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}

// programFlags are those of a verb that runs calls.
type programFlags struct {
	dirFlag
	stateFlag
	modelFlags
	logFlag
}

type modelFlags struct {
	Provider       []string      `help:"Where models answer; repeatable. API is messages, responses, chat or tags. KEY_ENV names the variable with its key." sep:"none" placeholder:"NAME=API,BASE_URL[,KEY_ENV]"`
	Agent          []string      `help:"An agent that speaks the Agent Client Protocol on its standard input and output; repeatable. COMMAND is split at blanks." sep:"none" placeholder:"NAME=COMMAND"`
	MCP            []string      `help:"An MCP server that doc-main.md may use (tools mcp:NAME); repeatable. KEY_ENV names a variable that it gets." sep:"none" placeholder:"NAME[,KEY_ENV]=COMMAND|URL"`
	Sees           []string      `help:"Models that see pictures, beside those of which a server or our table says it; repeatable. A star stands for any characters: MODEL or NAME/MODEL." sep:"none" placeholder:"PATTERN"`
	Idle           time.Duration `help:"How long a model may stay silent (default: 120s)." default:"120s"`
	Sandbox        string        `help:"What stands around commands: auto is the strongest that this machine has; a level's name wants that one, and none asks for each command." enum:"auto,bwrap,landlock,container,sandbox-exec,none" default:"auto"`
	Layers         string        `help:"What keeps apart from deed/ what a command writes, until it counts: the kernel's overlay, or a copy of the deed; auto takes the first that this machine has, off none." enum:"auto,overlay,copy,off" default:"auto"`
	ApproveInFiles bool          `name:"approve-in-files" help:"Honour control text that an editor's hand puts into a dialog. Refused unless commands are sandboxed."`
}

// givenProviders returns the definitions of providers, as flags for another verb, each
// with a blank in front: it can't go on in a dialog whose provider it does not know.
func (f modelFlags) givenProviders() (flags string) {
	defined, _ := f.split()
	for _, d := range defined {
		flags += " --provider " + sandbox.Quote(d)
	}
	return flags
}

// split separates the definitions (NAME=…) from the one name that picks a provider.
func (f modelFlags) split() (defined []string, picked string) {
	for _, v := range f.Provider {
		if strings.Contains(v, "=") {
			defined = append(defined, v)
		} else {
			picked = v
		}
	}
	return defined, picked
}

// defaultState returns $XDG_STATE_HOME/vibey, or ~/.local/state/vibey. Without a home there
// is none: any other place would be one where other users can write.
func defaultState() (string, error) {
	if base := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "vibey"), nil
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = fmt.Errorf("HOME is %q, which is no absolute path", home)
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "vibey"), nil
}

// defaultStateWord is the default state dir in a help.
func defaultStateWord() string {
	dir, err := defaultState()
	if err != nil {
		return "none, for " + err.Error()
	}
	return dir
}
