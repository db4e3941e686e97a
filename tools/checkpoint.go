package tools

import (
	"context"
)

type checkpointInput struct {
	Goal        string `json:"goal" jsonschema:"minLength=1"`
	Findings    string `json:"findings" jsonschema:"minLength=1"`
	Proposal    string `json:"proposal" jsonschema:"minLength=1"`
	Description string `json:"description,omitempty"`
}

// passed is the body of the result of checkpoint. What was said stands in the
// request, and is not repeated.
type passed struct {
	Success bool   `json:"success"`
	Note    string `json:"note"`
}

// checkpoint does nothing: that it succeeded is what opens the next phase.
func checkpoint(context.Context, Env, checkpointInput) Result {
	return Result{Success: true, body: &passed{true, "The human sees this checkpoint. Calls that change something may be made now; each still asks as it always does. Verify what you changed before you end."}}
}
