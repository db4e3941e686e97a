package providertest_test

import (
	"strings"
	"testing"

	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
)

// bodies are the requests that the adapters make of q.
func bodies(q *provider.Request) map[string][]byte {
	return map[string][]byte{
		"messages":  providertest.Request(anthropic.New(provider.Config{}), q),
		"responses": providertest.Request(responses.New(provider.Config{}), q),
		"chat":      providertest.Request(chat.New(provider.Config{BaseURL: "http://x/v1"}), q),
	}
}

// asked is a request with one tool and one call of it.
func asked(tool, schema, args string) *provider.Request {
	return &provider.Request{Provider: "x", Model: "m", History: history.History{
		System: "You are here.",
		Tools:  []history.ToolSpec{{Name: tool, Description: "Runs.", Schema: history.RawJSON(schema)}},
		Items: []history.Item{
			{Kind: history.UserText, Text: "Go."},
			{Kind: history.CallItem, CallID: "c1", Tool: tool, Args: args},
			{Kind: history.ResultItem, CallID: "c1", Tool: tool, Text: `{"success":true}`},
		},
	}}
}

const soundSchema = `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`

// TestRefusedCalls: what a provider answers with 400 in a call's arguments.
func TestRefusedCalls(t *testing.T) {
	for _, tt := range []struct{ args, refused string }{
		{`{"command":"ls \ud83d\ude00 \\ud83d"}`, ""},
		{`{"command":"echo \ud83d"}`, "low surrogate"},
		{`{"command":"echo \ud83d\n\ude00"}`, "low surrogate"},
		{`{"command":"\\\udE00"}`, "low surrogate"},
		{`{"command":` + strings.Repeat("[", 90) + strings.Repeat("]", 90) + `}`, ""},
		{`{"command":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "recursion"},
		{`["command"]`, "not one JSON object"},
	} {
		for api, body := range bodies(asked("run_command", soundSchema, tt.args)) {
			wants(t, api, tt.args, providertest.Validate(api, body), tt.refused)
		}
	}
}

// TestRefusedTools: what a provider answers with 400 in a tool.
func TestRefusedTools(t *testing.T) {
	for _, tt := range []struct{ name, schema, refused string }{
		{"run_command", soundSchema, ""},
		{"plan_get", `{"type":"object","properties":{}}`, ""},
		{"plan_get", `{"type":"object"}`, "missing properties"},
		{"run_command", `{"type":"object","propertiez":{"command":{"type":"string"}}}`, "missing properties"},
		{"run_command", `{"type":"string","properties":{}}`, "not that of an object"},
		{"run_command", `{"type":"object","properties":{"co(mand":{"type":"string"}}}`, "should match pattern"},
		{"run_command", `{"type":"object","properties":{"":{"type":"string"}}}`, "should match pattern"},
		{"run_command", `{"type":"object","properties":{"command":{"type":"strinh"}}}`, "a schema of type"},
		{"run_command", `{"type":"object","properties":{"a":{"type":"array"}}}`, "missing items"},
		{"run_command", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"x"}}}}`, "a schema of type"},
		{"run_command", `{"type":"object","properties":{"command":{"type":"string"}},"required":["commanf"]}`, "no property"},
		{"run_command", `{"type":"object","properties":{"command":{"type":"string","description":"\ud83d"}}}`, "low surrogate"},
		{"run command", soundSchema, "no name"},
	} {
		for api, body := range bodies(asked(tt.name, tt.schema, "{}")) {
			wants(t, api, tt.schema, providertest.Validate(api, body), tt.refused)
		}
	}
}

// wants checks that a request with x was refused for that reason, or, where the
// reason is "", taken.
func wants(t *testing.T, api, x string, err error, refused string) {
	t.Helper()
	if (err == nil) != (refused == "") || err != nil && !strings.Contains(err.Error(), refused) {
		t.Errorf("%s, %.80q: %v, and it should be refused for %q", api, x, err, refused)
	}
}
