package brief

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"vibey/server/project"
	"vibey/tools/codebase"
	"vibey/tools/instructions"
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

// deedText is what a model reads of the deed, read once for each prompt.
type deedText struct {
	instructions string // of the deed itself, and the skills, as the package instructions writes them; "" if there are none
	codebase     string // what the deed holds, as the package codebase writes it
}

// readDeed reads the deedText as the deed stands now.
func readDeed(p *project.Project, deeds *codebase.Cache) (deedText, error) {
	deed, state, err := openDeed(p)
	if err != nil {
		return deedText{}, err
	}
	if deed != nil {
		defer deed.Close()
		state = deeds.Summary(deed)
	}
	text, err := instructions.Text(deed, p.Root(), p.DocNames)
	if err != nil {
		return deedText{}, fmt.Errorf("what the deed tells agents could not be read: %w", err)
	}
	return deedText{text, state}, nil
}

// openDeed opens the deed's folder. If the folder can't be read, which may last, deed is nil
// and state is what the model reads of that. An error is one of the machine.
func openDeed(p *project.Project) (deed *os.Root, state string, err error) {
	dir, err := p.DeedDir()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, codebase.Empty, nil // the first write makes it
	}
	if err != nil {
		return nil, codebase.Unreadable, nil // a link that leads out of bounds is not read
	}
	deed, err = os.OpenRoot(dir)
	if instructions.Broken(err) != nil {
		return nil, "", fmt.Errorf("the deed could not be opened: %w", err)
	}
	if err != nil {
		return nil, codebase.Unreadable, nil
	}
	return deed, "", nil
}
