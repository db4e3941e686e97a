package brief

import (
	_ "embed"
	"strings"

	"vibey/server/project"
)

//go:embed rules.md
var rules string

//go:embed agentrules.md
var agentRules string

// briefing is what a dialog's model reads of its project.
type briefing struct {
	project      string
	doc          string // doc-main.md whole, "" if there is none
	instructions string // see the package instructions; "" if there are none
	codebase     string // see the package codebase
	plan         string // "" if there is none
	agent        bool   // an agent over ACP, which has its own tools and rules
}

// systemText returns what a dialog's model reads first, and once: who the project is
// for, doc-main.md whole, the deed's instructions, what the deed holds, the plan,
// then the rules that all agents have.
func systemText(of briefing) string {
	var b strings.Builder
	b.WriteString("You are an agent in Vibey. The project is \"" + of.project + "\".\n")
	b.WriteString(identify(of.doc).lines())
	b.WriteString("Vibey is a workspace where people and agents coordinate through markdown.\n\n")
	if strings.TrimSpace(of.doc) == "" {
		b.WriteString("[" + project.MainDoc + "] This project has no " + project.MainDoc + " yet. Ask what should exist, or propose a first text for it.\n\n")
	} else {
		b.WriteString("[" + project.MainDoc + " — the project's leading doc, whole. It says what should exist and how to work.]\n\n")
		b.WriteString(strings.TrimRight(of.doc, "\n"))
		b.WriteString("\n\n[end of " + project.MainDoc + "]\n\n")
	}
	how := rules
	if of.agent {
		how = agentRules
	}
	for _, part := range []string{of.instructions, of.codebase, of.plan, how} {
		if part != "" {
			b.WriteString(strings.TrimRight(part, "\n") + "\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
