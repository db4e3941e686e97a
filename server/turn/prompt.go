package turn

import (
	_ "embed"
	"strings"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/server/project"
)

//go:embed rules.md
var rules string

// systemText returns what a dialog's model is told first, and once: the project,
// doc-main.md whole, then the rules that all agents have.
func systemText(name, doc string) string {
	var b strings.Builder
	b.WriteString("You are an agent in Vibey, a workspace where people and agents coordinate through markdown. The project is \"" + name + "\".\n\n")
	if strings.TrimSpace(doc) == "" {
		b.WriteString("[" + project.MainDoc + "] This project has no " + project.MainDoc + " yet. Ask what should exist, or propose a first text for it.\n\n")
	} else {
		b.WriteString("[" + project.MainDoc + " — the project's leading doc, whole. It says what should exist and how to work.]\n\n")
		b.WriteString(strings.TrimRight(doc, "\n"))
		b.WriteString("\n\n[end of " + project.MainDoc + "]\n\n")
	}
	b.WriteString(strings.TrimRight(rules, "\n"))
	return b.String()
}

// toolsJSON returns the tools as a System section has them.
func toolsJSON(specs []dialog.ToolSpec) (string, error) {
	b, err := jsontext.Marshal(specs)
	return string(b), err
}
