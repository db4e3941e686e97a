package server

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What a human's other programs put into the folder, and no page can be, is told; taken in
// it is a page, and the original stays.
func TestUnlistedIsToldAndTakenIn(t *testing.T) {
	s := newShop(t)
	const path = "/project/p/unlisted"
	if got := s.json("GET", path, "", 200); got != "[]\n" {
		t.Errorf("nothing: %s", got)
	}
	s.write("p/Kapitel-ä.md", "# Ä\n")
	s.write("p/bad\u202e\x01.txt", "x")
	s.write("p/doc-latin.md", "caf\xe9\n")
	s.write("p/chapters/one.md", "x")
	list := get[[]unlistedText](s, path)
	if len(list) != 3 || list[0].Name != "Kapitel-ä.md" || list[0].As != "doc-kapitel-ae.md" || list[1].Name != "bad\u202e\x01.txt" || list[2].Name != "doc-latin.md" || list[2].As != "" || list[2].Why == "" {
		t.Errorf("%+v", list)
	}
	body, _ := json.Marshal(takenIn{"Kapitel-ä.md", "doc-kapitel-ae.md"})
	res, got := s.do(s.request("POST", path, bytes.NewReader(body), "Content-Type", "application/json"))
	made := decode[savedFile](t, got)
	if res.StatusCode != 201 || made.Name != "doc-kapitel-ae.md" || made.ETag == "" || res.Header.Get("ETag") != made.ETag {
		t.Errorf("%d %s", res.StatusCode, got)
	}
	if f := decode[fileText](t, s.json("GET", "/project/p/file/doc-kapitel-ae.md", "", 200)); f.Content != "# Ä\n" {
		t.Errorf("%+v", f)
	}
	if b, err := os.ReadFile(filepath.Join(s.root, "p/Kapitel-ä.md")); string(b) != "# Ä\n" || err != nil {
		t.Errorf("the original: %q %v", b, err)
	}
	if list := get[[]unlistedText](s, path); len(list) != 3 || list[0].In != "doc-kapitel-ae.md" || list[0].As != "doc-kapitel-ae-2.md" || list[1].In != "" {
		t.Errorf("taken in: %+v", list)
	}
	for _, c := range []struct {
		body   string
		status int
		kind   string
	}{
		{string(body), 409, "name-taken"},
		{`{"name":"Kapitel-ä.md","as":"../x.md"}`, 400, "bad-name"},
		{`{"name":"Kapitel-ä.md"}`, 400, "bad-field"},
		{`{"as":"doc-x.md"}`, 400, "bad-field"},
		{`{"name":"doc-latin.md","as":"doc-x.md"}`, 409, "no-page"},
		{`{"name":"doc-main.md","as":"doc-x.md"}`, 409, "no-page"},
		{`{"name":"chapters/one.md","as":"doc-x.md"}`, 404, "not-found"},
		{`{"name":"gone.txt","as":"doc-x.md"}`, 404, "not-found"},
	} {
		if got := s.json("POST", path, c.body, c.status); !strings.Contains(got, "problem:"+c.kind) {
			t.Errorf("%s: %s", c.body, got)
		}
	}
	s.json("GET", "/project/gone/unlisted", "", 404)
}

// Each file that a human's other programs call by what people call their pages is a page,
// or told and taken in; a hidden one is neither.
func TestFilesOfPeople(t *testing.T) {
	s := newShop(t)
	laid := map[string]string{}
	for i, title := range readTitles(t) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		name := strings.ReplaceAll(title, "/", "-")
		name = strings.ToValidUTF8(name[:min(len(name), 250)], "") + ".md"
		laid[name] = "text " + strconv.Itoa(i)
		s.write("p/"+name, laid[name])
	}
	around, err := os.ReadDir(filepath.Dir(s.root))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, u := range get[[]unlistedText](s, "/project/p/unlisted") {
		told[u.Name] = u.As
	}
	pages := get[[]string](s, "/project/p/files")
	taken := 0
	for name, text := range laid {
		as, isTold := told[name]
		switch hidden, page := strings.HasPrefix(name, "."), slices.Contains(pages, name); {
		case hidden && (isTold || page), !hidden && isTold == page:
			t.Errorf("%q: told %v, a page %v", name, isTold, page)
		case isTold:
			taken++
			s.json("POST", "/project/p/unlisted", object("name", name, "as", as), 201)
			if f := decode[fileText](t, s.json("GET", "/project/p/file/"+as, "", 200)); f.Content != text {
				t.Errorf("%q as %s: %q", name, as, f.Content)
			}
			if got := s.text("p/" + name); got != text {
				t.Errorf("the original %q: %q", name, got)
			}
		}
	}
	if after := get[[]string](s, "/project/p/files"); len(after) != len(pages)+taken || taken < len(laid)/2 {
		t.Errorf("%d pages, then %d; %d of %d taken in", len(pages), len(after), taken, len(laid))
	}
	if after, err := os.ReadDir(filepath.Dir(s.root)); err != nil || len(after) != len(around) {
		t.Errorf("beside the projects: %v, %v", after, err)
	}
}

// How many files a snapshot is without stands in its header, before the first byte.
func TestSnapshotSaysHowMuchItIsWithout(t *testing.T) {
	s := newShop(t)
	left := func(method string) string {
		t.Helper()
		res, _ := s.do(s.request(method, "/project/p/snapshot?scope=docs", nil))
		if res.StatusCode != 200 {
			t.Fatal(res.StatusCode)
		}
		return res.Header.Get("Vibey-Left-Out")
	}
	if got := left("GET"); got != "" {
		t.Errorf("of a whole project: %q", got)
	}
	s.write("p/My notes.md", "x")
	s.write("p/chapters/one.md", "x")
	s.write("p/chapters/two.md", "x")
	if get, head := left("GET"), left("HEAD"); get != "2" || head != "2" {
		t.Errorf("%q, %q", get, head)
	}
	names, whole := s.snapshot("p", "docs")
	if strings.Join(names, " ") != "LEFT-OUT.txt doc-main.md" {
		t.Errorf("%q", names)
	}
	res, got := s.do(s.request("POST", "/projects?name=q", bytes.NewReader(whole), "Content-Type", zipType))
	if res.StatusCode != 200 {
		t.Fatal(got)
	}
	if files := get[[]string](s, "/project/q/files"); strings.Join(files, " ") != "doc-main.md" || s.json("GET", "/project/q/unlisted", "", 200) != "[]\n" {
		t.Errorf("%q", files)
	}
}
