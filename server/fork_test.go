package server

import (
	"strings"
	"sync"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// A fork is answered by its entry in the list, with 201, and what can't be one in words.
func TestFork(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "Hello."}, providertest.Reply{Text: "Again."})
	id := s.dialog("POST", `{"provider":"claude","model":"m","prompt":"Say hello"}`)[0].DialogID
	path := "/project/p/dialog/" + id
	v := get[dialogView](s, path)
	last := v.Sections[len(v.Sections)-1]
	item := decode[dialogItem](t, s.json("POST", path+"/fork", object("at", last.ID), 201))
	if item.Status != dialog.Waiting || item.Needs != dialog.NeedsReply || item.Title != "Say hello (from answer 1)" || item.From != "" ||
		item.Fork == nil || *item.Fork != (forkOrigin{id, last.ID}) || item.Tokens != (tokens{}) || item.DialogID == id {
		t.Errorf("%+v", item)
	}
	list := get[[]dialogItem](s, "/project/p/dialogs")
	if len(list) != 2 || list[0].DialogID != item.DialogID && list[1].DialogID != item.DialogID {
		t.Errorf("%+v", list)
	}
	if text := s.text("p/" + item.Filename); !strings.Contains(text, "\n> From: "+id+" at "+last.ID+"\n") {
		t.Error(text)
	}
	s.dialog("PUT", object("dialogId", item.DialogID, "prompt", "again"))
	if w := get[dialogView](s, "/project/p/dialog/"+item.DialogID); w.Sections[len(w.Sections)-1].Payloads[0].Text != "Again." {
		t.Errorf("%+v", w.Sections)
	}
	if w := get[dialogView](s, path); *w.Markdown != *v.Markdown || w.Status != v.Status {
		t.Error("the dialog has changed")
	}
	for body, want := range map[string]int{
		`{"at":"nothing"}`: 404, `{}`: 400, `{"at":""}`: 400, `{"at":5}`: 400, `{"at":null}`: 400, `{"at":"x","more":1}`: 400, `[]`: 400, `{"at":"a\nb"}`: 400, `nothing`: 400,
	} {
		s.json("POST", path+"/fork", body, want)
	}
	s.json("POST", "/project/p/dialog/20260101-000000-none/fork", `{"at":"x"}`, 404)
	s.json("POST", "/project/none/dialog/"+id+"/fork", `{"at":"x"}`, 404)
	if n := len(get[[]dialogItem](s, "/project/p/dialogs")); n != 2 {
		t.Errorf("%d dialogs", n)
	}
}

// Forks that are made at the same moment are different dialogs, each whole.
func TestForksAtOnce(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "Hello."})
	first := s.dialog("POST", `{"provider":"claude","model":"m","prompt":"Say hello"}`)
	path, at := "/project/p/dialog/"+first[0].DialogID, get[dialogView](s, "/project/p/dialog/"+first[0].DialogID).Sections[1].ID
	const many = 20
	var ids sync.Map
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			res, body := s.do(s.request("POST", path+"/fork", strings.NewReader(object("at", at)), "Content-Type", "application/json"))
			if res.StatusCode != 201 {
				t.Errorf("%d %s", res.StatusCode, body)
				return
			}
			ids.Store(decode[dialogItem](t, body).DialogID, true)
		})
	}
	all.Wait()
	n := 0
	ids.Range(func(any, any) bool { n++; return true })
	if n != many || len(get[[]dialogItem](s, "/project/p/dialogs")) != many+1 {
		t.Errorf("%d forks", n)
	}
}
