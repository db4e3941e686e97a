package dialog

import (
	"encoding/json"
	"strings"
)

// UserInput is the words of a User section: its markdown, or its JSON's text, or else
// the JSON as it is; several payloads a blank line apart. A payload of another type is
// none of the human's words: a passage (UserMessage), or what damage brought there.
func UserInput(s *Section) string {
	if len(s.Payloads) == 1 && isInput(s.Payloads[0]) {
		return inputText(s.Payloads[0])
	}
	var parts []string
	for _, p := range s.Payloads {
		if isInput(p) {
			parts = append(parts, inputText(p))
		}
	}
	return strings.Join(parts, "\n\n")
}

func isInput(p Payload) bool { return strings.HasPrefix(p.Type, "input/") }

func inputText(p Payload) string {
	if p.Type != InputJSON {
		return p.Text
	}
	var in struct {
		Text *string `json:"text"`
	}
	if json.Unmarshal([]byte(p.Text), &in) == nil && in.Text != nil {
		return *in.Text
	}
	return p.Text
}
