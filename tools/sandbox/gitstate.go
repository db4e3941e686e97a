package sandbox

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// stateFiles are the files in a repository's folders by which git goes on with a
// rebase, or picks more commits, some time later: those of them that can name a
// program. Source: sequencer.c and builtin/rebase.c of git 2.51.
var stateFiles = map[string][]string{
	"rebase-merge": {"git-rebase-todo", "strategy"},
	"rebase-apply": {"strategy"},
	"sequencer":    {"opts"},
}

// strategies are the ways to merge that are part of git. For another, x/y, it
// runs git-merge-x/y in the work tree.
var strategies = wordSet("ort recursive resolve octopus ours subtree")

// harmlessState reports whether git runs nothing by what stands at a path in one of
// stateFiles' folders, or in the place of such a folder, but what it would have
// run by what stood there before.
func harmlessState(name string, was, is gitItem) bool {
	if is.Link || is.Big {
		return false
	}
	var list func(gitItem) []string
	switch strings.ToLower(path.Base(name)) {
	case "git-rebase-todo":
		list = commandSteps
	case "strategy":
		list = func(i gitItem) []string { return []string{strings.TrimSpace(string(i.Text))} }
	case "opts":
		list = optStrategies
	default: // no plain folder
		return false
	}
	known := list(was)
	return !slices.ContainsFunc(list(is), func(s string) bool { return !strategies[s] && !slices.Contains(known, s) })
}

// commandSteps are the steps of a rebase that run a command.
func commandSteps(todo gitItem) (all []string) {
	for _, m := range runsStep.FindAll(todo.Text, -1) {
		all = append(all, string(m))
	}
	return all
}

var runsStep = regexp.MustCompile(`(?m)^\s*(x|exec)\b.*`)

// optStrategies are the strategies that the options of a sequence name, and the
// lines that can be read in two ways.
func optStrategies(opts gitItem) (all []string) {
	for _, l := range parseConfig(string(opts.Text)) {
		switch {
		case !l.strict:
			all = append(all, l.text)
		case l.name == "strategy":
			all = append(all, l.value)
		}
	}
	return all
}

// harmlessRemote reports whether a file in remotes or branches, which name other
// repositories as configs did not yet, names one on another machine.
func harmlessRemote(is gitItem) bool {
	if is.Link || is.Big {
		return false
	}
	for line := range strings.Lines(string(is.Text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Push:") || strings.HasPrefix(line, "Pull:") || line == "" {
			continue
		}
		line, _ = strings.CutPrefix(line, "URL:")
		if line, _, _ = strings.Cut(line, "#"); !remoteAddress.MatchString(strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}
