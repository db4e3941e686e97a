package tools

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// matched is the matches in a result of search_files.
func matched(t *testing.T, w *world, args string) (matches string, m map[string]any) {
	t.Helper()
	r, m := w.callArgs("search_files", args)
	if !r.Success {
		t.Fatalf("%s: %s", args, r.JSON)
	}
	var all []string
	for _, f := range m["matches"].([]any) {
		all = append(all, f.(string))
	}
	return strings.Join(all, " | "), m
}

func TestSearchFiles(t *testing.T) {
	w := newReader(t)
	for _, d := range []string{"deed/src", "deed/.git", "deed/node_modules"} {
		w.mkdir(d)
	}
	for f, text := range map[string]string{
		"doc-main.md": "# Needle\n", "dialog-20260101-000000-x-waiting.md": "Needle\n", ".hidden.md": "Needle\n",
		"deed/a.txt": "a needle\r\nNeedle (x)\nno\nNeedle again", "deed/src/b.js": "f(x)\nNeedle\n", "deed/.git/config": "Needle\n",
		"deed/node_modules/i.js": "Needle\n", "deed/bin": "Needle\x00\n", "deed/latin": "Needle caf\xe9\n",
	} {
		w.put(f, text)
	}
	w.link("a.txt", "deed/link")
	if err := unix.Mkfifo(w.path("deed/pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	everywhere := "doc-main.md:1:# Needle | deed/a.txt:2:Needle (x) | deed/a.txt:4:Needle again | deed/latin:1:Needle caf\uFFFD | deed/src/b.js:2:Needle"
	for args, want := range map[string]string{
		`{"query":"Needle"}`:                                                    everywhere,
		`{"query":"Needle","path":"."}`:                                         everywhere,
		`{"query":"needle"}`:                                                    "deed/a.txt:1:a needle",
		`{"query":"(x)"}`:                                                       "deed/a.txt:2:Needle (x) | deed/src/b.js:1:f(x)",
		`{"query":"(x)","regexp":false}`:                                        "deed/a.txt:2:Needle (x) | deed/src/b.js:1:f(x)",
		`{"query":"^f\\(x\\)$","regexp":true}`:                                  "deed/src/b.js:1:f(x)",
		`{"query":"(?i)^a NEEDLE$","regexp":true}`:                              "deed/a.txt:1:a needle",
		`{"query":"Needle","path":"deed/src"}`:                                  "deed/src/b.js:2:Needle",
		`{"query":"Needle","path":"deed/a.txt"}`:                                "deed/a.txt:2:Needle (x) | deed/a.txt:4:Needle again",
		`{"query":"Needle","path":"deed/link"}`:                                 "deed/a.txt:2:Needle (x) | deed/a.txt:4:Needle again",
		`{"query":"Needle","path":"deed/node_modules"}`:                         "deed/node_modules/i.js:1:Needle",
		`{"query":"Needle","path":"doc-main.md"}`:                               "doc-main.md:1:# Needle",
		`{"query":"Needle","path":"dialog-20260101-000000-x-waiting.md"}`:       "dialog-20260101-000000-x-waiting.md:1:Needle",
		`{"query":"nowhere to be found"}`:                                       "",
		`{"query":"^$","regexp":true,"path":"doc-main.md"}`:                     "",
		`{"query":"x*","regexp":true,"path":"doc-main.md"}`:                     "doc-main.md:1:# Needle",
		`{"query":"Needle","path":"deed/bin","description":"in a binary file"}`: "",
	} {
		if got, m := matched(t, w, args); got != want {
			t.Errorf("%s: %v", args, m)
		}
	}
	if _, m := matched(t, w, `{"query":"Needle"}`); m["filesSearched"] != 4.0 || !strings.Contains(fmt.Sprint(m["note"]), "1 binary files were not searched") {
		t.Errorf("%v", m)
	}
	for args, want := range map[string]string{
		`{"query":"(","regexp":true}`:                   "is no regular expression",
		`{"query":"(?=x)","regexp":true}`:               "is no regular expression",
		`{"query":"(a)\\1","regexp":true}`:              "is no regular expression",
		`{"query":""}`:                                  `"query" must not be empty`,
		`{"query":"a\nb"}`:                              "holds a line end",
		`{"query":"` + strings.Repeat("x", 1001) + `"}`: "at most 1000",
		`{"query":"x","path":"deed/none"}`:              "there is no 'deed/none'",
		`{"query":"x","path":"deed/pipe"}`:              "is a device, pipe or socket",
		`{"query":"x","path":"../x"}`:                   "PATH_OUTSIDE_PROJECT",
		`{"query":"x","path":"deed/.git"}`:              "belongs to git",
		`{"query":"x","regexp":"yes"}`:                  `"regexp" must be true or false`,
	} {
		if r, m := w.callArgs("search_files", args); r.Success || len(m) != 2 || !strings.Contains(fmt.Sprint(m["error"]), want) {
			t.Errorf("%s: %s", args, r.JSON)
		}
	}
}

func TestSearchFilesBounds(t *testing.T) {
	w := newReader(t)
	w.put("deed/many", strings.Repeat("x\n", 1000))
	if got, m := matched(t, w, `{"query":"x"}`); strings.Count(got, "|") != matchMost-1 || m["omitted"] != 800.0 {
		t.Errorf("%v", m["omitted"])
	}
	w.put("deed/many", strings.Repeat("ü", 5000)+"needle"+strings.Repeat("ü", 5000))
	if got, _ := matched(t, w, `{"query":"needle"}`); len(got) > 400 || !strings.HasPrefix(got, "deed/many:1:…ü") || !strings.HasSuffix(got, "ü…") || !strings.Contains(got, "üneedleü") || strings.Contains(got, "\uFFFD") {
		t.Errorf("%s", got)
	}
	if got, m := matched(t, w, `{"query":"ne+dle","regexp":true}`); !strings.Contains(got, "needle") || m["note"] != nil {
		t.Errorf("%v", m)
	}
	w.put("deed/many", strings.Repeat("x", lineMost)+"needle")
	if got, m := matched(t, w, `{"query":"needle$","regexp":true}`); got != "" || !strings.Contains(fmt.Sprint(m["note"]), "very long lines") {
		t.Errorf("%v", m)
	}
	if err := os.Truncate(w.path("deed/many"), searchFile+1); err != nil {
		t.Fatal(err)
	}
	if got, m := matched(t, w, `{"query":"needle"}`); got != "" || !strings.Contains(fmt.Sprint(m["note"]), "1 files of more than") {
		t.Errorf("%v", m)
	}
}

// A search whose time is over tells what it found until then, and that it is not all.
func TestSearchTime(t *testing.T) {
	w := newReader(t)
	w.put("deed/a", "x\n")
	m := matcher{pattern: regexp.MustCompile("x")}
	p, err := findAny(w.env, "deed")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &search{ctx: ctx, matcher: m, clean: w.env.masker(), left: searchBytes}
	if err := s.place(w.env, p); err != nil || !s.partial || !strings.Contains(s.note(), "ended before all was searched") {
		t.Errorf("%v %+v", err, s)
	}
	s = &search{ctx: t.Context(), matcher: m, clean: w.env.masker(), left: 1}
	if err := s.place(w.env, p); err != nil || !s.partial {
		t.Errorf("%v %+v", err, s)
	}
	if r := w.set.Call(ctx, w.env, "search_files", `{"query":"x"}`); !r.Interrupted {
		t.Error(r.JSON)
	}
}
