package args

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

type where struct {
	Dir string `help:"The folder (default: ${dir})." default:"here" env:"ARGS_DIR" placeholder:"DIR"`
}

type serve struct {
	where
	Addr  string        `help:"Where to listen." default:"127.0.0.1:1" env:"ARGS_ADDR" placeholder:"HOST:PORT"`
	Host  []string      `help:"Another name; repeatable." placeholder:"NAME"`
	Of    []string      `sep:"none" placeholder:"NAME=VALUE" help:"A definition."`
	Idle  time.Duration `default:"120s" env:"ARGS_IDLE" help:"How long."`
	Log   string        `enum:"text,json" default:"text" help:"How."`
	Debug bool          `help:"More of it."`
	inner string
}

type decide struct {
	where
	Project  string   `short:"p" required:"" env:"ARGS_PROJECT" help:"The project."`
	Yes      bool     `short:"y" help:"Do not ask."`
	All      bool     `short:"a" help:"All of them."`
	NotAsked string   `name:"sha256" help:"A hash." placeholder:"HEX"`
	Dialog   string   `arg:"" help:"The dialog."`
	ID       []string `arg:"" help:"The calls."`
}

func (decide) Help() string { return "The\nlong help." }

type say struct {
	Text string `arg:"" optional:"" help:"What."`
}

func grammar() *Grammar {
	return &Grammar{
		Name: "prog", Version: "v9", About: "It is about words.", Vars: map[string]string{"dir": "/home"},
		Verbs: []Verb{{"serve", "Serve it.", &serve{inner: "kept"}}, {"decide", "Decide it.", new(decide)}, {"say", "Say it.", new(say)}},
	}
}

// Each line is read as the verb's struct, or refused; what is not given comes from the
// environment, then from the default.
func TestParse(t *testing.T) {
	const usual = "&{{here} 127.0.0.1:1 [] [] 2m0s text false kept}"
	for _, c := range []struct{ line, want string }{
		{"", usual},
		{"serve", usual},
		{"--debug serve --debug", "&{{here} 127.0.0.1:1 [] [] 2m0s text true kept}"},
		{"--dir=x --addr y --idle 1m30s --log json --debug", "&{{x} y [] [] 1m30s json true kept}"},
		{"--dir x --dir y --dir=", "&{{} 127.0.0.1:1 [] [] 2m0s text false kept}"},
		{"--host a,b --host c --of a=1,2 --of=b=3", "&{{here} 127.0.0.1:1 [a b c] [a=1,2 b=3] 2m0s text false kept}"},
		{"--debug=false", usual},
		{"--debug=1", "&{{here} 127.0.0.1:1 [] [] 2m0s text true kept}"},
		{"--dir -", "&{{-} 127.0.0.1:1 [] [] 2m0s text false kept}"},
		{"--dir=--debug", "&{{--debug} 127.0.0.1:1 [] [] 2m0s text false kept}"},
		{"ARGS_DIR=e ARGS_ADDR=f ARGS_IDLE=3s serve --dir g", "&{{g} f [] [] 3s text false kept}"},
		{"ARGS_DIR= ARGS_ADDR= ARGS_IDLE= serve", usual}, // "" would be every address
		{"ARGS_IDLE=x say", "&{}"}, // another verb's
		{"decide -p x d 1 2", "&{{here} x false false  d [1 2]}"},
		{"decide d -y -p x 1 -sha256 abc 2", "&{{here} x true false abc d [1 2]}"},
		{"decide -p=x d 1", "&{{here} x false false  d [1]}"},
		{"decide --project=x -- d -y --help", "&{{here} x false false  d [-y --help]}"},
		{"ARGS_PROJECT=x decide d 1", "&{{here} x false false  d [1]}"},
		{"say", "&{}"},
		{"say -", "&{-}"},
		{"say say", "&{say}"},

		{"nonsense", "unexpected argument nonsense"},
		{"serv", "unexpected argument serv"},
		{"serve say", "unexpected argument say"},
		{"-", "unexpected argument -"},
		{"say a b", "unexpected argument b"},
		{"--nonsense", "unknown flag --nonsense"},
		{"--=x", "bad flag syntax: --=x"},
		{"-x", "unknown flag -x"},
		{"-ü", "unknown flag -ü"},
		{"decide -y -q", "unknown flag -q"},
		{"say --dir x", "unknown flag --dir"},
		{"--dir x decide", "--dir in front of decide is a flag of serve: write flags behind the verb"},
		{"--dir", "--dir needs a value"},
		{"--dir --debug", "--dir needs a value. If --debug is meant to be it, write --dir=--debug"},
		{"--of", "--of needs a value"},
		{"decide -p", "-p needs a value"},
		{"--idle 5", `invalid value "5" for flag -idle: must be a time such as 90s or 2m`},
		{"ARGS_IDLE=x serve", `invalid value "x" of the variable ARGS_IDLE: must be a time such as 90s or 2m`},
		{"--log xml", `invalid value "xml" for flag -log: must be one of text, json`},
		{"--debug=maybe", `invalid boolean value "maybe" for -debug: must be true or false`},
		{"decide d 1", "missing flags: --project=TEXT"},
		{"decide -p x", "missing: <dialog> <id> ..."},
		{"decide -p x d", "missing: <id> ..."},
		{"decide -p x d --", "missing: <id> ..."},
		{"--help --nonsense", "unknown flag --nonsense"},
	} {
		t.Run(c.line, func(t *testing.T) {
			words := strings.Fields(c.line)
			for len(words) > 0 && strings.HasPrefix(words[0], "ARGS_") {
				name, value, _ := strings.Cut(words[0], "=")
				t.Setenv(name, value)
				words = words[1:]
			}
			var out bytes.Buffer
			into, err := grammar().Parse(words, &out)
			got := fmt.Sprint(into)
			if err != nil {
				got = err.Error()
			}
			if got != c.want || out.Len() > 0 {
				t.Errorf("%s\nwant %s\nprinted %q", got, c.want, &out)
			}
		})
	}
}

