package server

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
	"vibey/server/turn"
)

// A hunk is listed and taken back by the same lines; what names none is a bad request.
func TestHunks(t *testing.T) {
	s := newShop(t, providertest.Reply{Calls: []providertest.Call{{ID: "c1", Name: "write_file", Args: `{"path":"deed/a.txt","content":"ONE\ntwo\nTHREE\n"}`}}}, providertest.Reply{Text: "Done."})
	s.write("p/deed/a.txt", "one\ntwo\nthree\n")
	id := s.dialog("POST", `{"provider":"claude","model":"m","prompt":"go"}`)[0].DialogID
	undo := func(rest string, status int) string {
		return s.json("POST", "/project/p/undo", `{"dialogId":"`+id+`",`+rest+`}`, status)
	}
	undo(`"id":"c1","hunk":{"path":"deed/a.txt","from":1,"to":1}`, 400) // it waits
	s.dialog("PUT", object("dialogId", id, "control", "allow write_file"))
	user := get[dialogView](s, "/project/p/dialog/"+id).Sections[1].ID
	for _, of := range []string{"c1", user} {
		made := get[[]turn.CallChange](s, "/project/p/dialog/"+id+"/changes/"+of)
		if len(made) != 1 || len(made[0].Hunks) != 2 {
			t.Fatalf("%+v", made)
		}
		c, first, second := made[0], made[0].Hunks[0], made[0].Hunks[1]
		after := "ONE\ntwo\nTHREE\n"
		if c.Call != "c1" || c.Path != "deed/a.txt" || c.SHA256 != dialog.SHA256(after) || c.Now != c.SHA256 || c.Replaced != dialog.SHA256("one\ntwo\nthree\n") || c.Taken+c.Why+c.Stays != "" {
			t.Errorf("%+v", c)
		}
		show := func(h turn.ChangeHunk) string {
			return strings.Join(h.Above, " ") + "|" + strings.Join(h.Old, " ") + "|" + strings.Join(h.New, " ") + "|" + strings.Join(h.Below, " ") + "|" + after[h.Byte:]
		}
		if first.From != 1 || first.To != 1 || show(first) != "|one|ONE|two|"+after || second.From != 3 || second.Was != 3 || second.To != 3 || show(second) != "|three|THREE||THREE\n" {
			t.Errorf("%s, %s", show(first), show(second))
		}
	}
	for body, want := range map[string]int{
		`"id":"c1","hunk":{"path":"deed/a.txt","from":1,"to":3}`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":2,"to":2}`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":1,"to":0}`: 400,
		`"id":"c1","hunk":{"path":"deed/b.txt","from":1,"to":1}`: 400, `"id":"c1","hunk":{"path":"","from":1,"to":1}`: 400, `"id":"c1","hunk":{}`: 400, `"id":"c1","hunk":[]`: 400,
		`"id":"c1","hunk":null`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":3,"to":3,"more":1}`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":3,"from":3,"to":3}`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":3,"to":null}`: 400, `"id":"c1","hunk":{"Path":"deed/a.txt","From":3,"To":3}`: 400,
		`"id":"c1","hunk":{"path":"deed/a.txt","from":0,"to":0}`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":3,"to":1}`: 400, `"id":"c1","hunk":{"path":"deed/a.txt","from":1.5,"to":2}`: 400,
		`"id":"c1","hunk":{"path":"deed/a.txt","from":-1,"to":-1}`: 400, `"turn":"` + user + `","hunk":{"path":"deed/a.txt","from":1,"to":1}`: 400, `"hunk":{"path":"deed/a.txt","from":1,"to":1}`: 400,
		`"id":"c9","hunk":{"path":"deed/a.txt","from":1,"to":1}`: 404, `"id":"` + user + `","hunk":{"path":"deed/a.txt","from":1,"to":1}`: 400,
	} {
		undo(body, want)
	}
	for hunk, says := range map[string]string{
		`{"path":"deed/a.txt","from":3}`:                 `The field \"hunk.to\" is missing.`,
		`{"path":"deed/a.txt","from":3,"to":"3"}`:        `The field \"hunk.to\" has the wrong type: a whole number is wanted.`,
		`{"path":"deed/a.txt","from":3,"to":3,"more":1}`: `There is no field \"hunk.more\" here. Known are: path, from, to.`,
		`{"path":"deed/a.txt","from":3,"from":3,"to":3}`: `The field \"hunk.from\" stands there twice`,
		`"deed/a.txt"`: `The field \"hunk\" has the wrong type: an object {\"path\",\"from\",\"to\"} is wanted.`,
	} {
		if got := undo(`"id":"c1","hunk":`+hunk, 400); !strings.Contains(got, says) {
			t.Errorf("%s: %s", hunk, got)
		}
	}
	got := decode[undone](t, undo(`"id":"c1","hunk":{"path":"deed/a.txt","from":3,"to":3}`, 200))
	if len(got.Undone) != 1 || got.Undone[0].Path != "deed/a.txt" || *got.Undone[0].SHA256 != dialog.SHA256("ONE\ntwo\nthree\n") || len(got.Refused) != 0 || s.text("p/deed/a.txt") != "ONE\ntwo\nthree\n" {
		t.Errorf("%+v", got)
	}
	made := get[[]turn.CallChange](s, "/project/p/dialog/"+id+"/changes/c1")
	if h := made[0].Hunks; h[0].Taken != "" || h[1].Taken == "" || made[0].Now != *got.Undone[0].SHA256 {
		t.Errorf("%+v", made)
	}
	s.json("GET", "/project/p/dialog/"+id+"/changes/nothing", "", 404)
	s.json("GET", "/project/p/dialog/20260101-000000-none/changes/c1", "", 404)
}

// What a command made of a file's permissions alone is told of as well.
func TestChangedMode(t *testing.T) {
	s := newShop(t)
	s.write("p/deed/a.sh", "echo\n")
	hash := dialog.SHA256("echo\n")
	text := []byte(waitingDialog)
	for _, sec := range []dialog.Section{
		{Role: dialog.ToolRequest, ID: "c1", Meta: dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: "pending"}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"command":"chmod 755 a.sh"}`}}},
		{Role: dialog.ToolResult, ID: "c1", Meta: dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: "approved"}}, Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: `{"success":true,"exitCode":0,"changed":[{"path":"deed/a.sh","sha256":"` + hash + `","replaced":"` + hash + `","mode":"755","replacedMode":"644"}]}`}}},
	} {
		text = dialog.AppendSection(append(text, '\n'), &sec)
	}
	s.write("p/dialog-"+triedID+"-waiting.md", string(text))
	made := get[[]turn.CallChange](s, "/project/p/dialog/"+triedID+"/changes/c1")
	if len(made) != 1 || made[0].Path != "deed/a.sh" || made[0].Mode != "755" || made[0].ModeWas != "644" || len(made[0].Hunks) != 0 {
		t.Errorf("%+v", made)
	}
}
