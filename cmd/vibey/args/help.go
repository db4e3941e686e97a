package args

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// The columns of a help: its whole width where the variable COLUMNS does not tell, and
// where the left one ends at most.
const (
	width = 80
	left  = 30
)

// help is the help of the program, or of a verb that was named.
func (g *Grammar) help(named bool, v *Verb, fields []*Field) string {
	h := &helpText{width: columns()}
	var arguments, flags [][2]string
	if !named {
		fields = g.common()
	}
	var musts, words []string
	for i, f := range fields {
		text := g.replace(f.told())
		switch {
		case f.arg:
			words = append(words, f.usage())
			arguments = append(arguments, [2]string{f.usage(), text})
		case f.Short != "":
			flags = append(flags, [2]string{"-" + f.Short + ", " + f.usage(), text})
		default:
			flags = append(flags, [2]string{"    " + f.usage(), text})
		}
		if f.must && !f.arg {
			musts = append(musts, f.usage())
		}
		if i == len(g.common())-1 && named {
			flags = append(flags, [2]string{}) // a line between those of all verbs and its own
		}
	}
	if !named {
		h.line("Usage: " + g.Name + " <command> [flags]")
		h.part(g.About)
		h.table("Flags:", flags)
		var verbs [][2]string
		for _, v := range g.Verbs {
			verbs = append(verbs, [2]string{v.Name, v.Help})
		}
		h.table("Commands:", verbs)
		h.part(`Run "` + g.Name + ` <command> --help" for more information on a command.`)
		return h.String()
	}
	h.line("Usage: " + strings.Join(slices.Concat([]string{g.Name, v.Name}, musts, words, []string{"[flags]"}), " "))
	h.part(v.Help)
	if more, ok := v.Into.(interface{ Help() string }); ok {
		h.part(more.Help())
	}
	h.table("Arguments:", arguments)
	h.table("Flags:", flags)
	return h.String()
}

// told is a field's help, with the variable that may set it.
func (f *Field) told() string {
	if f.Env == "" {
		return f.Help
	}
	text, dot := strings.CutSuffix(f.Help, ".")
	text += " ($" + f.Env + ")"
	if dot {
		text += "."
	}
	return text
}

func (g *Grammar) replace(text string) string {
	for name, value := range g.Vars {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}
	return text
}

func columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n >= 60 {
		return n
	}
	return width
}

type helpText struct {
	strings.Builder
	width int
}

func (h *helpText) line(text string) {
	h.WriteString(strings.TrimRight(text, " ") + "\n")
}

// part is a paragraph.
func (h *helpText) part(text string) {
	h.line("")
	for _, l := range wrapped(text, h.width) {
		h.line(l)
	}
}

// table is rows of what there is and what it does. An empty one is left out.
func (h *helpText) table(title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	h.line("")
	h.line(title)
	wide := 0
	for _, r := range rows {
		if len(r[0]) < left {
			wide = max(wide, len(r[0]))
		}
	}
	indent := strings.Repeat(" ", 2+wide+4)
	for _, r := range rows {
		lead := "  " + r[0]
		for _, l := range wrapped(r[1], h.width-len(indent)) {
			if len(lead) > len(indent)-4 {
				h.line(lead)
				lead = ""
			}
			h.line(lead + indent[len(lead):] + l)
			lead = ""
		}
		if lead != "" {
			h.line(lead)
		}
	}
}

// wrapped cuts a text into lines of at most so many bytes, at blanks.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
