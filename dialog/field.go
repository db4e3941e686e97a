package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Field is one "> Key: value" line. The value is one line without outer blanks.
type Field struct{ Key, Value string }

// Fields is metadata in the order of the file.
type Fields []Field

// Get returns the value of key, or "".
func (f Fields) Get(key string) string {
	for i := range f {
		if f[i].Key == key {
			return f[i].Value
		}
	}
	return ""
}

// Has reports whether key is present, even if its value is empty.
func (f Fields) Has(key string) bool {
	return slices.ContainsFunc(f, func(g Field) bool { return g.Key == key })
}

// With returns a copy of f in which key has value; a new key goes last. An
// empty value leaves f as it is, so that optional fields need no condition.
func (f Fields) With(key, value string) Fields {
	if value == "" {
		return f
	}
	out := make(Fields, len(f), len(f)+1)
	copy(out, f)
	for i := range out {
		if out[i].Key == key {
			out[i].Value = value
			return out
		}
	}
	return append(out, Field{key, value})
}

// ErrField is a metadata key or value that is not one line of text.
var ErrField = errors.New("metadata must be one line without control characters or outer blanks")

// OneLine reports whether v can be a metadata value: UTF-8 without control
// characters, line separators or outer blanks.
func OneLine(v string) bool {
	if v != strings.TrimSpace(v) || !utf8.ValidString(v) {
		return false
	}
	return !strings.ContainsFunc(v, breaksLine)
}

// breaksLine reports whether r is a control character or a line separator.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// List joins the first most of names by sep, and behind them the number of the others, if
// there are any, by the format more.
func List(names []string, most int, sep, more string) string {
	if over := len(names) - most; over > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf(more, over))
	}
	return strings.Join(names, sep)
}

// Clean makes a metadata value of any string: what OneLine refuses becomes a
// blank, and it is cut to max bytes at most, between two characters.
func Clean(v string, max int) string {
	v = strings.Map(func(r rune) rune {
		if breaksLine(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, v)
	v = v[:min(len(v), max)]
	return strings.TrimSpace(strings.ToValidUTF8(v, "")) // without half a character
}

// checkFields checks lines of metadata. taken are the keys that a Header or Section
// has a field of its own for.
func checkFields(fs Fields, taken ...string) error {
	for _, f := range fs {
		if g, _, ok := readField("> "+f.Key+":", 0); !ok || g.Key != f.Key || slices.Contains(taken, f.Key) {
			return fmt.Errorf("key %q: %w", f.Key, ErrField)
		}
		if err := checkValue(f.Key, f.Value); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(key, v string) error {
	if !OneLine(v) {
		return fmt.Errorf("%s %q: %w", key, v, ErrField)
	}
	return nil
}

// readField reads the line "> Key: value" at src[at:]; next is the start of the
// line behind it. ok is false where another line stands there.
func readField(src string, at int) (f Field, next int, ok bool) {
	if !strings.HasPrefix(src[at:], "> ") {
		return Field{}, at, false
	}
	key := at + len("> ")
	colon := key
	for colon < len(src) && isKeyByte(src[colon]) {
		colon++
	}
	n := colon - key
	if n == 0 || n > 32 || colon == len(src) || src[colon] != ':' || src[key] < 'A' || src[key] > 'Z' {
		return Field{}, at, false
	}
	end := lineEnd(src, colon)
	return Field{src[key:colon], strings.TrimSpace(src[colon+1 : end])}, min(end+1, len(src)), true
}

// isKeyByte reports whether a metadata key may have c. A key begins with a capital
// and has 32 bytes at most, so that few quotations look like a field.
func isKeyByte(c byte) bool { return isAlphanumeric(c) || c == ' ' || c == '-' }

func appendField(dst []byte, key, value string) []byte {
	dst = append(dst, "> "...)
	dst = append(dst, key...)
	dst = append(dst, ':')
	if value != "" {
		dst = append(append(dst, ' '), value...)
	}
	return append(dst, '\n')
}

// meta reads the metadata lines below a heading.
func (p *parser) meta(s *Section) {
	first := len(p.fields)
	for {
		f, next, ok := readField(p.src, p.at)
		if !ok || p.zero(p.at, next) {
			break
		}
		switch {
		case f.Key == "Id" && s.ID == "":
			s.ID = f.Value
		case f.Key == "Time" && s.Time == "":
			s.Time = f.Value
			s.lead = uint8(min(len(p.fields)-first, 255))
		case f.Key == "Resources" && s.noResources:
			if s.Resources, ok = parseResources(f.Value); !ok {
				p.problem(p.at, "field", "this Resources line has another form than in=<n> out=<n> total=<n> tools=<n> ms=<n>")
			}
			s.noResources = false
		default:
			if len(p.fields) == cap(p.fields) {
				own := p.fields[first:]
				p.fields = append(make([]Field, 0, min(slab, 32+2*cap(p.fields))+2*len(own)), own...)
				first = 0
			}
			p.fields = append(p.fields, f)
		}
		p.at = next
	}
	s.Meta = Fields(p.fields[first:len(p.fields):len(p.fields)])
}
