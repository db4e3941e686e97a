package governor

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"vibey/dialog"
	"vibey/dialog/grant"
)

var someRules = func() []grant.Rules {
	var all []grant.Rules
	for _, block := range []string{"", "phases on\nverify go test\ntools server", "budget small_fix 2\nphases on", "verify x\nbudget small_fix 4"} {
		r, _ := grant.ParseRules("əəəproject/v1\n"+block+"\nəəə\n", grant.Known{Sets: sets})
		all = append(all, r)
	}
	return all
}()

// sameAtEveryPrefix holds a judge that is extended section by section against one
// that reads each prefix anew.
func sameAtEveryPrefix(t interface{ Fatalf(string, ...any) }, name string, d *dialog.Dialog) {
	for _, rules := range someRules {
		grown := dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")
		j := New(rules, classOf)
		for i := range d.Sections {
			grown.Append(d.Sections[i])
			j.Extend(grown)
			fresh := New(rules, classOf)
			fresh.Extend(dialog.Parse(dialog.Format(grown)))
			if !reflect.DeepEqual(j.turn, fresh.turn) || !reflect.DeepEqual(j.Next(), fresh.Next()) {
				t.Fatalf("%s, behind section %d:\n%+v %+v\n%+v %+v\n%s", name, i, j.turn, j.Next(), fresh.turn, fresh.Next(), dialog.Format(grown))
			}
		}
	}
}

// TestSameAtEveryPrefix holds for all dialogs of the corpus that the format's tests
// have, damaged ones too.
func TestSameAtEveryPrefix(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d dialogs, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(b).Files {
			if f.Name == "dialog.md" {
				sameAtEveryPrefix(t, file, soundOnly(dialog.Parse(string(f.Data))))
			}
		}
	}
}

// soundOnly leaves out what a writer would not write, so that the text of what is
// left can be parsed again to the same sections.
func soundOnly(d *dialog.Dialog) *dialog.Dialog {
	out := dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")
	for _, s := range d.Sections {
		if !s.Torn && s.ID != "" && s.Loose == "" && dialog.CheckSection(&s) == nil {
			out.Append(s)
		}
	}
	return out
}

var scriptLines = []string{
	"stands",
	"user: go", "user small_fix: mend", "user conversational: hi",
	"says: done, a.js is changed", "says:", "breaks: I",
	`calls: read_file {"path":"deed/a"}`, `calls words: write_file {"path":"deed/a","content":"1"}`, `calls: run_command {"command":"go test"}`,
	`calls x: checkpoint {"goal":"g"}`, `calls x: start_server {"port":1}`, `and: edit_file {"path":"deed/a"}`, `and: no_tool {}`,
	`result: {"success":true,"path":"deed/a","sha256":"aa"}`, `result: {"success":false,"exitCode":1}`,
	`result error schema_reject: {"success":false}`, `result denied permission_denied: {"success":false}`, `result exec_error: {"success":false}`,
	"note nudge By=human To=model: [CONTINUE]", "note mistake Failure=api_error: down",
	"note mail To=model By=x Wakes=yes: [MAIL]", "note mail To=model By=x: [MAIL]", "?", "?", "refuse",
}

// TestAnyScript plays scripts of random lines: the judge says the same at each
// prefix, used is never above limit, and one that is only asked comes to an end.
func TestAnyScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom(scriptLines), 1, 40).Draw(t, "lines")
		rules := rapid.SampledFrom(someRules).Draw(t, "rules")
		s := &script{d: dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")}
		j := New(rules, classOf)
		for _, line := range lines {
			if strings.HasPrefix(line, "result") && len(s.open) == 0 || strings.HasPrefix(line, "and") && s.reply == "" {
				continue
			}
			s.line(line, func(what string) {
				j.Extend(s.d)
				if what == "refuse" {
					s.refuse(j, &strings.Builder{})
				} else if what == "stands" {
					j.Stands()
				} else if len(s.open) == 0 {
					s.notes(j.Next())
				}
			})
			j.Extend(s.d)
			if b := j.Budget(); b.Used > b.Limit || b.Used < 0 {
				t.Fatalf("%+v", b)
			}
		}
		sameAtEveryPrefix(t, fmt.Sprint(lines), s.d)
		for len(s.open) > 0 {
			s.result(dialog.CallApproved, nil, `{"success":true}`)
		}
		for n := 0; ; n++ { // a model that says the same whenever it is asked
			j.Extend(s.d)
			next := j.Next()
			s.notes(next)
			if !next.Ask {
				return
			}
			if n > 6 {
				t.Fatalf("asked %d times for the same words", n)
			}
			s.respond("I changed x.js.", "end")
		}
	})
}

// BenchmarkExtend folds one section, of an answer, a call or its result of some 250
// bytes, behind dialogs of two lengths; behind a result it judges what follows.
func BenchmarkExtend(b *testing.B) {
	for _, rounds := range []int{10, 1000} {
		b.Run(fmt.Sprint(rounds), func(b *testing.B) {
			s := &script{d: dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")}
			round := func(i int) {
				s.line(fmt.Sprintf(`calls go on: run_command {"command":"w%d deed/src/app/page.tsx && npm test"}`, i), nil)
				s.line(fmt.Sprintf(`result: {"success":true,"exitCode":0,"stdout":"ok %d, all 214 tests passed","stderr":"","changed":[{"path":"deed/src/app/page.tsx","sha256":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"}],"sandbox":"bwrap"}`, i), nil)
			}
			s.line("user autonomous: build it", nil)
			for i := range rounds {
				round(i)
			}
			j := New(someRules[1], classOf)
			j.Extend(s.d)
			n := len(s.d.Sections)
			for i := range 3000 {
				round(i)
			}
			b.ReportAllocs()
			b.ResetTimer()
			at := 0
			base := *j
			for range b.N {
				if at == 0 {
					*j = base
				}
				j.fold(s.d, n+at, &s.d.Sections[n+at])
				if s.d.Sections[n+at].Role == dialog.ToolResult {
					j.Next()
				}
				at = (at + 1) % (len(s.d.Sections) - n)
			}
		})
	}
}
