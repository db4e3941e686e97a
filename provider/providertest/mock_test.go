package providertest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
)

// Each fault, as an adapter of each API sees it over a real connection.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		fault providertest.Fault
		want  string // but for the text that came before
	}{
		{providertest.Fault{Kind: "cut", After: 6}, "error cut\n"},
		{providertest.Fault{Kind: "end", After: 6}, "error cut\n"},
		{providertest.Fault{Kind: "malformed", After: 6}, "error malformed\n"},
		{providertest.Fault{Kind: "error", After: 6, Type: "server_error", Message: "ouch"}, "error busy\n"},
		{providertest.Fault{Kind: "status", Status: 401}, "error auth\n"},
		{providertest.Fault{Kind: "status", Status: 400, Message: "prompt is too long: 3 tokens > 2 maximum"}, "error too_long\n"},
		{providertest.Fault{Kind: "status", Status: 429, RetryAfter: "60"}, "error rate_limit\n"},
		{providertest.Fault{Kind: "status", Status: 429, RetryAfter: "0.01", Times: 2}, "retry\nretry\ntext"},
	} {
		for _, api := range []string{"messages", "responses", "chat"} {
			server := httptest.NewServer(providertest.New(providertest.Script{Replies: []providertest.Reply{{Text: "one two three four", Chunk: 2, Fault: &tt.fault}}}))
			c := provider.Config{Name: api, BaseURL: server.URL + "/v1"}
			p := map[string]provider.Provider{"messages": anthropic.New(c), "responses": responses.New(c), "chat": chat.New(c)}[api]
			got := providertest.Trace(p.Stream(t.Context(), providertest.Question()))
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s, %+v: %s", api, tt.fault, got)
			}
			if tt.fault.After > 0 && !strings.Contains(got, "text \"on") {
				t.Errorf("%s, %+v: what came before is gone: %s", api, tt.fault, got)
			}
			server.Close()
		}
	}
}

// A script file as people write it, with a case for some dialogs.
func TestScriptFile(t *testing.T) {
	var s providertest.Script
	err := json.Unmarshal([]byte(`{
		"replies": [{"text": "Hi.", "calls": [{"name": "run_command", "args": {"command": "ls"}}, {"id": "x", "name": "write_file", "args": "{half"}]}],
		"cases": [{"when": "Go.", "replies": [{"text": "Another."}]}]
	}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	m := providertest.New(s)
	server := httptest.NewServer(m)
	defer server.Close()
	p := chat.New(provider.Config{BaseURL: server.URL + "/v1"})
	q := providertest.Question()
	if got := providertest.Trace(p.Stream(t.Context(), q)); !strings.Contains(got, `text "Another."`) {
		t.Errorf("the case: %s", got)
	}
	q.History.Items[0].Text = "Something else"
	want := "text \"Hi.\"\ncall call_1_1 run_command \"{\\\"command\\\": \\\"ls\\\"}\"\ncall x write_file \"{half\"\nfinish calls"
	if got := providertest.Trace(p.Stream(t.Context(), q)); !strings.Contains(got, want) {
		t.Errorf("the others: %s", got)
	}
	q.History.Items[0].Text = " "
	if got := providertest.Trace(p.Stream(t.Context(), q)); got != "begin\nerror bad_request\n" {
		t.Errorf("blank text: %s", got)
	}
	if bodies := m.Bodies(); len(bodies) != 3 || bodies[1].Fault != "" || !strings.Contains(bodies[2].Fault, "blank") {
		t.Errorf("bodies: %+v", bodies)
	}
	r, err := http.NewRequest(http.MethodDelete, server.URL+"/_bodies", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(r); err != nil || len(m.Bodies()) != 0 {
		t.Errorf("bodies are not forgotten: %v", err)
	}
	r, err = http.NewRequest(http.MethodPut, server.URL+"/_script", strings.NewReader(`{"replies":[{"text":"New."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	q.History.Items[0].Text = "Go."
	if _, err := http.DefaultClient.Do(r); err != nil {
		t.Error(err)
	} else if got := providertest.Trace(p.Stream(t.Context(), q)); !strings.Contains(got, `text "New."`) {
		t.Errorf("the script is not replaced: %s", got)
	}
}
