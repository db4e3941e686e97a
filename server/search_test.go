package server

import (
	"net/url"
	"strings"
	"testing"

	"vibey/server/project"
)

func TestSearch(t *testing.T) {
	s := newShop(t)
	s.write("p/dialog-20260216-201100-x-waiting.md", small)
	s.write("p/doc-a.md", "one\n  A <Deed> of \"words\"\n")
	find := func(query string) searchAnswer { t.Helper(); return get[searchAnswer](s, "/project/p/search?"+query) }
	if got := find("q=" + url.QueryEscape(`<dEED> OF "`)); got.More || len(got.Results) != 1 || got.Results[0] != (project.SearchResult{File: "doc-a.md", Line: 2, Text: `  A <Deed> of "words"`}) {
		t.Errorf("%+v", got)
	}
	got := find("q=change+it&in=dialogs")
	if len(got.Results) != 2 || got.More || got.Results[0].DialogID != "20260216-201100-x" || got.Results[0].Role != "User" || got.Results[0].Section != "msg_20260216_201100_u1" || got.Results[1].Role != "Assistant" || got.Results[1].Text != "I change it." {
		t.Errorf("%+v", got)
	}
	if got := find("q=change+it&limit=1"); len(got.Results) != 1 || !got.More {
		t.Errorf("%+v", got)
	}
	if text := s.json("GET", "/project/p/search?q=nowhere&in=docs&limit=500", "", 200); text != `{"results":[],"more":false}`+"\n" {
		t.Error(text)
	}
	for _, q := range []string{"%20a", strings.Repeat("%C3%BC", 200), "a%09b", "100%25"} {
		s.json("GET", "/project/p/search?q="+q, "", 200)
	}
	for query, says := range map[string]string{
		"": "missing or blank", "q=": "missing or blank", "q=%20%09": "missing or blank", "q=%ff": "not UTF-8", "q=a%zz": "can't be read", "q=100%": "can't be read",
		"q=a%0Ab": "line end", "q=a%0D": "line end", "q=%00": "control character", "q=a%E2%80%A8b": "line end", "q=" + strings.Repeat("x", 201): "has 201 characters",
		"q=a&in=deed": "docs, dialogs or all", "q=a&in=Docs": "docs, dialogs or all", "q=a&limit=0": "from 1 to 500", "q=a&limit=501": "from 1 to 500", "q=a&limit=-1": "from 1 to 500", "q=a&limit=x": "from 1 to 500", "q=a&limit=1.5": "from 1 to 500",
	} {
		if text := s.json("GET", "/project/p/search?"+query, "", 400); !strings.Contains(text, says) {
			t.Errorf("%s: %s", query, text)
		}
	}
	s.json("GET", "/project/none/search?q=a", "", 404)
	s.json("POST", "/project/p/search?q=a", "{}", 405)
}
