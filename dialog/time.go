package dialog

import (
	"strings"
	"time"
)

// FormatTime is a time as it stands in a file.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Span is a section's time from start to end. A clock that was set back in
// between does not make a section end before it began.
func Span(start, end time.Time) string {
	if end.Before(start) {
		end = start
	}
	return FormatTime(start) + " - " + FormatTime(end)
}

// Start is the first of the two times, "" where there is none.
func (s *Section) Start() string { a, _, _ := strings.Cut(s.Time, " - "); return a }

// End is the second of the two times, "" where there is none.
func (s *Section) End() string { _, b, _ := strings.Cut(s.Time, " - "); return b }
