package provider

import (
	"strings"

	"vibey/dialog/history"
)

// Tagged is a Provider that offers no tools to its server: its models call them by
// tags in their text.
type Tagged interface {
	Provider
	// Instructions is what a model must have read once to call these tools; its first
	// line is TagsHeading, and behind it comes ToolsHeading. It is "" without tools.
	// The caller puts them into the system text, or among the items of a history without
	// tools. Of tools that a history without ByTags has, Stream tells by itself.
	Instructions(tools []history.ToolSpec) string
}

// TagsInstead is a Provider whose server may answer that a model has no tools, with
// an error of KindNoTools.
type TagsInstead interface {
	// Tagged returns the provider that asks the same models without tools.
	Tagged() Tagged
}

// The lines by which the Instructions of a Tagged are found in a system text that has
// them, whatever else they say: the words of an old dialog stay as they were written.
const (
	TagsHeading  = "# How you call tools: by tags in your answer"
	ToolsHeading = "## The tools"
)

// CutInstructions cuts off the Instructions of a Tagged that end a system text. The
// caller knows that it ends with them, from its section's metadata: a doc within the
// text may have the same lines. ok is false for a text without them.
func CutInstructions(system string) (text string, ok bool) {
	i := strings.LastIndex("\n"+system, "\n"+TagsHeading+"\n")
	if i < 0 || !strings.Contains(system[i:], "\n"+ToolsHeading+"\n") {
		return system, false
	}
	return strings.TrimRight(system[:i], "\n"), true
}
