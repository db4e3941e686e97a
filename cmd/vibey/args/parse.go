package args

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a command line, without the program's name, and returns the Into of its
// verb with all fields set. It returns nil where help or the version was asked for, which
// is written to out.
func (g *Grammar) Parse(words []string, out io.Writer) (into any, err error) {
	p := &parser{g: g, verb: &g.Verbs[0], rest: words}
	p.fields = g.Fields(p.verb)
	if err := p.read(); err != nil {
		return nil, err
	}
	switch {
	case p.asked("help"):
		_, err = io.WriteString(out, g.help(p.named, p.verb, p.fields))
	case p.asked("version"):
		_, err = io.WriteString(out, g.Version+"\n")
	default:
		return p.verb.Into, p.fill()
	}
	return nil, err
}

type parser struct {
	g      *Grammar
	verb   *Verb
	named  bool // the verb was
	fields []*Field
	rest   []string
}

// read takes each word as a flag, a verb or an argument.
func (p *parser) read() (err error) {
	plain := false // all words are arguments
	for err == nil && len(p.rest) > 0 {
		word := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case plain || word == "-" || !strings.HasPrefix(word, "-"):
			err = p.word(word)
		case word == "--":
			plain = true
		case strings.HasPrefix(word, "--"):
			name, value, has := strings.Cut(word, "=")
			err = p.flag(name, value, has)
		default:
			err = p.short(word[1:])
		}
	}
	return err
}

// word takes a verb or an argument.
func (p *parser) word(word string) error {
	var verbs []string
	if !p.named {
		for i := range p.g.Verbs {
			v := &p.g.Verbs[i]
			if verbs = append(verbs, v.Name); v.Name == word {
				return p.choose(v)
			}
		}
	}
	for _, f := range p.fields {
		if f.arg && (!f.given || f.isList()) {
			return f.set(word)
		}
	}
	return errors.New("unexpected argument " + word + meant(word, verbs))
}

// choose goes on with a verb that is named. Flags before it were the first verb's.
func (p *parser) choose(v *Verb) error {
	common, fields := p.fields[:len(p.g.common())], p.fields
	p.named = true
	if v == p.verb {
		return nil
	}
	for _, f := range fields[len(common):] {
		if f.given {
			return fmt.Errorf("--%s in front of %s is a flag of %s: write flags behind the verb", f.Name, v.Name, p.verb.Name)
		}
	}
	p.verb = v
	p.fields = append(common, p.g.Fields(v)[len(common):]...)
	return nil
}

// flag takes a flag by its written name, --idle or -p. has tells whether a value came
// with it.
func (p *parser) flag(name, value string, has bool) error {
	var there []string
	for _, f := range p.fields {
		if f.arg {
			continue
		}
		there = append(there, "--"+f.Name)
		if name != "--"+f.Name && (f.Short == "" || name != "-"+f.Short) {
			continue
		}
		switch {
		case has:
		case f.isBool():
			value = "true"
		case len(p.rest) == 0:
			return fmt.Errorf("--%s needs a value: %s", f.Name, f.usage())
		case p.rest[0] != "-" && strings.HasPrefix(p.rest[0], "-"):
			return fmt.Errorf("--%s needs a value: %s. If %s is meant to be it, write --%s=%[3]s", f.Name, f.usage(), p.rest[0], f.Name)
		default:
			value, p.rest = p.rest[0], p.rest[1:]
		}
		return f.set(value)
	}
	return errors.New("unknown flag " + name + meant(name, there))
}

// short takes short flags, with what may stand behind the last one: its value.
func (p *parser) short(letters string) error {
	for i, c := range letters {
		letter := string(c)
		behind := letters[min(i+len(letter), len(letters)):]
		switches := slices.ContainsFunc(p.fields, func(f *Field) bool { return f.Short == letter && f.isBool() })
		if !switches && behind != "" {
			return p.flag("-"+letter, strings.TrimPrefix(behind, "="), true)
		}
		if err := p.flag("-"+letter, "", false); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) asked(name string) bool {
	return slices.ContainsFunc(p.fields, func(f *Field) bool { return f.Name == name && !f.arg && f.given && f.into.Bool() })
}

// fill sets what was not given, and checks what is there.
func (p *parser) fill() error {
	var flags, arguments []string
	for _, f := range p.fields {
		if err := f.fill(); err != nil {
			return err
		}
		switch {
		case f.given || !f.must:
		case f.arg:
			arguments = append(arguments, f.usage())
		default:
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

// fill sets a field that was not given from its variable, or to what it is without. An
// empty variable is none: an address may not become "", which is every one.
func (f *Field) fill() error {
	if f.given {
		return nil
	}
	f.into.SetZero()
	if value := os.Getenv(f.Env); f.Env != "" && value != "" {
		if err := f.set(value); err != nil {
			return fmt.Errorf("%w (from the variable %s)", err, f.Env)
		}
		return nil
	}
	if f.initial == "" {
		return nil
	}
	err := f.set(f.initial)
	f.given = false
	return err
}

// set takes one value that is given. The first of a list replaces what was there.
func (f *Field) set(value string) error {
	if len(f.enum) > 0 && !slices.Contains(f.enum, value) {
		return fmt.Errorf("--%s must be one of %s, and not %q", f.Name, strings.Join(f.enum, ", "), value)
	}
	switch into := f.into.Addr().Interface().(type) {
	case *string:
		*into = value
	case *bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("--%s must be true or false, and not %q", f.Name, value)
		}
		*into = b
	case *time.Duration:
		d, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("--%s must be a time such as 90s or 2m, and not %q", f.Name, value)
		}
		*into = d
	case *[]string:
		if !f.given {
			*into = nil
		}
		items := []string{value}
		if !f.whole && !f.arg {
			items = strings.Split(value, ",")
		}
		*into = append(*into, items...)
	}
	f.given = true
	return nil
}

// meant suggests those of there that word begins, or that are two letters off at most;
// "" where there is none.
func meant(word string, there []string) string {
	var near []string
	for _, t := range there {
		if len(word) > 2 && (strings.HasPrefix(t, word) || distance(word, t) <= 2) {
			near = append(near, t)
		}
	}
	if near == nil {
		return ""
	}
	return ", did you mean " + strings.Join(near, " or ") + "?"
}

// distance is how many letters must be put in, left out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, last+1, row[j]+1)
		}
	}
	return row[len(b)]
}
