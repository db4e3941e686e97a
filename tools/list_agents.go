package tools

import (
	"context"

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
