package server

import (
	"strings"
	"testing"

	"vibey/provider/providertest"
	"vibey/server/view"
)

// small is a dialog with one message that may take 15 rounds, of which one was used.
const small = waitingDialog + `
## User
> Id: msg_20260216_201100_u1
> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z
> Resources: in=0 out=0 total=0 tools=0 ms=0
> By: human
> Intent: small_fix

əəəinput/markdown
Change it.
əəə

## Assistant
> Id: msg_20260216_201101_a1
> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:01Z
> Resources: in=1 out=1 total=2 tools=1 ms=1
> Stop: calls

əəəoutput/markdown
I change it.
əəə

## Tool Request
> Id: call_1
> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:01Z
> Resources: in=0 out=0 total=0 tools=0 ms=0
> Tool: write_file
> Status: pending

əəətool/input/json
{"path":"deed/a.txt","content":"x"}
əəə

## Tool Result
> Id: call_1
> Time: 2026-02-16T20:11:02Z - 2026-02-16T20:11:02Z
> Resources: in=0 out=0 total=0 tools=1 ms=1
> Tool: write_file
> Status: approved

əəətool/result/json
{"success":true,"path":"deed/a.txt","bytes":1,"sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}
əəə
`

// What the governor says of a dialog is told before any event, whatever window of
// its sections is asked for.
func TestViewTellsWhatTheGovernorSays(t *testing.T) {
	s := newShop(t)
	s.write("p/dialog-20260216-201100-x-waiting.md", small)
	const path = "/project/p/dialog/20260216-201100-x?markdown=0&from=0&limit=1"
	g := get[dialogView](s, path).Governor
	if g.Intent != "small_fix" || g.Budget.Used != 1 || g.Budget.Limit != 15 || g.Phase != "" || g.Label != "" || g.Unverified || g.Stopped != "" {
		t.Errorf("%+v", g)
	}
	if len(g.Ledger.Modified) != 1 || g.Ledger.Modified[0] != (view.LedgerFile{Path: "deed/a.txt", SHA256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}) || g.Ledger.Read == nil || g.Covers == nil {
		t.Errorf("%+v", g)
	}
	// By other rules it is another word.
	s.write("p/doc-main.md", "# p\n\nəəəproject/v1\nbudget small_fix 1\nphases on\nverify true\nəəə\n")
	g = get[dialogView](s, path).Governor
	if g.Budget.Limit != 1 || g.Phase != "recon" || g.Label != "Looking around" || !g.Unverified {
		t.Errorf("%+v", g)
	}
	// What stopped it is told, and no more once a human goes on.
	stop := "\n## Note\n> Id: msg_20260216_201103_n1\n> Time: 2026-02-16T20:11:03Z - 2026-02-16T20:11:03Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Kind: budget\n> To: human\n"
	s.write("p/dialog-20260216-201100-x-waiting.md", small+stop+"> Stop: budget\n\nəəənote/markdown\nStopped.\nəəə\n")
	if g = get[dialogView](s, path).Governor; g.Stopped != "budget" {
		t.Errorf("%+v", g)
	}
	s.write("p/dialog-20260216-201100-x-waiting.md", small+stop+"> By: human\n\nəəənote/markdown\nGo on.\nəəə\n")
	if g = get[dialogView](s, path).Governor; g.Stopped != "" || g.Budget.Used != 0 {
		t.Errorf("%+v", g)
	}
	// A doc that can't be read keeps nobody from reading the dialog.
	s.json("DELETE", "/project/p/file/doc-main.md", "", 204)
	if g = get[dialogView](s, path).Governor; g.Budget.Limit != 15 {
		t.Errorf("%+v", g)
	}
}

// A Summary stands for a range; undone, it does not, and no second time.
func TestSummaryIsUndone(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "one"}, providertest.Reply{Text: "two"}, providertest.Reply{Text: "three"}, providertest.Reply{Text: "four"}, providertest.Reply{Text: "five"})
	id := s.dialog("POST", `{"provider":"claude","prompt":"first"}`)[0].DialogID
	for range 4 {
		s.dialog("PUT", `{"dialogId":"`+id+`","prompt":"more"}`)
	}
	s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","compact":true}`, 200)
	v := get[dialogView](s, "/project/p/dialog/"+id)
	last := v.Sections[v.Total-1]
	if len(v.Governor.Covers) != 1 || v.Governor.Covers[0].By != last.ID || v.Governor.Covers[0].From != v.Sections[1].ID || v.Governor.Covers[0].To != v.Sections[2].ID {
		t.Fatalf("%+v: %+v", last, v.Governor.Covers)
	}
	undo := func(dialogID, id string, status int) string {
		t.Helper()
		return s.json("POST", "/project/p/undo", `{"dialogId":"`+dialogID+`","id":"`+id+`"}`, status)
	}
	if got := undo(id, v.Sections[1].ID, 409); !strings.Contains(got, "only what calls changed") {
		t.Error(got)
	}
	undo(id, "nothing", 404)
	undo("20260216-201100-y", last.ID, 404)
	if got := undo(id, last.ID, 200); got != `{"undone":[{"id":"`+last.ID+`"}],"refused":[]}`+"\n" {
		t.Error(got)
	}
	if v := get[dialogView](s, "/project/p/dialog/"+id); len(v.Governor.Covers) != 0 {
		t.Errorf("%+v", v.Governor.Covers)
	}
	if got := undo(id, last.ID, 409); !strings.Contains(got, "stands for nothing any more") {
		t.Error(got)
	}
	s.write("p/dialog-20260216-201100-x-waiting.md", small)
	s.write("p/deed/a.txt", "x")
	if got := undo("20260216-201100-x", "call_1", 200); got != `{"undone":[{"path":"deed/a.txt","sha256":""}],"refused":[]}`+"\n" {
		t.Error(got)
	}
	if got := undo("20260216-201100-x", "call_1", 200); !strings.HasPrefix(got, `{"undone":[],"refused":[{"path":"deed/a.txt","why":"it was taken back already, by the undo `) {
		t.Error(got)
	}
}

// While a dialog works nothing of it is undone.
func TestUndoWaitsForTheTurn(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: strings.Repeat("word ", 2000), Chunk: 5, DelayMS: 5})
	window := s.follow(s.request("POST", "/project/p/dialog", strings.NewReader(`{"provider":"claude","prompt":"long"}`), "Content-Type", "application/json"))
	first, _ := window.next()
	if got := s.json("POST", "/project/p/undo", `{"dialogId":"`+first.DialogID+`","id":"x"}`, 409); !strings.Contains(got, "problem:active") {
		t.Error(got)
	}
	s.json("PUT", "/project/p/dialog", `{"dialogId":"`+first.DialogID+`","status":"waiting"}`, 200)
	window.all()
}
