package turn

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"

	"vibey/dialog"
)

//go:embed rules.md
var rules string

// systemText is what a dialog's model is told first, for good: who it is for,
// doc-main.md whole, then the rules of the house.
func systemText(project, doc string) string {
	var b strings.Builder
	b.WriteString("You are an agent in Vibey, a workspace where people and agents coordinate through markdown. The project is \"" + project + "\".\n\n")
	if strings.TrimSpace(doc) == "" {
		b.WriteString("[" + docMain + "] This project has no " + docMain + " yet. Ask what should exist, or propose a first text for it.\n\n")
	} else {
		b.WriteString("[" + docMain + " — the project's leading doc, whole. It says what should exist and how to work.]\n\n")
		b.WriteString(strings.TrimRight(doc, "\n"))
		b.WriteString("\n\n[end of " + docMain + "]\n\n")
	}
	b.WriteString(strings.TrimRight(rules, "\n"))
	return b.String()
}

// toolsJSON is the tools as they stand in a System section.
func toolsJSON(specs []dialog.ToolSpec) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(specs)
	return strings.TrimSuffix(b.String(), "\n"), err
}
