package main

import (
	"encoding/json"
	"io"
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
		{"an exit without a failure", pass + "\n" + `{"Action":"exit"}`, false, []string{"1 passed, 0 failed", "go test failed, though no test of it did"}, ""},
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

// What fails for want of a quiet machine runs once more, alone; what was cut or killed, what
// never ended and what is more than an accident does not.
func TestAgain(t *testing.T) {
	said := func(action, test string) string {
		return `{"Action":"` + action + `","Package":"q","Test":"` + test + `"}` + "\n"
	}
	const broken, fine = `{"Action":"fail","Package":"q"}` + "\n", `{"Action":"pass","Package":"q"}` + "\n"
	for _, c := range []struct {
		name, first, run, second string
		ok                       bool
	}{
		{"passes then", said("fail", "TestA/x") + said("fail", "TestA") + said("fail", "TestB") + said("pass", "TestC") + broken, "^(TestA|TestB)$", said("pass", "TestA/x") + said("pass", "TestA") + said("pass", "TestB") + fine, true},
		{"passes then, and go test's own status", said("fail", "TestA") + broken + `{"Action":"exit"}`, "^(TestA)$", said("pass", "TestA") + fine, true},
		{"fails then", said("fail", "TestA") + broken, "^(TestA)$", said("fail", "TestA") + broken, false},
		{"is skipped then", said("fail", "TestA") + broken, "^(TestA)$", said("skip", "TestA") + fine, false},
		{"does not run then", said("fail", "TestA") + broken, "^(TestA)$", fine, false},
		{"all passed", said("pass", "TestA") + fine, "", "", true},
		{"a kill", said("fail", "TestA") + said("fail", "TestKilledServer/x") + broken, "", "", false},
		{"too many", said("fail", "TestA") + said("fail", "TestB") + said("fail", "TestC") + said("fail", "TestD") + said("fail", "TestE") + said("fail", "TestF") + broken, "", "", false},
		{"a panic", said("fail", "TestA") + `{"Action":"output","Package":"q","Test":"TestP","Output":"panic: boom\n"}` + "\n" + broken, "", "", false},
		{"a package that failed without a test", said("fail", "TestA") + broken + `{"Action":"fail","Package":"r"}`, "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			tl := newTally(&out, true)
			if err := tl.read(strings.NewReader(c.first)); err != nil {
				t.Fatal(err)
			}
			ran := ""
			if err := tl.again(func(pkg, run string) (io.Reader, error) {
				ran += run
				return strings.NewReader(c.second), nil
			}); err != nil {
				t.Fatal(err)
			}
			if ran != c.run {
				t.Errorf("run again: %q, want %q", ran, c.run)
			}
			if ok := tl.end(); ok != c.ok || strings.Contains(out.String(), "FLAKY: passed only when run again: q TestA\n") != (c.ok && c.run != "") {
				t.Errorf("all well: %v, want %v\n%s", ok, c.ok, out.String())
			}
		})
	}
}
