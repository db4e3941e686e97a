package git

import "strings"

// setting is one setting of a config, as git reads it.
type setting struct {
	section, name string // in lower case; the name of a subsection is left out
	value         string
}

// readSettings reads a config as git does, and goes on where git gives up: for
// what is done for a human's sake, too much is better than too little. What git
// is allowed to run is for parseConfig to say.
func readSettings(text string) (all []setting) {
	r := &settingReader{rest: strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")}
	section := ""
	for r.rest != "" {
		switch c := r.rest[0]; {
		case c == '#' || c == ';':
			r.line()
		case c == '[':
			section = r.section()
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			all = append(all, setting{section, r.name(), r.value()})
		default: // a blank, or what git does not read
			r.rest = r.rest[1:]
		}
	}
	return all
}

type settingReader struct{ rest string }

// line reads to the end of a line.
func (r *settingReader) line() (line string) {
	line, r.rest, _ = strings.Cut(r.rest, "\n")
	return line
}

// section reads a heading, and returns its first word.
func (r *settingReader) section() string {
	quoted := false
	for i := 1; i < len(r.rest) && r.rest[i] != '\n'; i++ {
		switch c := r.rest[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			head := r.rest[1:i]
			r.rest = r.rest[i+1:]
			if end := strings.IndexAny(head, " \t\"."); end >= 0 { // "." was the old way
				head = head[:end]
			}
			return strings.ToLower(head)
		}
	}
	r.line()
	return ""
}

func (r *settingReader) name() string {
	end := strings.IndexFunc(r.rest, func(c rune) bool {
		return !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-')
	})
	if end < 0 {
		end = len(r.rest)
	}
	name := r.rest[:end]
	r.rest = strings.TrimLeft(r.rest[end:], " \t")
	return strings.ToLower(name)
}

// value reads what stands behind a name: from "=" to the end of the line, or of the
// lines, if there is a "\" at their ends.
func (r *settingReader) value() string {
	rest, ok := strings.CutPrefix(r.rest, "=")
	if !ok {
		r.line()
		return ""
	}
	var b strings.Builder
	quoted, comment, kept := false, false, 0 // kept: blanks at the end are none of it, unless quoted
	i := 0
	for ; i < len(rest) && rest[i] != '\n'; i++ {
		switch c := rest[i]; {
		case comment:
		case (c == '#' || c == ';') && !quoted:
			comment = true
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case c == '\\' && i+1 < len(rest) && rest[i+1] == '\n':
			i++
		case c == '\\' && i+1 < len(rest):
			i++
			b.WriteByte(unescaped(rest[i]))
			kept = b.Len()
		case c == '\\': // the last byte of the file
		case (c == ' ' || c == '\t') && !quoted:
			if b.Len() > 0 {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
			kept = b.Len()
		}
	}
	r.rest = rest[i:]
	return b.String()[:kept]
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
