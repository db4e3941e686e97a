package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/provider/acp"
)

// adapters are the commands by which well-known agents speak ACP, of each the first one
// whose program is on PATH.
var adapters = []struct {
	name     string
	commands []string
}{
	{"claude", []string{"claude-agent-acp", "claude-code-acp"}},
	{"codex", []string{"codex-acp"}},
	{"gemini", []string{"gemini --experimental-acp"}}, // the newer --acp is unknown to older ones, and this one is known to both
	{"opencode", []string{"opencode acp"}},
}

// namedAgents returns the agents that flags define, then those of the state dir's file,
// then the well-known ones that lookPath finds. Of two with one name the first counts.
func namedAgents(flags []string, s *state, lookPath func(string) (string, error)) ([]acp.Agent, error) {
	out, err := defined("--agent", flags, s, "agents", parseAgent, func(a acp.Agent) string { return a.Name })
	if err != nil {
		return nil, err
	}
	named := func(name string) bool {
		return slices.ContainsFunc(out, func(a acp.Agent) bool { return a.Name == name })
	}
	for _, known := range adapters {
		for _, command := range known.commands {
			args := strings.Fields(command)
			if _, err := lookPath(args[0]); err == nil && !named(known.name) {
				a := acp.Agent{Name: known.name, Args: args}
				if a.Name == "opencode" {
					a.Env = []string{opencodePermission + "=" + opencodeAsks(os.Getenv(opencodePermission))}
				}
				out = append(out, a)
			}
		}
	}
	return out, nil
}

// parseAgent reads NAME=COMMAND. The command is split at blanks; no shell reads it.
func parseAgent(def string) (acp.Agent, error) {
	name, command, ok := strings.Cut(def, "=")
	args := strings.Fields(command)
	switch {
	case !ok || len(args) == 0:
		return acp.Agent{}, errors.New("an agent is defined as NAME=COMMAND, such as gemini=gemini --experimental-acp")
	case !filepath.IsAbs(args[0]) && strings.ContainsRune(args[0], filepath.Separator):
		return acp.Agent{}, fmt.Errorf("the program %q of the agent %s has a relative path, and an agent starts in an empty folder: write its whole path, or its name alone where the PATH leads to it", args[0], name)
	case !plainWord(name, 40):
		return acp.Agent{}, fmt.Errorf("the name %q is not 1 to 40 letters, digits, - or _", name)
	}
	return acp.Agent{Name: name, Args: args}, nil
}

// opencodePermission is the variable of which opencode reads permissions, which count
// before those of its files. It has no mode that asks.
const opencodePermission = "OPENCODE_PERMISSION"

// opencodeAsks returns permissions by which opencode asks before it changes a file, runs
// a command or fetches a page. set are those of the environment: what they deny stays
// denied, and what they say of other things stays.
func opencodeAsks(set string) string {
	permissions := map[string]any{}
	var all any
	if json.Unmarshal([]byte(set), &all) == nil {
		switch all := all.(type) {
		case map[string]any:
			permissions = all
		case string:
			permissions["*"] = all // what it means there
		}
	}
	for _, what := range []string{"edit", "bash", "webfetch"} {
		own, ok := permissions[what]
		if own != "deny" && (ok || permissions["*"] != "deny") {
			permissions[what] = "ask"
		}
	}
	b, err := json.Marshal(permissions)
	if err != nil {
		panic(err) // it was read as JSON
	}
	return string(b)
}
