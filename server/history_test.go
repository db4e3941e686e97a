package server

import (
	"encoding/json"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// The history of a doc tells its versions, whose each line is, and the text of each.
func TestHistory(t *testing.T) {
	s := newShop(t, providertest.Reply{Calls: []providertest.Call{{ID: "c1", Name: "edit_file", Args: `{"path":"doc-a.md","old_string":"two","new_string":"two and a half"}`}}})
	const one, two, three = "one\ntwo\n", "one\ntwo and a half\n", "one\ntwo and a half\nthree\n"
	save := func(text string) {
		b, _ := json.Marshal(map[string]string{"content": text})
		s.json("POST", "/project/p/file/doc-a.md", string(b), 200)
	}
	save(one)
	s.json("POST", "/project/p/dialog", `{"provider":"claude","prompt":"go","slug":"x"}`, 200)
	var list []struct{ DialogID string }
	if err := json.Unmarshal([]byte(s.json("GET", "/project/p/dialogs", "", 200)), &list); err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	id := list[0].DialogID
	s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","control":"c1 approve"}`, 200)
	save(three)

	var h docHistory
	if err := json.Unmarshal([]byte(s.json("GET", "/project/p/file/doc-a.md/history", "", 200)), &h); err != nil {
		t.Fatal(err)
	}
	if h.File != "doc-a.md" || h.SHA256 != dialog.SHA256(three) || len(h.Versions) != 3 {
		t.Fatalf("%+v", h)
	}
	for i, want := range []struct {
		who, text string
		words     int
	}{{"human", one, 2}, {"agent", two, 3}, {"human", three, 1}} {
		v := h.Versions[i]
		if v.Words == nil || *v.Words != want.words {
			t.Errorf("version %d has other words: %+v", i, v)
		}
		if v.Who != want.who || v.SHA256 != dialog.SHA256(want.text) || !v.Kept || v.At == "" {
			t.Errorf("version %d: %+v", i, v)
		}
		if got := s.json("GET", "/project/p/file/doc-a.md/history/"+v.SHA256, "", 200); !strings.Contains(got, `"content":`+mustJSON(want.text)) {
			t.Errorf("version %d: %s", i, got)
		}
	}
	if v := h.Versions[1]; v.Dialog != id || v.Call != "c1" || v.Tool != "edit_file" || v.Message == "" || v.Allowed == nil || v.Allowed.By != "human" {
		t.Errorf("%+v", v)
	}
	if len(h.Lines) != 3 || h.Lines[0] != (docLines{1, 1, 0}) || h.Lines[1] != (docLines{2, 2, 1}) || h.Lines[2] != (docLines{3, 3, 2}) {
		t.Errorf("%+v", h.Lines)
	}
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestNoHistory(t *testing.T) {
	s := newShop(t)
	s.json("GET", "/project/p/file/doc-gone.md/history", "", 404)
	s.json("GET", "/project/p/file/doc-main.md/history/"+dialog.SHA256("gone"), "", 404)
	s.json("GET", "/project/p/file/doc-main.md/history/x", "", 404)
	s.json("GET", "/project/gone/file/doc-main.md/history", "", 404)
	s.json("POST", "/project/p/file/doc-main.md/history", `{}`, 405)
	s.json("GET", "/project/p/file/doc-main.md/history", "", 401, "Authorization", "")
	// What stands in a project beside its docs is no version of one.
	other := s.json("POST", "/project/p/file/doc-b.md", `{"content":"secret"}`, 200)
	if !strings.Contains(other, "etag") {
		t.Fatal(other)
	}
	s.json("GET", "/project/p/file/doc-main.md/history/"+dialog.SHA256("secret"), "", 404)
	if got := s.json("GET", "/project/p/file/doc-main.md/history", "", 200); !strings.Contains(got, `"who":"unknown"`) {
		t.Error(got)
	}
}
