package provider

import "testing"

func TestSees(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-opus-5-5": true, "anthropic/claude-sonnet-4.5": true, "claude-2.1": false, "GPT-5.1": true, "gpt-oss-120b": false, "gpt-3.5-turbo": false,
		"o3": true, "o3-mini": false, "gemma3": true, "gemma3:1b": false, "gemma3:12b": true, "llama3.2": false, "llama3.2-vision:11b": true, "qwen3": false,
		"meta-llama/llama-4-maverick": true, "deepseek-chat": false, "": false, "/": false, "welcome/dialog-x.md": false,
	} {
		if got := Sees(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}

func TestMatchesModel(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    bool
	}{
		{"my-model:7b", true}, {"My-*", true}, {"*", true}, {"*:7b", true}, {"my-*:*", true}, {"local/my-model:7b", true}, {"local/*", true}, {"m*m*7b", true}, {"*model*", true},
		{"", false}, {"my-model", false}, {"model:7b", false}, {"other/*", false}, {"*:8b", false}, {"my-model:7b*7b", false}, {"my-model:7b?", false}, {"[m]y*", false},
	} {
		if got := MatchesModel(c.pattern, "Local", "my-model:7b"); got != c.want {
			t.Errorf("%s: %v", c.pattern, got)
		}
	}
}
