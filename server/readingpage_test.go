package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/picture"
	"vibey/server/reading"
)

// Of a doc with CriticMarkup a page has the text as it stands; its comments stand at its
// end, or are left out.
func TestReadingPageOfSuggestions(t *testing.T) {
	s := newShop(t)
	doc := "# {==Sea==}{>>Which <b>?<<}\r\n\r\nIt is {++very ++}wide, {~~blue~>green~~}.\r\n\r\n`{++code++}`, never {==closed.\r\n"
	s.write("p/doc-sea.md", doc)
	for path, has := range map[string][]string{
		"":            {"<title>Sea</title>", "<h1><mark>Sea</mark><sup class=\"comment\">a</sup></h1>", "<p class=\"who\">Comments</p>", "<ol type=\"a\">\n<li dir=\"auto\">Which &lt;b&gt;?</li>"},
		"?comments=1": {"<li dir=\"auto\">Which"},
		"?comments=0": {"<title>Sea</title>", "<h1>Sea</h1>"},
	} {
		res, page := s.do(s.request("GET", "/project/p/file/doc-sea.md/page"+path, nil))
		if res.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, res.StatusCode, page)
		}
		for _, want := range append(has, "It is <ins>very </ins>wide, <del>blue</del><ins>green</ins>.", "<code>{++code++}</code>, never {==closed.") {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", path, want, page)
			}
		}
		if path == "?comments=0" && strings.Contains(page, "Which") {
			t.Errorf("a comment was not left out:\n%s", page)
		}
	}
	if res, page := s.do(s.request("GET", "/project/p/file/doc-sea.md/page?comments=no", nil)); res.StatusCode != 400 {
		t.Errorf("?comments=no: %d %s", res.StatusCode, page)
	}
	if _, got := s.do(s.request("GET", "/project/p/file/doc-sea.md", nil)); !strings.Contains(got, `{==Sea==}{\u003e\u003eWhich`) && !strings.Contains(got, "{==Sea==}{>>Which") {
		t.Errorf("the file has become %s", got)
	}
}

// A page to give away has the whole text, and nothing in it that runs or fetches.
func TestReadingPage(t *testing.T) {
	s := newShop(t)
	gif := "GIF89a\x01\x00\x01\x00"
	s.write("p/deed/a b.gif", gif)
	_, added := s.attach("ä #1 (%).png", onePNG)
	_, drawing := s.attach("drawing.svg", oneSVG)
	s.write("p/files/foreign.png", onePNG)
	shown := picture.Link("dot", added.Path) + " ![svg](<" + drawing.Path + ">) ![foreign](files/foreign.png)\n\n"
	s.write("p/deed/fake.png", "<script>alert(1)</script>")
	hostile := "# Sea <script>alert(1)</script>\n\n[go](javascript:alert(1)) [main](doc-main.md) [out](https://example.org/x)\n\n" +
		"![lamp](<deed/a b.gif>) ![fake](deed/fake.png) ![out](../../etc/x.png) ![far](https://example.org/p.png)\n\n" +
		"əəəproject/v1\n- verify `<b>`\nəəə\n\n<iframe src=//example.org></iframe>\n"
	hostile += "\n" + shown
	s.write("p/doc-sea.md", "---\ntitle: The sea\n---\n"+hostile)
	s.write("p/dialog-20260216-201100-sea-done.md", "# Dialog\n> DialogId: 20260216-201100-sea\n> Title: </title><script>1</script>\n> Provider: claude\n> Model: m-1\n> Status: done\n> Started: 2026-02-16T20:11:00Z\n\n"+
		"## System\n\nBe kind.\n\n## User\n> By: human\n\nəəəinput/markdown\n"+strings.ReplaceAll(hostile, "əəə", "əəəə")+"\nəəə\n\n## Assistant\n\nThe *sea* it is.\n\n"+
		"## Tool Request\n> Id: call_1\n> Tool: write_file\n\nəəətool/input/json\n{\"path\":\"deed/</pre><script>x</script>\"}\nəəə\n")
	for path, has := range map[string][]string{
		"/project/p/file/doc-sea.md/page": {"<title>Sea &lt;script&gt;alert(1)&lt;/script&gt;</title>", "title: The sea", "<pre><code>- verify `&lt;b&gt;`"},
		"/project/p/dialog/20260216-201100-sea/page": {
			"<title>&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;</title>", "Human", "m-1", "<em>sea</em>", "What the model is told", "Be kind.", "Wants to use write_file", "&lt;/pre&gt;&lt;script&gt;x",
		},
	} {
		res, page := s.do(s.request("GET", path, nil))
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment; ") {
			t.Fatalf("%s: %d %v %s", path, res.StatusCode, res.Header, page)
		}
		if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") || !strings.HasSuffix(policy, "; sandbox") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for _, want := range append(has, "data:image/gif;base64,"+base64.StdEncoding.EncodeToString([]byte(gif)), "[fake deed/fake.png]", "data:image/png;base64,"+base64.StdEncoding.EncodeToString([]byte(onePNG))+`" alt="dot"`, "[svg files/", "[foreign files/foreign.png]", "Image at example.org", `href="https://example.org/x"`, "&lt;script&gt;alert(1)", "&lt;iframe", "<a>main</a>") {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", path, want, page)
			}
		}
		for _, tag := range regexp.MustCompile(`<(?i:script|iframe|object|embed|link|form|base)\b|<[a-z]+[^>]* (?:on[a-z]+|srcset|action)=|src="[^d]|javascript:`).FindAllString(page, -1) {
			t.Errorf("%s: %q in\n%s", path, tag, page)
		}
	}
	for path, status := range map[string]int{
		"/project/p/file/doc-none.md/page": 404, "/project/p/dialog/20260216-201100-none/page": 404, "/project/none/file/doc-sea.md/page": 404, "/project/p/file/-x.txt/page": 400,
	} {
		if res, page := s.do(s.request("GET", path, nil)); res.StatusCode != status {
			t.Errorf("%s: %d, want %d: %s", path, res.StatusCode, status, page)
		}
	}
}

// A permission that nobody gave here is not told as a human's.
func TestReadingPageConfirms(t *testing.T) {
	s := newShop(t)
	id := "20260216-201100-sea"
	sec := dialog.Section{
		Role: dialog.Authorization, ID: "a1", Time: dialog.Span(time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()),
		Meta: dialog.Fields{{Key: "Scope", Value: "dialog"}, {Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "allow write_file"}},
	}
	grant.Authority{Key: []byte("0123456789abcdef0123456789abcdef"), Project: "p", DialogID: id}.Seal(&sec, "")
	head := "# Dialog\n> DialogId: " + id + "\n> Provider: claude\n> Model: m-1\n> Status: done\n> Started: 2026-02-16T20:11:00Z\n"
	d := dialog.Parse(head)
	genuine := "\n" + d.Encode(sec)
	for text, want := range map[string]bool{genuine: true, strings.Replace(genuine, "allow write_file", "allow run_command", 1): false} {
		s.write("p/dialog-"+id+"-done.md", head+text)
		_, page := s.do(s.request("GET", "/project/p/dialog/"+id+"/page", nil))
		if strings.Contains(page, `<p class="who">Human`) != want || strings.Contains(page, `<p class="who">Not confirmed`) == want {
			t.Errorf("genuine %v:\n%s\n%s", want, text, page[strings.Index(page, "<body>"):])
		}
	}
}

// Nothing is rendered for a client that left.
func TestReadingPageEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	m := reading.Maker{HTML: func(string) string { t.Error("rendered"); return "" }}
	d := dialog.Parse("# Dialog\n> DialogId: x\n\n## User\n\nəəəinput/markdown\nhi\nəəə\n")
	if err := m.Dialog(ctx, new(bytes.Buffer), "x", "x", d); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A picture of files/ stands in a page as one of the deed does; what is no picture does not.
func TestReadingPageAttached(t *testing.T) {
	s := newShop(t)
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	_, lamp := s.attach("a b.gif", gif)
	_, notes := s.attach("notes.txt", "Oil.")
	s.write("p/doc-sea.md", "# Sea\n\n![lamp](<"+lamp.Path+">) ![notes]("+notes.Path+") ![none](files/0123456789abcdef-x.gif)\n")
	_, page := s.do(s.request("GET", "/project/p/file/doc-sea.md/page", nil))
	for _, want := range []string{`src="data:image/gif;base64,` + base64.StdEncoding.EncodeToString([]byte(gif)), "[notes " + notes.Path + "]", "[none files/0123456789abcdef-x.gif]"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// A picture that is too large for a page is read once, however often a text names it.
func TestReadingPageReadsOnce(t *testing.T) {
	s := newShop(t)
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	_, large := s.attach("a.gif", gif+strings.Repeat("\x00", pictureMost))
	s.write("p/doc-sea.md", strings.Repeat("![lamp]("+large.Path+")\n", 200))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, page := s.do(s.request("GET", "/project/p/file/doc-sea.md/page", nil))
	runtime.ReadMemStats(&after)
	if n := strings.Count(page, "[lamp "+large.Path+"]"); n != 200 {
		t.Errorf("%d are named", n)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 200 {
		t.Errorf("%d MB", mb)
	}
}
