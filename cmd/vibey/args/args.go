// Package args reads a command line into the fields of a struct, which their tags make
// flags and arguments, and writes the help from the same tags.
//
//	type run struct {
//		Project string        `short:"p" required:"" placeholder:"NAME" help:"The project."`
//		Idle    time.Duration `default:"120s" env:"IDLE" help:"How long to wait."`
//		Log     string        `enum:"text,json" default:"text" help:"How the log is written."`
//		Host    []string      `sep:"none" help:"A host; repeatable."`
//		Prompt  string        `arg:"" optional:"" help:"What you want."`
//	}
//
// A field is a string, a bool, a time.Duration or a []string; a flag's name is the
// field's in small letters, or tag name. A flag stands over its environment variable, over
// its default. A list takes one value each time, or several with commas between them
// if sep is not "none". Fields of an embedded struct are the outer one's. Package flag
// reads the words: -idle and --idle are the same, and "--" ends the flags.
//
// No method is called by its name here: a program in which one is keeps every method of
// every type it has, for the linker can't know which.
package args

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Grammar is all that a program's command line may be.
type Grammar struct {
	Name    string // of the program
	About   string
	Version string
	Verbs   []Verb            // the first is meant if none is named
	Vars    map[string]string // what ${name} in a help stands for
}

// Verb is one thing that the program does. Into is a pointer to the struct of its flags
// and arguments; if that has a method Help() string, it tells more.
type Verb struct {
	Name string
	Help string
	Into any
}

// Field is a flag, or an argument.
type Field struct {
	Name  string
	Short string // "p" of -p, or ""
	Env   string // the variable, or ""
	Help  string

	placeholder string
	initial     string // its value if none is given
	enum        string // the values that it may have, with commas between them
	arg         bool   // an argument
	must        bool   // it has to be given
	whole       bool   // a value of a list is one item
	given       bool
	into        any // *string, *bool, *time.Duration or *[]string
}

// Fields returns a verb's flags and arguments, and those that every verb has.
func (g *Grammar) Fields(v *Verb) []*Field {
	return append(common(), fields(reflect.ValueOf(v.Into).Elem())...)
}

func common() []*Field {
	return []*Field{
		{Name: "help", Short: "h", Help: "Show context-sensitive help.", into: new(bool)},
		{Name: "version", Help: "Print the version.", into: new(bool)},
	}
}

func fields(v reflect.Value) (all []*Field) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Anonymous:
			all = append(all, fields(v.Field(i))...)
		case f.IsExported():
			all = append(all, newField(f, v.Field(i).Addr().Interface()))
		}
	}
	return all
}

// newField panics if a field is of another type than those that Set knows.
func newField(f reflect.StructField, into any) *Field {
	switch into.(type) {
	case *string, *bool, *time.Duration, *[]string:
	default:
		panic("args: the field " + f.Name + " can't be a " + f.Type.String())
	}
	tag := f.Tag
	_, arg := tag.Lookup("arg")
	_, required := tag.Lookup("required")
	_, optional := tag.Lookup("optional")
	name := tag.Get("name")
	if name == "" {
		name = strings.ToLower(f.Name)
	}
	return &Field{
		Name: name, Short: tag.Get("short"), Env: tag.Get("env"), Help: tag.Get("help"),
		placeholder: tag.Get("placeholder"), initial: tag.Get("default"), enum: tag.Get("enum"),
		arg: arg, must: required || arg && !optional, whole: arg || tag.Get("sep") == "none", into: into,
	}
}

// String, Set and IsBoolFlag make a Field a flag.Value.
func (f *Field) String() string { return "" }

// IsBoolFlag reports whether the flag may stand without a value.
func (f *Field) IsBoolFlag() bool { _, is := f.into.(*bool); return is }

func (f *Field) isList() bool { _, is := f.into.(*[]string); return is }

// Set takes one value. A list grows by it.
func (f *Field) Set(value string) (err error) {
	if all := strings.Split(f.enum, ","); f.enum != "" && !slices.Contains(all, value) {
		return errors.New("must be one of " + strings.Join(all, ", "))
	}
	switch into := f.into.(type) {
	case *string:
		*into = value
	case *bool:
		if *into, err = strconv.ParseBool(value); err != nil {
			return errors.New("must be true or false")
		}
	case *time.Duration:
		if *into, err = time.ParseDuration(value); err != nil {
			return errors.New("must be a time such as 90s or 2m")
		}
	case *[]string:
		if f.whole {
			*into = append(*into, value)
		} else {
			*into = append(*into, strings.Split(value, ",")...)
		}
	}
	f.given = true
	return nil
}

