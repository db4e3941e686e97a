package dialog

import (
	"fmt"
	"strings"
)

// Section is one "## Role" with its metadata and payloads. Id, Time and
// Resources have fields of their own; Meta holds all other lines in order.
// A parsed section's strings are parts of the parsed text, not copies.
type Section struct {
	Role      Role
	ID        string
	Time      string // "<start> - <end>", RFC 3339 in UTC
	Resources Resources
	Meta      Fields
	Payloads  []Payload
	// Loose is hand-written text of a section that stands outside its fences.
	Loose string
	// Torn marks what a crash cut off or left zeros in: it is shown, and counts
	// for nothing.
	Torn bool
	// Void marks a section that ended every allow above it: an Authorization that is
	// not genuine, what is left of one in another section, or a Note that says so.
	// Only a grant.Builder sets it.
	Void bool

	lead        uint8 // how many lines of Meta stand above Time, as in the seed's tool sections
	noResources bool  // read from hand-written text without the line
	unclosed    bool  // a payload has no closing fence
	inner       bool  // a line within a payload begins with a fence
	lost        bool  // see Lost
	merged      bool  // lost, since a merge left two versions of it
	half        bool  // the text ends in a fence that may have been to open a payload
	bare        bool  // its payload stands there without a fence

	// Set by the index.
	answered bool  // a Tool Request that has its result
	same     int32 // the next section with this id, of another role; 0 for none

	off, end int // it is src[off:end] of the dialog
}

// Text is the text of the section's first payload, or "".
func (s *Section) Text() string {
	if len(s.Payloads) == 0 {
		return ""
	}
	return s.Payloads[0].Text
}

// Payload returns the text of the first payload of that type, or "".
func (s *Section) Payload(typ string) string {
	for i := range s.Payloads {
		if s.Payloads[i].Type == typ {
			return s.Payloads[i].Text
		}
	}
	return ""
}

// Tool is the tool a request or result names.
func (s *Section) Tool() string { return s.Meta.Get("Tool") }

// Kind is the kind of a Note.
func (s *Section) Kind() string { return s.Meta.Get("Kind") }

// CutOff reports whether s ends an answer of the model that did not come whole.
func (s *Section) CutOff() bool {
	stop := s.Meta.Get("Stop")
	return stop == "interrupted" || stop == "error" || stop == "length"
}

// CheckSection returns why s must not be written, or nil: metadata is one line each,
// a payload's type too, keys are such that the reader takes them for keys, and no
// payload has a NUL. With it no string of a provider or a human can change the
// structure of a file. The error wraps ErrField or ErrNUL.
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
	if s.Role == Authorization && s.Bytes() > SectionMost {
		return fmt.Errorf("control of %d bytes: %w", s.Bytes(), ErrField) // its Mac is over all of it
	}
	for _, p := range s.Payloads {
		if p.Type == "" || p.Type[0] == Fence[0] {
			return fmt.Errorf("payload type %q: %w", p.Type, ErrField)
		}
		if err := checkValue("payload type", p.Type); err != nil {
			return err
		}
		if strings.Contains(p.Text, "\x00") {
			return fmt.Errorf("payload %s: %w", p.Type, ErrNUL)
		}
	}
	return nil
}

// written reports whether s has metadata of its own, as all that a server writes.
func (s *Section) written() bool { return s.ID != "" || s.Time != "" || !s.noResources }

// hasMeta reports whether any line of metadata stands in s.
func (s *Section) hasMeta() bool { return s.written() || len(s.Meta) > 0 }

// IsBlank reports whether text has nothing but white space: a provider would refuse it as
// empty.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }
