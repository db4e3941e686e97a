package server

import (
	"encoding/json"
	"strings"
	"testing"

	"vibey/dialog/effect"
	"vibey/dialog/grant"
)

// What a tried call did is told beside it, and is decided by its own hash: any other answer is
// a conflict, and leaves the file as it is.
func TestDecideTried(t *testing.T) {
	s := newShop(t)
	e := effect.Of([]effect.Change{fileChange("deed/a", "", "new")})
	s.tried(e, true)
	before := s.text("p/dialog-" + triedID + "-waiting.md")
	var view struct {
		Needs   string
		Pending []struct {
			ID, SHA256 string
			Effect     struct {
				SHA256         string
				Changes        []effect.Change
				ExitCode       *int
				Stdout, Stderr *string
			}
		}
	}
	if err := json.Unmarshal([]byte(s.json("GET", "/project/p/dialog/"+triedID, "", 200)), &view); err != nil {
		t.Fatal(err)
	}
	if len(view.Pending) != 1 || view.Needs != "approval" || view.Pending[0].Effect.SHA256 != e.SHA256 || len(view.Pending[0].Effect.Changes) != 1 || view.Pending[0].Effect.ExitCode == nil || view.Pending[0].Effect.Stdout == nil {
		t.Fatalf("%+v", view)
	}
	input := "sha256:" + grant.InputHash(`{"command":"make"}`)
	for name, body := range map[string]map[string]string{
		"no effect":              {"control": "c1 approve " + input},
		"no hash":                {"control": "c1 approve"},
		"another effect":         {"control": "c1 approve " + input + " effect:" + strings.Repeat("0a", 32)},
		"another input":          {"control": "c1 approve sha256:" + strings.Repeat("0a", 32) + " effect:" + e.SHA256},
		"unseen, by a rule":      {"control": "allow run_command", "seen": "n0"},
		"unseen, with a message": {"prompt": "go on", "seen": "n0"},
	} {
		body["dialogId"] = triedID
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		s.json("PUT", "/project/p/dialog", string(b), 409)
		if s.text("p/dialog-"+triedID+"-waiting.md") != before {
			t.Fatalf("%s: the file was changed", name)
		}
	}
}
