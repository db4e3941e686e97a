package server

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/provider/providertest"
)

// A project without its deed, as git brings it, tells the files of its calls all the same.
func TestTargetIsToldWithoutDeed(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "I write.", Calls: []providertest.Call{
		{ID: "c1", Name: "edit_file", Args: `{"path":"doc-a.md","old_string":"old","new_string":"new"}`},
		{ID: "c2", Name: "write_file", Args: `{"path":"deed/no/a.txt","content":"x"}`},
	}})
	s.write("p/doc-a.md", "old")
	all := s.dialog("POST", `{"provider":"claude","prompt":"go"}`)
	id := all[0].DialogID
	if err := os.RemoveAll(filepath.Join(s.root, "p/deed")); err != nil {
		t.Fatal(err)
	}
	told := `"target":{"path":"doc-a.md","sha256":"` + hashOf("old") + `","exists":true,"bytes":3}`
	missing := `"target":{"path":"deed/no/a.txt","exists":false,"bytes":0}`
	look := func() {
		t.Helper()
		if text := s.json("GET", "/project/p/dialog/"+id, "", 200); !strings.Contains(text, told) || !strings.Contains(text, missing) {
			t.Error(text)
		}
	}
	look()
	if got := get[targetFile](s, "/project/p/dialog/"+id+"/target/c1"); got.Path != "doc-a.md" || got.Content == nil || *got.Content != "old" {
		t.Errorf("%+v", got)
	}
	// A link that leads nowhere is no missing deed: nothing is told of what would lie below.
	if err := os.Symlink("nowhere", filepath.Join(s.root, "p/deed")); err != nil {
		t.Fatal(err)
	}
	missing = told
	look()
	s.json("GET", "/project/p/dialog/"+id+"/target/c2", "", 404)
}

// What a pending write would replace is told wherever the call is, and a
// decision over another file than stands there is refused whole.
func TestTargetIsTold(t *testing.T) {
	s := newShop(t,
		providertest.Reply{Text: "I write.", Calls: []providertest.Call{
			{ID: "c1", Name: "write_file", Args: `{"path":"doc-a.md","content":"agent's"}`},
			{ID: "c2", Name: "edit_file", Args: `{"path":"deed/no/a.txt","old_string":"a","new_string":"b"}`},
			{ID: "c3", Name: "run_command", Args: `{"command":"true"}`},
			{ID: "c4", Name: "write_file", Args: `{"path":"deed/out","content":"x"}`},
		}},
		providertest.Reply{Text: "Done."})
	s.write("p/doc-a.md", "old")
	s.write("secret", "secret")
	if err := os.Symlink("../../secret", filepath.Join(s.root, "p/deed/out")); err != nil {
		t.Fatal(err)
	}
	told := `"target":{"path":"doc-a.md","sha256":"` + hashOf("old") + `","exists":true,"bytes":3}`
	missing := `"target":{"path":"deed/no/a.txt","exists":false,"bytes":0}`
	all := s.dialog("POST", `{"provider":"claude","prompt":"go"}`)
	id, frame := all[0].DialogID, all[len(all)-1].data
	joined := s.follow(s.request("GET", "/project/p/dialog/"+id+"/stream", nil)).all()
	for where, text := range map[string]string{
		"tool_request": frame,
		"GET dialog":   s.json("GET", "/project/p/dialog/"+id, "", 200),
		"PUT dialog":   s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","control":"nothing"}`, 200),
		"a late join":  joined[len(joined)-1].data,
	} {
		if !strings.Contains(text, told) || !strings.Contains(text, missing) || strings.Count(text, `"target":`) != 2 {
			t.Errorf("%s: %s", where, text)
		}
	}

	at := "/project/p/dialog/" + id + "/target/"
	if got := get[targetFile](s, at+"c1"); got.Path != "doc-a.md" || got.SHA256 != hashOf("old") || !got.Exists || got.Content == nil || *got.Content != "old" {
		t.Errorf("%+v", got)
	}
	if got := s.json("GET", at+"c2", "", 200); got != `{"path":"deed/no/a.txt","exists":false}`+"\n" {
		t.Errorf("%s", got)
	}
	for _, path := range []string{at + "c3", at + "c4", at + "c9", "/project/p/dialog/20260216-201100-none/target/c1", "/project/none/dialog/" + id + "/target/c1"} {
		s.json("GET", path, "", 404)
	}
	for content, want := range map[string]bool{"": true, "\xff": false, strings.Repeat("x", 5<<20): true, strings.Repeat("x", 5<<20+1): false, strings.Repeat("x", 11<<20): false} {
		s.write("p/doc-a.md", content)
		got := get[targetFile](s, at+"c1")
		if !got.Exists || got.SHA256 != hashOf(content) || (got.Content != nil) != want || want && *got.Content != content {
			t.Errorf("%d bytes: %s %v", len(content), got.SHA256, got.Content != nil)
		}
	}

	s.write("p/doc-a.md", "human's")
	p := decode[problemDetails](t, s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","control":"c1 approve target:`+hashOf("old")+`"}`, 409))
	if p.Type != "urn:vibey:problem:"+"target-changed" || !strings.Contains(p.Detail, "c1: the file that it would write has changed") {
		t.Errorf("%+v", p)
	}
	if text := s.json("GET", "/project/p/dialog/"+id, "", 200); strings.Contains(text, "Authorization") {
		t.Error("something was stored")
	}
	st := decode[dialogState](t, s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","control":"c1 approve target:`+hashOf("human's")+`"}`, 200))
	if b, _ := os.ReadFile(filepath.Join(s.root, "p/doc-a.md")); string(b) != "agent's" || len(st.Pending) != 3 {
		t.Errorf("doc-a.md %q, %d pending", b, len(st.Pending))
	}
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
