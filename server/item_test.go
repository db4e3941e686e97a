package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// An item of the list tells what a dialog wants or said, without marks, from whom it
// is, and what it used.
func TestItemWords(t *testing.T) {
	const head = "# Dialog\n> DialogId: %s\n> Provider: claude\n> Model: %s\n> Status: %s\n> Started: 2026-02-16T20:11:00Z\n%s"
	said := func(role, text string, more ...string) string {
		typ := map[string]string{"User": "input/markdown", "Assistant": "output/markdown", "Note": "note/markdown", "Tool Request": "tool/input/json"}[role]
		return fmt.Sprintf("\n## %s\n> Id: s%p\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=1000 out=100 total=1100 tools=0 ms=0\n%s\nəəə%s\n%s\nəəə\n", role, &typ, strings.Join(more, ""), typ, text)
	}
	long := strings.Repeat("Many words of an answer. ", 100)
	const from = "> From: 20260216-200000-main\n> Family: 20260216-200000-main\n> Depth: 1\n"
	for name, c := range map[string]struct {
		status, model, head, sections string
		want                          dialogItem
	}{
		"done":            {"done", "m", "", said("User", "# The *bridge*\nmore") + said("Assistant", "I wrote `a.txt` and **b**.\n\n- one\n- [two](doc-x.md)\n"), dialogItem{Title: "The bridge", Words: "I wrote a.txt and b. one two", Tokens: tokens{2000, 200}}},
		"launched":        {"done", "m", from, said("User", "go"), dialogItem{Title: "go", Words: "go", From: "20260216-200000-main", Tokens: tokens{1000, 100}}},
		"empty":           {"waiting", "m", "", "", dialogItem{Needs: "reply"}},
		"titled":          {"done", "m", "> Title: In *the* head\n", said("User", "go"), dialogItem{Title: "In *the* head", Words: "go", Tokens: tokens{1000, 100}}},
		"a hand's titles": {"done", "m", "> Title: a\u202eb\n", said("Note", "  \n c\u202ed\x1b\nmore", "> Kind: title\n> To: human\n"), dialogItem{Title: "cd", Tokens: tokens{1000, 100}}},
		"a blank title":   {"done", "m", "> Title: kept\n", said("Note", " \n", "> Kind: title\n"), dialogItem{Title: "kept", Tokens: tokens{1000, 100}}},
		"a long title":    {"done", "m", "", said("User", strings.Repeat("ж", 300)), dialogItem{Title: strings.Repeat("ж", 199) + "…", Words: strings.Repeat("ж", 199) + "…", Tokens: tokens{1000, 100}}},
		"only marks":      {"done", "m", "", said("User", "***\n> > \n- \n```\n```\nwords at last"), dialogItem{Title: "words at last", Words: "words at last", Tokens: tokens{1000, 100}}},
		"a long question": {"waiting", "m", "", said("User", "go") + said("Assistant", long+"\n\nShall I **also** paint the door?\n"), dialogItem{Needs: "reply", Title: "go", Words: "Shall I also paint the door?", Tokens: tokens{2000, 200}}},
		"a long answer":   {"waiting", "m", "", said("User", "go") + said("Assistant", "What? "+long), dialogItem{Needs: "reply", Title: "go", Words: "What? " + long[:193] + "…", Tokens: tokens{2000, 200}}},
		"a pending call":  {"waiting", "m", "", said("User", "go") + said("Assistant", "I run it.") + said("Tool Request", `{"command":"npm test \\\n  --all\u202e","description":"harmless"}`, "> Tool: run_command\n> Status: pending\n"), dialogItem{Needs: "approval", Title: "go", Words: `wants to run: npm test \ --all`, Tokens: tokens{3000, 300}}},
		"pending calls":   {"waiting", "m", "", said("User", "go") + said("Tool Request", `{"path":"deed/a","content":"x"}`, "> Tool: write_file\n> Status: pending\n") + strings.Replace(said("Tool Request", `{"path":"deed/b","old_string":"x","new_string":"y"}`, "> Tool: edit_file\n> Status: pending\n"), "> Id: s", "> Id: t", 1), dialogItem{Needs: "approval", Title: "go", Words: "wants to write deed/a, and 1 more", Tokens: tokens{3000, 300}}},
		"stopped":         {"waiting", "m", "", said("User", "go") + said("Note", "The turn was stopped.", "> Kind: loop\n> To: human\n> Stop: loop\n") + said("Assistant", "I could not."), dialogItem{Needs: "continue", Title: "go", Words: "stopped: it went in circles", Tokens: tokens{3000, 300}}},
		"failed":          {"waiting", "m", "", said("User", "go") + said("Note", "There is no *credit* left.", "> Kind: mistake\n> To: human\n> Failure: api_error\n"), dialogItem{Needs: "continue", Title: "go", Words: "stopped: There is no credit left.", Tokens: tokens{2000, 200}}},
		"priced":          {"done", "claude-haiku-4-5-20251001", "", said("User", "go"), dialogItem{Title: "go", Words: "go", Tokens: tokens{1000, 100}, Cost: &cost{USD: 0.0015}}},
		"two models":      {"done", "claude-haiku-4-5", "", said("User", "go") + said("User", "on", "> Provider: openai\n> Model: gpt-5\n"), dialogItem{Title: "go", Words: "on", Tokens: tokens{2000, 200}, Cost: &cost{USD: 0.0015 + 0.00225}}},
		"one not known":   {"done", "claude-haiku-4-5", "", said("User", "go") + said("User", "on", "> Provider: own\n> Model: m\n"), dialogItem{Title: "go", Words: "on", Tokens: tokens{2000, 200}}},
		"torn":            {"done", "m", "", said("User", "go") + said("Assistant", "zero \x00 here"), dialogItem{Title: "go", Words: "go", Tokens: tokens{1000, 100}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			const id = "20260216-201100-x"
			s.write("p/dialog-"+id+"-"+c.status+".md", fmt.Sprintf(head, id, c.model, c.status, c.head)+c.sections)
			got := s.only()
			if dialog.Status(c.status) != dialog.Done && c.want.Tokens.Out > 0 {
				c.want.Wrote = slices.Repeat([]int64{100}, int(c.want.Tokens.Out/100))
			}
			if got.Cost != nil && c.want.Cost != nil {
				if got.Cost.AsOf == "" || got.Cost.USD != c.want.Cost.USD {
					t.Errorf("cost %+v", got.Cost)
				}
				got.Cost, c.want.Cost = nil, nil
			}
			c.want.DialogID, c.want.Status, c.want.Filename, c.want.MTime = id, dialog.Status(c.status), got.Filename, got.MTime
			if c.want.Needs == "" {
				c.want.Needs = "none"
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
}

// The keys of an item are there whatever it holds, but for those that mean something by
// their absence.
func TestItemKeys(t *testing.T) {
	s := newShop(t)
	s.json("POST", "/project/p/dialog/new", object("provider", "claude", "model", "m", "slug", "x"), 200)
	list := get[[]map[string]json.RawMessage](s, "/project/p/dialogs")
	for _, key := range []string{"dialogId", "status", "needs", "filename", "mtime", "title", "words", "tokens"} {
		if _, ok := list[0][key]; !ok {
			t.Errorf("no %s in %s", key, list)
		}
	}
	if string(list[0]["tokens"]) != `{"in":0,"out":0}` || len(list[0]) != 8 {
		t.Errorf("%s", list)
	}
}

// changed is the one part of what a project needs that depends on the clock.
var changed = regexp.MustCompile(`,"changed":"20[0-9T:-]+Z"`)

func TestProjectsByNeed(t *testing.T) {
	s := newShop(t, append(writesAndReports, providertest.Reply{Text: "x"})...)
	for _, name := range []string{"empty", "a-book"} {
		if err := s.store.Create(name, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.dialog("POST", object("provider", "claude", "model", "m", "prompt", "write", "slug", "x")) // asks
	s.write("a-book/dialog-20260216-201100-cut-waiting.md", "# Dialog\n\n## User\n\nhello\n")
	s.write("a-book/dialog-20260216-201100-answered-waiting.md", waitingDialog)
	s.write("a-book/dialog-20260216-201100-done-done.md", "# Dialog\n\n## User\n\nhello\n")
	if err := os.Symlink(s.root, filepath.Join(s.root, "a-link")); err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"a-book","waiting":1,"active":0},{"name":"empty","waiting":0,"active":0},{"name":"p","waiting":1,"active":0}]` + "\n"
	if got := changed.ReplaceAllString(s.json("GET", "/projects?needs=1", "", 200), ""); got != want {
		t.Errorf("got %s want %s", got, want)
	}
	for _, path := range []string{"/projects", "/projects?needs=0", "/projects?needs="} {
		if got := s.json("GET", path, "", 200); got != `["a-book","empty","p"]`+"\n" {
			t.Errorf("%s: %s", path, got)
		}
	}
	s.json("GET", "/projects?needs=yes", "", 400)
}

// itemChange is the frame of a itemChange.
type itemChange struct {
	projectChange
	Item *dialogItem     // nil also where it is null
	item json.RawMessage // as it came; null is not the absence of one
}

func (f *following) change(dialogID string) itemChange {
	f.t.Helper()
	for {
		fr, ok := f.next()
		if !ok {
			f.t.Fatal("the stream ended")
		}
		if fr.Kind == "dialogs" && fr.DialogID == dialogID {
			var raw struct{ Item json.RawMessage }
			json.Unmarshal([]byte(fr.data), &raw)
			c := itemChange{projectChange: decode[projectChange](f.t, fr.data), item: raw.Item}
			if c.projectChange.Item != nil {
				c.Item = *c.projectChange.Item
			}
			return c
		}
	}
}

// The stream of a project tells a changed dialog by its item, the very one of the list,
// and one that is gone by null.
func TestProjectStreamTellsItems(t *testing.T) {
	s := newShop(t, writesAndReports...)
	f := s.follow(s.request("GET", "/project/p/events", nil))
	id := s.dialog("POST", object("provider", "claude", "model", "claude-haiku-4-5", "prompt", "write", "title", "The Page"))[0].DialogID
	settled := func(is func(d *dialogItem) bool) itemChange {
		t.Helper()
		for {
			if c := f.change(id); c.Item != nil && is(c.Item) {
				return c
			}
		}
	}
	c := settled(func(d *dialogItem) bool { return d.Needs == dialog.NeedsApproval })
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(s.json("GET", "/project/p/dialogs", "", 200)), &list); err != nil || string(list[0]) != string(c.item) {
		t.Errorf("the item %s\nin the list %s", c.item, list)
	}
	if c.Item.Title != "The Page" || c.Item.Words != "wants to write deed/a.txt" || c.Item.Cost == nil || c.Name != c.Item.Filename {
		t.Errorf("%+v", c.Item)
	}
	s.json("PUT", "/project/p/dialog", object("dialogId", id, "title", "Another"), 200)
	settled(func(d *dialogItem) bool { return d.Title == "Another" })
	s.json("PUT", "/project/p/dialog", object("dialogId", id, "status", "done"), 200)
	c = settled(func(d *dialogItem) bool { return d.Status == dialog.Done })
	if c.Name != "dialog-"+id+"-done.md" {
		t.Errorf("name %s", c.Name)
	}
	s.json("DELETE", "/project/p/file/"+c.Name, "", 204)
	for c = f.change(id); string(c.item) != "null"; c = f.change(id) {
	}
	if c.Item != nil || c.Name != "dialog-"+id+"-done.md" {
		t.Errorf("deleted: %+v", c)
	}
}

// A dialog that asks can be deleted with its question, and its child stays as it is; the
// child names a parent that is not there any more.
func TestDeleteOfADialogThatAsks(t *testing.T) {
	s := newShop(t,
		providertest.Reply{Text: "I start one.", Calls: []providertest.Call{{ID: "c1", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":"child work"}`}}},
		providertest.Reply{Text: "And I write.", Calls: []providertest.Call{{ID: "c2", Name: "write_file", Args: `{"path":"deed/a","content":"x"}`}}})
	s.mock.Play(providertest.Script{Cases: []providertest.Case{{When: "child work", Replies: []providertest.Reply{{Text: "child", Calls: []providertest.Call{{ID: "k1", Name: "write_file", Args: `{"path":"deed/k","content":"x"}`}}}}}}, Replies: []providertest.Reply{
		{Text: "I start one.", Calls: []providertest.Call{{ID: "c1", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":"child work"}`}}},
		{Text: "And I write.", Calls: []providertest.Call{{ID: "c2", Name: "write_file", Args: `{"path":"deed/a","content":"x"}`}}},
	}})
	f := s.follow(s.request("GET", "/project/p/events", nil))
	parent := s.dialog("POST", object("provider", "claude", "model", "m", "prompt", "parent", "title", "Parent"))[0].DialogID
	s.dialog("PUT", object("dialogId", parent, "control", "c1 approve"))
	child := func() *dialogItem {
		for _, d := range get[[]dialogItem](s, "/project/p/dialogs") {
			if d.From == parent {
				return &d
			}
		}
		return nil
	}
	c := child()
	if c == nil {
		t.Fatal("no child in the list")
	}
	for ; c.Needs != dialog.NeedsApproval; c = child() {
		f.change(c.DialogID) // it has changed since
	}
	s.json("DELETE", "/project/p/file/dialog-"+parent+"-waiting.md", "", 204)
	for string(f.change(parent).item) != "null" {
	}
	s.json("GET", "/project/p/dialog/"+parent, "", 404)
	s.json("PUT", "/project/p/dialog", object("dialogId", parent, "title", "x"), 404)
	if c := child(); c == nil || c.Needs != dialog.NeedsApproval || c.Title != "child work" {
		t.Fatalf("the child is %+v", c)
	}
	if got := changed.ReplaceAllString(s.json("GET", "/projects?needs=1", "", 200), ""); got != `[{"name":"p","waiting":1,"active":0}]`+"\n" {
		t.Errorf("projects %s", got)
	}
	all := s.dialog("PUT", object("dialogId", c.DialogID, "control", "k1 deny"))
	if end := all[len(all)-1]; end.Type != "done" {
		t.Errorf("the child ended with %s", end.data)
	}
	s.json("DELETE", "/project/p/file/dialog-"+parent+"-waiting.md", "", 404)
}