const programHelp = `Usage: prog <command> [flags]

It is about words.

Flags:
  -h, --help       Show context-sensitive help.
      --version    Print the version.

Commands:
  serve     Serve it.
  decide    Decide it.
  say       Say it.

Run "prog <command> --help" for more information on a command.
`

const decideHelp = `Usage: prog decide --project=TEXT <dialog> <id> ... [flags]

Decide it.

The long help.

Arguments:
  <dialog>    The dialog.
  <id> ...    The calls.

Flags:
  -h, --help            Show context-sensitive help.
      --version         Print the version.

      --dir=DIR         The folder (default: /home) ($ARGS_DIR).
  -p, --project=TEXT    The project ($ARGS_PROJECT).
  -y, --yes             Do not ask.
  -a, --all             All of them.
      --sha256=HEX      A hash.
`

// A word may be empty, as a shell makes it of a variable that is not set.
func TestParseEmptyWords(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"--dir", "", "--debug"}, "&{{} 127.0.0.1:1 [] [] 2m0s text true kept}"},
		{[]string{"decide", "-p", "", "-y", "d", "1"}, "&{{here}  true false  d [1]}"},
		{[]string{"decide", "-p", "x", "", "-y", "1"}, "&{{here} x true false   [1]}"},
	} {
		into, err := grammar().Parse(c.words, new(bytes.Buffer))
		if got := fmt.Sprint(into); err != nil || got != c.want {
			t.Errorf("%q: %s, %v, want %s", c.words, got, err, c.want)
		}
	}
}

// Help and the version are printed wherever they are asked for, and nothing is missing then.
func TestHelp(t *testing.T) {
	for line, want := range map[string]string{
		"--help": programHelp, "-h": programHelp, "--debug --help": programHelp,
		"decide --help": decideHelp, "--help decide": decideHelp, "decide -y -h d": decideHelp,
		"help": programHelp, "help decide": decideHelp, "help --help": programHelp,
		"--version": "v9\n", "decide --version": "v9\n",
	} {
		var out bytes.Buffer
		into, err := grammar().Parse(strings.Fields(line), &out)
		if into != nil || err != nil || out.String() != want {
			t.Errorf("%s: %v, %v\n%s", line, into, err, &out)
		}
	}
	if _, err := grammar().Parse([]string{"--help"}, full{}); err == nil {
		t.Error("a help that can't be written is not told")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }

// A text is broken at blanks; a flag that is too long for its column has a line of its own.
func TestHelpIsWrapped(t *testing.T) {
	long := strings.Repeat("a word ", 30)
	g := &Grammar{Name: "prog", Verbs: []Verb{{"v", long, &struct {
		Short string `help:"Short."`
		Long  string `placeholder:"A_VALUE_THAT_IS_LONGER_THAN_THE_COLUMN" help:"Long."`
		Text  string `help:"One two three four five six seven eight nine ten eleven twelve thirteen."`
		Bare  bool
	}{}}}}
	var out bytes.Buffer
	if _, err := g.Parse([]string{"v", "-h"}, &out); err != nil {
		t.Fatal(err)
	}
	const want = `
Flags:
  -h, --help          Show context-sensitive help.
      --version       Print the version.

      --short=TEXT    Short.
      --long=A_VALUE_THAT_IS_LONGER_THAN_THE_COLUMN
                      Long.
      --text=TEXT     One two three four five six seven eight nine ten eleven
                      twelve thirteen.
      --bare
`
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s", &out)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

// A field of a type that no word can be read into is told before any word is read.
func TestTypes(t *testing.T) {
	defer func() {
		if got := recover(); got != "args: the field Count can't be a int" {
			t.Errorf("%v", got)
		}
	}()
	g := &Grammar{Verbs: []Verb{{"v", "", &struct{ Count int }{}}}}
	g.Parse(nil, io.Discard)
}
