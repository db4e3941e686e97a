package tools

import (
	"context"
	"strings"

	"vibey/dialog"
)

type listAgentsInput struct {
	Description string `json:"description,omitempty"`
}

// Agent is one dialog of the project, as list_agents tells it.
type Agent struct {
	DialogID string        `json:"dialogId"`
	You      bool          `json:"you,omitempty"` // it is the one that asks
	Title    string        `json:"title" mask:"text"`
	Status   dialog.Status `json:"status"`
	Needs    string        `json:"needs"`
	Words    string        `json:"words" mask:"text"` // what it wants, or its last words: one line
	From     string        `json:"from,omitempty"`
}

// agentsMost is how many dialogs are told, those that were written last.
const agentsMost = 50

// listedAgents is the body of the result of list_agents.
type listedAgents struct {
	Success bool    `json:"success"`
	Agents  []Agent `json:"agents"`
	More    int     `json:"more,omitempty"`
}

func listAgents(_ context.Context, env Env, _ listAgentsInput) Result {
	all, err := env.Agents()
	if err != nil {
		return failed(ExecError, "the dialogs could not be listed: %v", err)
	}
	l := &listedAgents{Success: true, Agents: all[:min(len(all), agentsMost)]}
	l.More = len(all) - len(l.Agents)
	return Result{Success: true, body: l}
}

// LaunchInput is what launch_agent asks for. Slug may be empty.
type LaunchInput struct {
	Provider    string `json:"provider" jsonschema:"minLength=1"`
	Model       string `json:"model"`
	Prompt      string `json:"prompt" jsonschema:"minLength=1"`
	Slug        string `json:"slug,omitempty" jsonschema:"description=short name of the dialog"`
	Description string `json:"description,omitempty"`
}

type launched struct {
	Success  bool   `json:"success"`
	DialogID string `json:"dialogId"`
}

// launchAgent starts a sibling dialog and does not wait for it.
func launchAgent(ctx context.Context, env Env, in LaunchInput) Result {
	if strings.TrimSpace(in.Prompt) == "" {
		return notRun(Schema, "the prompt is blank. Tell the new agent what to do, with all that it needs to know.")
	}
	id, err := env.Launch(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return interrupted()
		}
		return failed(ExecError, "no agent was started: %v", err)
	}
	return Result{Success: true, body: &launched{Success: true, DialogID: id}}
}
