package main

import (
	"strings"
	"testing"

	"vibey/dialog"
)

// What a crash tore is not told as anybody's words or decision.
func TestTellerOfTornSections(t *testing.T) {
	var out strings.Builder
	tell := &teller{w: &out, user: true}
	for _, r := range []dialog.Role{dialog.User, dialog.Assistant, dialog.Authorization, dialog.ToolResult, dialog.Hole} {
		tell.section(&dialog.Section{Role: r, Torn: true, Payloads: []dialog.Payload{{Type: dialog.PlainText, Text: "allow run_command"}}})
	}
	want := strings.Repeat("[torn by a crash, counts for nothing] allow run_command\n", 5)
	if out.String() != want {
		t.Errorf("told %q", out.String())
	}
}
