package dialog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// SectionMost is how many bytes the payloads of a section have together, where a
	// server writes it. What a text has beyond stands in a file, which its last line names.
	SectionMost = 16 << 20
	// TextMost is how many bytes stay of a text that is cut: the line has room behind them.
	TextMost = SectionMost - 512
)

// RestFolder is the folder of a project that holds what was cut off.
const RestFolder = ".rest"

const restEnd = ".txt"

// RestName returns the name in RestFolder of the n-th file, from 1 on, of a dialog.
func RestName(id string, n int) string { return id + "." + strconv.Itoa(n) + restEnd }

// RestOwner returns the id of the dialog that a file of RestFolder belongs to; ok is
// false for a name that RestName does not return.
func RestOwner(name string) (id string, ok bool) {
	bare := strings.TrimSuffix(name, restEnd)
	i := max(strings.LastIndexByte(bare, '.'), 0)
	n, _ := strconv.Atoi(strings.TrimPrefix(bare[i:], "."))
	id = bare[:i]
	return id, n > 0 && ValidID(id) && RestName(id, n) == name
}

// The words around the name of a file, in the line behind a text that was cut.
const (
	restBefore = "\n[… cut here, since a section has 16 MiB at most. The rest of this text stands in the project's file " + RestFolder + "/"
	restBehind = " …]"
)

// RestLine returns what stands behind the head of a text whose rest is in that file of
// RestFolder: a line feed and a line.
func RestLine(name string) string { return restBefore + name + restBehind }

// RestOf returns the file of RestFolder that the last line of a text names.
func RestOf(text string) (name string, ok bool) {
	i := strings.LastIndexByte(text, '\n')
	if i < 0 || !strings.HasPrefix(text[i:], restBefore) {
		return "", false
	}
	name, ok = strings.CutSuffix(text[i+len(restBefore):], restBehind)
	if _, is := RestOwner(name); !ok || !is {
		return "", false
	}
	return name, true
}

// HeadLen returns how many bytes the longest head of a text has that ends with a whole
// character and is no longer than most.
func HeadLen(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	n := most
	for back := 1; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(text[n]); back++ {
		n--
	}
	return n
}

// Bound returns s with payloads of at most SectionMost bytes together. keep puts what is
// cut off a text into a file of RestFolder and returns its name. A payload gives way to
// those behind it, but for half of what it may have.
func Bound(s Section, keep func(rest string) (name string, err error)) (Section, error) {
	behind := s.Bytes()
	if behind <= SectionMost {
		return s, nil
	}
	bounded := append([]Payload(nil), s.Payloads...)
	room := TextMost
	for i := range bounded {
		p := &bounded[i]
		behind -= len(p.Text)
		if n := HeadLen(p.Text, max(room-behind, room/2)); n < len(p.Text) {
			name, err := keep(p.Text[n:])
			if err != nil {
				return s, err
			}
			p.Text = p.Text[:n] + RestLine(name)
		}
		room = max(room-len(p.Text), 0)
	}
	s.Payloads = bounded
	return s, nil
}

// Bytes is how many bytes the payloads of s have together.
func (s *Section) Bytes() (n int) {
	for i := range s.Payloads {
		n += len(s.Payloads[i].Text)
	}
	return n
}

// LongInput reports whether a call's input has more than a section holds, cut or whole.
func LongInput(input string) bool { return len(input) > TextMost }
