package crash

import (
	"fmt"
	"slices"
	"strings"

	"vibey/dialog"
)

// oldRead is the control: it reads the sections of a dialog as the format's
// reader did before zeros meant anything. A line "## Role" outside of a payload
// opens a section, and a fence opens a payload, whatever stands before them.
func oldRead(text string) (secs []dialog.Section) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if role, ok := strings.CutPrefix(line, "## "); ok && slices.Contains(oldRoles, dialog.Role(role)) {
			secs = append(secs, dialog.Section{Role: dialog.Role(role)})
			continue
		}
		if len(secs) == 0 {
			continue
		}
		s := &secs[len(secs)-1]
		typ, fenced := strings.CutPrefix(line, "əəə")
		switch id, ok := strings.CutPrefix(line, "> Id: "); {
		case ok && s.ID == "" && len(s.Payloads) == 0:
			s.ID = id
		case fenced && typ != "" && !strings.HasPrefix(typ, "ə"):
			n := slices.Index(lines[i+1:], "əəə")
			if n < 0 {
				return secs[:len(secs)-1] // a torn tail
			}
			body := slices.Clone(lines[i+1 : i+1+n])
			for k, l := range body {
				if strings.HasPrefix(l, "əəəə") {
					body[k] = l[len("ə"):]
				}
			}
			s.Payloads = append(s.Payloads, dialog.Payload{Type: typ, Text: strings.Join(body, "\n")})
			i += n + 1
		}
	}
	return secs
}

var oldRoles = []dialog.Role{dialog.User, dialog.Assistant, dialog.ToolRequest, dialog.ToolResult, dialog.Authorization, dialog.System, dialog.Reasoning, dialog.Note, dialog.Summary}

// readOld tells which of the promises the old reader breaks in a state with
// holes: a section that counts with what was never written in it.
func (s *state) readOld() (broken []string) {
	for id, truth := range s.truth {
		text, ok := s.text(id)
		if !ok || !holed(text) {
			continue
		}
		for _, sec := range oldRead(text) {
			var want []dialog.Payload
			if at := truth.Find(sec.Role, sec.ID); at >= 0 {
				want = truth.Sections[at].Payloads
			}
			if n := len(sec.Payloads); n > len(want) || !slices.Equal(want[:n], sec.Payloads) {
				broken = append(broken, fmt.Sprintf("%s: the %s %q counts and was never written so: %.80q", id, sec.Role, sec.ID, sec.Payloads[n-1].Text))
			}
		}
	}
	return broken
}
