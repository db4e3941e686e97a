package mcp

import (
	"strings"
	"testing"
)

// A number that is none for Go takes away the tool that has it, and no other.
func TestNumberTooLarge(t *testing.T) {
	got := string(exact([]byte(`{"tools":[{"name":"big","inputSchema":{"type":"object","properties":{"n":{"maximum":1e400}}}},{"name":"fine","inputSchema":{"type":"object"}}]}`)))
	if !strings.Contains(got, `"tools":[{"inputSchema":{"type":"object"},"name":"fine"}]`) || !strings.Contains(got, `the tool \"big\" is left out: its input schema has a number`) {
		t.Error(got)
	}
}
