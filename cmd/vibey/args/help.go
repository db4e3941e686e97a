package args

import (
	"slices"
	"strings"
	"time"
)

// The columns of a help: its whole width, and where the left one ends at most.
const (
	width = 80
	left  = 30
)

// help is the help of the program, or of a verb that was named.
func (g *Grammar) help(named bool, v *Verb, all []*Field) string {
	var arguments, flags, verbs [][2]string
	var musts, words []string
	for i, f := range all {
		text := f.Help
		for name, value := range g.Vars {
			text = strings.ReplaceAll(text, "${"+name+"}", value)
		}
		if f.Env != "" {
			text = strings.TrimSuffix(text, ".") + " ($" + f.Env + ")."
		}
		if i == len(common()) {
			flags = append(flags, [2]string{}) // a line between those of all verbs and its own
		}
		switch {
		case f.arg:
			words = append(words, f.usage())
			arguments = append(arguments, [2]string{f.usage(), text})
			continue
		case f.Short != "":
			flags = append(flags, [2]string{"-" + f.Short + ", " + f.usage(), text})
		default:
			flags = append(flags, [2]string{"    " + f.usage(), text})
		}
		if f.must {
			musts = append(musts, f.usage())
		}
	}
	if !named {
		for _, v := range g.Verbs {
			verbs = append(verbs, [2]string{v.Name, v.Help})
		}
		return "Usage: " + g.Name + " <command> [flags]\n" + paragraph(g.About) + table("Flags:", flags[:len(common())]) + table("Commands:", verbs) +
			"\nRun \"" + g.Name + " <command> --help\" for more information on a command.\n"
	}
	text := "Usage: " + strings.Join(slices.Concat([]string{g.Name, v.Name}, musts, words), " ") + " [flags]\n" + paragraph(v.Help)
	if more, ok := v.Into.(interface{ Help() string }); ok {
		text += paragraph(more.Help())
	}
	return text + table("Arguments:", arguments) + table("Flags:", flags)
}

// usage is how the field is written: --idle=120s, <id> ....
func (f *Field) usage() string {
	switch {
	case f.arg && f.isList():
		return "<" + f.Name + "> ..."
	case f.arg && f.must:
		return "<" + f.Name + ">"
	case f.arg:
		return "[<" + f.Name + ">]"
	case f.IsBoolFlag():
		return "--" + f.Name
	}
	word := f.placeholder
	if word == "" {
		word = f.initial
	}
	if _, is := f.into.(*time.Duration); word == "" && is {
		word = "DURATION"
	} else if word == "" {
		word = "TEXT"
	}
	if f.isList() && !f.whole {
		word += ",..."
	}
	return "--" + f.Name + "=" + word
}

func paragraph(text string) string {
	return "\n" + strings.Join(wrapped(text, width), "\n") + "\n"
}

// table is rows of what there is and what it does. An empty one is left out.
func table(title string, rows [][2]string) string {
	if len(rows) == 0 {
		return ""
	}
	wide := 0
	for _, r := range rows {
		if len(r[0]) < left {
			wide = max(wide, len(r[0]))
		}
	}
	lines := []string{"", title}
	indent := strings.Repeat(" ", 2+wide+4)
	for _, r := range rows {
		lead := "  " + r[0]
		if len(lead) > len(indent)-4 {
			lines, lead = append(lines, lead), ""
		}
		for _, l := range wrapped(r[1], width-len(indent)) {
			lines, lead = append(lines, strings.TrimRight(lead+indent[len(lead):]+l, " ")), ""
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// wrapped cuts a text into lines of at most so many bytes, at blanks. An empty text is
// one line.
func wrapped(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		line := &lines[len(lines)-1]
		switch {
		case *line == "":
			*line = word
		case len(*line)+1+len(word) > width:
			lines = append(lines, word)
		default:
			*line += " " + word
		}
	}
	return lines
}
