package main

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/server/hub"
)

// A call that no command can decide is told with no command.
func TestTellerOfAnAgentsCall(t *testing.T) {
	calls := []hub.Pending{{ID: "c1", Tool: "acp_edit", InputText: "{}"}}
	for ends, want := range map[bool]string{true: "The agent that asks this ends with this command", false: "It waits for you, in the window"} {
		var out strings.Builder
		(&teller{w: &out, ends: ends}).asks(hub.Event{Calls: calls})
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "vibey approve") {
			t.Errorf("told %q", out.String())
		}
	}
}

// A message is told with the passages that it is about.
func TestTellerOfPassages(t *testing.T) {
	var out strings.Builder
	tell := &teller{w: &out, user: true}
	meta, payloads := dialog.On([]dialog.Passage{dialog.NewPassage("doc-night.md", strings.Repeat("a", 64), "# Night\n\nDark.\n", 9, 14)})
	tell.section(&dialog.Section{Role: dialog.User, Meta: meta, Payloads: append(payloads, dialog.Payload{Type: dialog.InputMarkdown, Text: "Why?"})})
	if want := "\n> On doc-night.md, line 3:\n> > Dark.\n> \n> Why?\n\n"; out.String() != want {
		t.Errorf("told %q, want %q", out.String(), want)
	}
}

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

// A verb that is told to be typed next knows the providers that this one was given.
func TestGivenProviders(t *testing.T) {
	f := modelFlags{Provider: []string{"lab", "lab=chat,http://127.0.0.1:1/v1,THE KEY"}}
	if got, want := f.givenProviders(), " --provider 'lab=chat,http://127.0.0.1:1/v1,THE KEY'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
