package git

import (
	"regexp"
	"slices"
	"strings"
)

// strategies are the ways to merge that are part of git. For another, x/y, it
// runs git-merge-x/y in the work tree.
var strategies = wordSet("ort recursive resolve octopus ours subtree")

// harmlessState reports whether git runs nothing by a file in which a rebase, or a
// sequence of picks, says how it goes on, but what it would have run before. Source:
// sequencer.c and builtin/rebase.c of git 2.51.
func (j *judge) harmlessState(e *entry) bool {
	list := steps[e.in[0]]
	if list == nil {
		return !isLink(j.After, e.Name)
	}
	now, ok := text(j.After, e.Name)
	was, _ := text(j.Before, e.Name)
	known := list(was)
	return ok && !slices.ContainsFunc(list(now), func(s string) bool { return !strategies[s] && !slices.Contains(known, s) })
}

// steps return what git may run by a file of that name.
var steps = map[string]func(text string) []string{
	"git-rebase-todo": func(text string) []string { return runsStep.FindAllString(text, -1) },
	"strategy":        func(text string) []string { return []string{strings.TrimSpace(text)} },
	"opts":            optStrategies,
}

var runsStep = regexp.MustCompile(`(?m)^\s*(x|exec)\b.*`)

// optStrategies are the strategies that the options of a sequence name, and the
// lines that can be read in two ways.
func optStrategies(text string) (all []string) {
	for _, l := range parseConfig(text) {
		switch {
		case !l.strict:
			all = append(all, l.text)
		case l.name == "strategy":
			all = append(all, l.value)
		}
	}
	return all
}
