package texttag

import (
	_ "embed"
	"slices"
	"strings"

	"vibey/dialog/history"
	"vibey/provider"
)

//go:embed instructions.md
var howTo string

// howToBefore never changes: it is what each request of a dialog says whose System
// section, of an earlier version, does not tell of tags.
//
//go:embed instructions_before.md
var howToBefore string

// Instructions is what a model is told that calls its tools by tags: how, and what
// tools there are. It is "" where there are none.
func Instructions(tools []history.ToolSpec) string { return instructions(howTo, tools) }

// instructions writes nothing else for a dialog from before, see howToBefore.
func instructions(howTo string, tools []history.ToolSpec) string {
	if len(tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(howTo)
	if slices.ContainsFunc(tools, func(t history.ToolSpec) bool { return t.Name == shell }) {
		b.WriteString("- `<mcp:" + terminal + ">COMMAND</mcp:" + terminal + ">` is `" + shell + "`: all between the two is the command, as you would type it, on one line or several.\n")
	}
	b.WriteString("\n" + provider.ToolsHeading + "\n")
	for _, t := range tools {
		b.WriteString("\n`" + t.Name + "`: " + strings.TrimSpace(t.Description) + "\nArguments by this schema: " + string(t.Schema) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
