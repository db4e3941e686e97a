package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrField is a metadata key or value that is not one line of text.
var ErrField = errors.New("metadata must be one line without control characters or outer blanks")

// CheckSection tells why s must not be written: metadata is one line each, a
// payload's type too, its keys are those that the reader takes for keys, and no
// payload has a NUL. It is what stands between a provider's or a human's strings
// and the structure of a file. The error wraps ErrField or ErrNUL.
func CheckSection(s *Section) error {
	if roleOf(string(s.Role)) == "" {
		return fmt.Errorf("role %q: %w", s.Role, ErrField)
	}
	if err := checkValue("Id", s.ID); err != nil {
		return err
	}
	if err := checkValue("Time", s.Time); err != nil {
		return err
	}
	if err := checkFields(s.Meta, "Id", "Time", "Resources"); err != nil {
		return err
	}
	for _, p := range s.Payloads {
		if p.Type == "" || p.Type[0] == fence[0] {
			return fmt.Errorf("payload type %q: %w", p.Type, ErrField)
		}
		if err := checkValue("payload type", p.Type); err != nil {
			return err
		}
		if strings.IndexByte(p.Text, 0) >= 0 {
			return fmt.Errorf("payload %s: %w", p.Type, ErrNUL)
		}
	}
	return nil
}

// CheckHeader is CheckSection for a file's head.
func CheckHeader(h *Header) error {
	for _, f := range [...]Field{{"DialogId", h.DialogID}, {"Provider", h.Provider}, {"Model", h.Model}, {"Status", string(h.Status)}, {"Started", h.Started}} {
		if err := checkValue(f.Key, f.Value); err != nil {
			return err
		}
	}
	return checkFields(h.Meta, "DialogId", "Provider", "Model", "Status", "Started")
}

// checkFields checks lines of metadata. Taken are keys of lines that have a
// place of their own.
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

// OneLine tells whether v can stand as a metadata value.
func OneLine(v string) bool {
	if v != strings.TrimSpace(v) || !utf8.ValidString(v) {
		return false
	}
	for _, r := range v {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// Clean makes a metadata value of any string: what cannot stand there becomes
// a blank, and it is cut at max bytes.
func Clean(v string, max int) string {
	v = strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, v)
	if len(v) > max {
		for max > 0 && !utf8.RuneStart(v[max]) {
			max--
		}
		v = v[:max]
	}
	return strings.TrimSpace(v)
}
