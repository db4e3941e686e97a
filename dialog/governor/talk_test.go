package governor

import (
	"os"
	"strings"
	"testing"
)

// TestTalk: only where nothing is asked for is a prompt talk; an assent says so, and what
// stands behind thanks or a greeting counts.
func TestTalk(t *testing.T) {
	b, err := os.ReadFile("testdata/intents-talk.txt")
	if err != nil {
		t.Fatal(err)
	}
	prompts := 0
	for line := range strings.Lines(string(b)) {
		prompts++
		want, prompt, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got := "work"
		if Assents(prompt) {
			got = "assent"
		} else if Classify(prompt) == "conversational" {
			got = "talk"
		}
		if got != want {
			t.Errorf("%q is %s (%s), not %s", prompt, got, Classify(prompt), want)
		}
	}
	if prompts < 120 {
		t.Errorf("%d prompts", prompts)
	}
}