// Parse reads a command line, without the program's name, and returns the Into of its
// verb with all fields set. It returns nil if help or the version was asked for, which
// is written to out; the word help in front is --help.
func (g *Grammar) Parse(words []string, out io.Writer) (into any, err error) {
	if len(words) > 0 && words[0] == "help" {
		words = slices.Concat([]string{"--help"}, words[1:])
	}
	verb, named := &g.Verbs[0], false
	all := g.Fields(verb)
	for plain := false; len(words) > 0; words = words[1:] {
		if !plain {
			if words, plain, err = flags(all, words); err != nil {
				return nil, err
			}
			if len(words) == 0 {
				break
			}
		}
		if i := slices.IndexFunc(g.Verbs, func(v Verb) bool { return v.Name == words[0] }); i >= 0 && !named {
			if all, err = g.choose(all, verb, &g.Verbs[i]); err != nil {
				return nil, err
			}
			verb, named = &g.Verbs[i], true
			continue
		}
		i := slices.IndexFunc(all, func(f *Field) bool { return f.arg && (!f.given || f.isList()) })
		if i < 0 {
			return nil, errors.New("unexpected argument " + words[0])
		}
		if err := all[i].Set(words[0]); err != nil {
			return nil, err
		}
	}
	switch {
	case *all[0].into.(*bool):
		_, err = io.WriteString(out, g.help(named, verb, all))
	case *all[1].into.(*bool):
		_, err = io.WriteString(out, g.Version+"\n")
	default:
		return verb.Into, fill(all)
	}
	return nil, err
}

// flags reads the flags at the beginning of words and returns what follows. plain means
// that no flag does: "--" stood between.
func flags(all []*Field, words []string) (rest []string, plain bool, err error) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range all {
		if !f.arg {
			set.Var(f, f.Name, "")
		}
		if f.Short != "" {
			set.Var(f, f.Short, "")
		}
	}
	err = set.Parse(words)
	rest = set.Args()
	for i, word := range words[:len(words)-len(rest)] {
		plain = word == "--"
		if i == 0 || len(word) < 2 || word[0] != '-' || !strings.HasPrefix(words[i-1], "-") {
			continue
		}
		if f := set.Lookup(strings.TrimLeft(words[i-1], "-")); f != nil && !f.Value.(*Field).IsBoolFlag() {
			return nil, false, fmt.Errorf("--%s needs a value. If %s is meant to be it, write --%[1]s=%[2]s", f.Name, word)
		}
	}
	return rest, plain, spelled(err)
}

// spelled returns an error of package flag with the flag as the help writes it.
func spelled(err error) error {
	if err == nil {
		return nil
	}
	why, name, of := strings.Cut(err.Error(), ": -")
	if of && utf8.RuneCountInString(name) > 1 {
		name = "-" + name
	}
	switch why {
	case "flag provided but not defined":
		return errors.New("unknown flag -" + name)
	case "flag needs an argument":
		return fmt.Errorf("-%s needs a value", name)
	}
	return err
}

// choose returns the fields of a verb that is named. Flags before it were those of the
// verb from.
func (g *Grammar) choose(all []*Field, from, v *Verb) ([]*Field, error) {
	if v == from {
		return all, nil
	}
	own := len(common())
	for _, f := range all[own:] {
		if f.given {
			return nil, fmt.Errorf("--%s in front of %s is a flag of %s: write flags behind the verb", f.Name, v.Name, from.Name)
		}
	}
	return append(all[:own:own], g.Fields(v)[own:]...), nil
}

// fill sets each field that was not given from its variable, or to its default. An
// empty variable is none: an address may not become "", which is every one.
func fill(all []*Field) error {
	var flags, arguments []string
	for _, f := range all {
		if f.given {
			continue
		}
		value := os.Getenv(f.Env)
		switch {
		case value != "":
			if err := f.Set(value); err != nil {
				return fmt.Errorf("invalid value %q of the variable %s: %w", value, f.Env, err)
			}
		case f.initial != "":
			if err := f.Set(f.initial); err != nil {
				return err
			}
		case f.must && f.arg:
			arguments = append(arguments, f.usage())
		case f.must:
			flags = append(flags, f.usage())
		}
	}
	if flags != nil {
		return errors.New("missing flags: " + strings.Join(flags, ", "))
	}
	if arguments != nil {
		return errors.New("missing: " + strings.Join(arguments, " "))
	}
	return nil
}
