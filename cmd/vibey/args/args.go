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
// field's in kebab case, or tag name. A flag stands over its environment variable, over
// its default. A list takes one value each time, or several with commas between them
// where sep is not "none". Fields of an embedded struct are the outer one's.
//
// No method is called by its name here: a program in which one is keeps every method of
// every type it has, for the linker can't know which.
package args

import (
	"reflect"
	"strings"
	"time"
	"unicode"
)

// Grammar is all that a program's command line may be.
type Grammar struct {
	Name    string // of the program
	About   string
	Version string
	Verbs   []Verb            // the first is meant where none is named
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
	initial     string // what it is where it is not given
	enum        []string
	arg         bool // an argument
	must        bool // it has to be given
	whole       bool // a value of a list is one item
	given       bool
	into        reflect.Value
}

// Fields returns a verb's flags and arguments, and those that every verb has.
func (g *Grammar) Fields(v *Verb) []*Field {
	return append(g.common(), fields(reflect.ValueOf(v.Into).Elem())...)
}

func (g *Grammar) common() []*Field {
	var help, version bool
	return []*Field{
		{Name: "help", Short: "h", Help: "Show context-sensitive help.", into: reflect.ValueOf(&help).Elem()},
		{Name: "version", Help: "Print the version.", into: reflect.ValueOf(&version).Elem()},
	}
}

func fields(v reflect.Value) (all []*Field) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Anonymous:
			all = append(all, fields(v.Field(i))...)
		case f.IsExported():
			all = append(all, newField(f, v.Field(i)))
		}
	}
	return all
}

// newField panics if a field is of another type than those that set knows.
func newField(f reflect.StructField, into reflect.Value) *Field {
	switch into.Addr().Interface().(type) {
	case *string, *bool, *time.Duration, *[]string:
	default:
		panic("args: the field " + f.Name + " can't be a " + f.Type.String())
	}
	tag := f.Tag
	_, arg := tag.Lookup("arg")
	_, required := tag.Lookup("required")
	_, optional := tag.Lookup("optional")
	one := &Field{
		Name: tag.Get("name"), Short: tag.Get("short"), Env: tag.Get("env"), Help: tag.Get("help"),
		placeholder: tag.Get("placeholder"), initial: tag.Get("default"),
		arg: arg, must: required || arg && !optional, whole: tag.Get("sep") == "none", into: into,
	}
	if one.Name == "" {
		one.Name = kebab(f.Name)
	}
	if enum := tag.Get("enum"); enum != "" {
		one.enum = strings.Split(enum, ",")
	}
	return one
}

// kebab is a field's name as a flag's: ApproveInFiles is approve-in-files.
func kebab(name string) string {
	var b strings.Builder
	small := false
	for _, c := range name {
		if small && unicode.IsUpper(c) {
			b.WriteByte('-')
		}
		small = unicode.IsLower(c)
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

func (f *Field) isBool() bool { return f.into.Kind() == reflect.Bool }
func (f *Field) isList() bool { return f.into.Kind() == reflect.Slice }

// usage is how the field is written: --idle=120s, <id> ....
func (f *Field) usage() string {
	switch {
	case !f.arg && f.isBool():
		return "--" + f.Name
	case !f.arg:
		return "--" + f.Name + "=" + f.value()
	case f.isList():
		return "<" + f.Name + "> ..."
	case !f.must:
		return "[<" + f.Name + ">]"
	}
	return "<" + f.Name + ">"
}

// value is the word that stands for a flag's value.
func (f *Field) value() string {
	word := f.placeholder
	switch {
	case word != "":
	case f.initial != "":
		word = f.initial
	case f.into.Type() == reflect.TypeFor[time.Duration]():
		word = "DURATION"
	default:
		word = "TEXT"
	}
	if f.isList() && !f.whole {
		word += ",..."
	}
	return word
}
