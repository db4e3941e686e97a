package tools

import (
	"context"
	"strings"
)

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
