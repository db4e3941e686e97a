package tools

import (
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// A project with phases has the tool checkpoint, and a dialog finds it again in what
// its model was told. No line of rules names its set.
func TestCheckpoint(t *testing.T) {
	rules, problems := grant.ParseRules("əəəproject/v1\ntools read\ntools "+phased+"\nphases on\nəəə\n", Known(nil))
	if len(problems) != 1 || problems[0].Line != 3 {
		t.Errorf("%v", problems)
	}
	set := NewSet(Declared(rules)...)
	tool, ok := set.Lookup("checkpoint")
	if !ok || tool.Asks || tool.Class != dialog.Read {
		t.Fatalf("%+v", tool)
	}
	if again := NewSet(SetsIn(set.Specs())...); len(again.Specs()) != 8 || again.Specs()[7].Name != "checkpoint" {
		t.Errorf("%v", again.Specs())
	}
	if len(rules.Tools) != 1 || !slices.Equal(Declared(grant.Rules{Tools: []string{"read"}}), []string{"read"}) {
		t.Errorf("%v", rules.Tools)
	}
	if _, ok := NewSet(Sets()...).Lookup("checkpoint"); ok {
		t.Error("it is there without phases")
	}
	r := set.Call(t.Context(), Env{}, "checkpoint", `{"goal":"g","findings":"f","proposal":"p"}`)
	if !r.Success || !strings.Contains(r.JSON, "may be made now") {
		t.Error(r.JSON)
	}
	for _, args := range []string{`{"goal":"","findings":"f","proposal":"p"}`, `{"goal":"g","findings":"f"}`} {
		if set.Check("checkpoint", args) == nil {
			t.Errorf("%s is taken", args)
		}
	}
}
