package anthropic

import "strings"

// Which models think when asked to with {"type":"adaptive"}. Others answer 400
// to it, so it is sent to these alone, by the beginning of their name; the
// newest think without being asked, and their blocks travel back all the same.
// Source: platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting,
// "Thinking support, defaults, and rejected configurations by model", 2026-11-21.
// What a model's summary shows is up to display, which the newest omit by default.
var adaptiveModels = []string{
	"claude-fable-5", "claude-mythos-5",
	"claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6",
	"claude-sonnet-5", "claude-sonnet-4-6",
	"claude-haiku-5",
}

func adaptive(model string) bool {
	for _, m := range adaptiveModels {
		if strings.HasPrefix(model, m) {
			return true
		}
	}
	return false
}

// maxTokens is how much a model may write in one response. The API demands a
// number, and refuses one above the model's own limit: 128K for those that
// think adaptively, 64K for the 4.5 family, 32K for Opus 4. 64,000 leaves room
// for a large file in one call; a model we don't know gets what any can do.
func maxTokens(model string) int {
	switch {
	case adaptive(model), strings.HasPrefix(model, "claude-opus-4-5"), strings.HasPrefix(model, "claude-sonnet-4"), strings.HasPrefix(model, "claude-haiku-4-5"):
		return 64_000
	case strings.HasPrefix(model, "claude-opus-4"):
		return 32_000
	}
	return 8_192
}
