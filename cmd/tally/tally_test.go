package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	const pass = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"p","Elapsed":0.2}`
	for _, c := range []struct {
		name, in string
		ok       bool
		says     []string // in order
		hides    string
	}{
		{"pass", pass, true, []string{"ok    p ", "1 passed, 0 failed, 0 skipped; 1 packages, 0 of them broken"}, "quiet"},
		{"nothing ran", "", false, []string{"0 passed"}, ""},
		{"a failure speaks", pass + `
{"Action":"output","Package":"q","Test":"TestB","Output":"B: want 1\n"}
{"Action":"fail","Package":"q","Test":"TestB"}
{"Action":"output","Package":"q","Output":"FAIL\tq\n"}
{"Action":"fail","Package":"q"}`, false, []string{"B: want 1", "FAIL\tq", "1 passed, 1 failed"}, "quiet"},
		{"a skipped test is no success", pass + `
{"Action":"output","Package":"q","Test":"TestS","Output":"no chromium\n"}
{"Action":"skip","Package":"q","Test":"TestS"}
{"Action":"pass","Package":"q"}`, false, []string{"no chromium", "1 passed, 0 failed, 1 skipped"}, ""},
		{"what the machine lacks", pass + lacking, true, []string{"1 passed, 0 failed, 0 skipped", "left out here, which fails in CI: 2 tests need bubblewrap (apt install bubblewrap); 1 tests need strace (apt install strace); the window needs a browser\n"}, "a_test.go"},
		{"what the machine of CI lacks", pass + lacking, false, []string{"2 tests need bubblewrap"}, "a_test.go"},
		{"a long test", pass + skip("TestL", "left to `just check`: it takes long"), true, []string{"0 skipped", "left to `just check`: 1 long tests or parts of tests\n"}, "a_test.go"},
		{"a package without tests is fine", pass + `
{"Action":"skip","Package":"q"}`, true, []string{"1 passed, 0 failed, 0 skipped; 1 packages"}, ""},
		{"a build that failed", pass + `
{"ImportPath":"q [q.test]","Action":"build-output","Output":"q.go:1:1: expected 'package'\n"}
{"ImportPath":"q [q.test]","Action":"build-fail"}
{"Action":"output","Package":"q","Output":"FAIL\tq [build failed]\n"}
{"Action":"fail","Package":"q"}`, false, []string{"expected 'package'", "[build failed]", "1 of them broken"}, ""},
		{"a panic in the middle", `{"Action":"run","Package":"q","Test":"TestP"}
{"Action":"output","Package":"q","Test":"TestP","Output":"panic: boom\n"}
{"Action":"fail","Package":"q"}`, false, []string{"panic: boom", "0 passed, 1 failed"}, ""},
		{"words of the go command", "go: updates to go.mod needed\n", false, []string{"go: updates to go.mod needed"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			tl := newTally(&out, strings.Contains(c.name, "CI"))
			if c.name == "what the machine lacks" {
				tl.left = "the window needs a browser"
			}
			for line := range strings.Lines(c.in) {
				tl.line([]byte(line))
			}
			if ok := tl.end(); ok != c.ok {
				t.Errorf("all well: %v, want %v", ok, c.ok)
			}
			rest := out.String()
			for _, want := range c.says {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%q is not in, or not in this order:\n%s", want, out.String())
				}
				rest = after
			}
			if c.hides != "" && strings.Contains(out.String(), c.hides) {
				t.Errorf("%q is printed:\n%s", c.hides, out.String())
			}
		})
	}
}

// skip is a test that is left out with these words.
func skip(test, words string) string {
	said, _ := json.Marshal("    a_test.go:7: " + words + "\n")
	return "\n" + `{"Action":"output","Package":"q","Test":"` + test + `","Output":` + string(said) + "}\n" +
		`{"Action":"skip","Package":"q","Test":"` + test + `"}`
}

var lacking = skip("TestB", "left out: it needs bubblewrap (apt install bubblewrap)") +
	skip("TestS", "left out: it needs strace (apt install strace)") +
	skip("TestC/bwrap", "left out: it needs bubblewrap (apt install bubblewrap)")
