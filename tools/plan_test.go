package tools

import (
	"fmt"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/plan"
)

const planner = "20260216-201100-start"

// planning is a world with the set plan, in whose dialog a human wants SQLite.
func planning(t *testing.T) *world {
	w := newWorld(t)
	w.set = NewSet("plan")
	w.env.DialogID = planner
	d := &dialog.Dialog{Sections: []dialog.Section{{
		Role: dialog.User, Meta: dialog.Fields{{Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "Please use SQLite."}},
	}}}
	w.env.Said = func(it plan.Item, words string) (bool, string) { return plan.Cited(d, it, words) }
	return w
}

func (w *world) log(kind, title, choice, why, words string) (Result, map[string]any) {
	w.t.Helper()
	return w.call("plan_decision_log", "kind", kind, "title", title, "choice", choice, "why", why, "words", words)
}

func TestPlanSet(t *testing.T) {
	set := NewSet("plan")
	for name, want := range map[string]struct {
		class dialog.Class
		asks  bool
	}{"plan_get": {dialog.Read, false}, "plan_decision_log": {dialog.Mutate, true}} {
		if tool, ok := set.Lookup(name); !ok || tool.Class != want.class || tool.Asks != want.asks {
			t.Errorf("%s: %+v", name, tool)
		}
	}
}

// An item is tentative, and confirmed only with words that a human said.
func TestPlanDecisionLog(t *testing.T) {
	w := planning(t)
	if r, m := w.call("plan_get"); !r.Success || fmt.Sprint(m["decisions"], m["tasks"], m["ideas"]) != "[] [] []" || !strings.Contains(r.JSON, "no plan yet") || w.get(plan.File) != "(none)" {
		t.Error(r.JSON)
	}
	for _, c := range []struct{ title, choice, words, confidence, note string }{
		{"Tone", "x", "", "auto", "tentative until"},
		{"Database", "SQLite", "use SQLite", "user", ""},
		{"Language", "Go", "use Go", "auto", "stand in no message of a human"},
		{"Backups", "every night", "Please", "auto", "too few or too general to be about it"},
		{"Database", "SQLite", "", "user", "It stood there already"},
	} {
		r, m := w.log("decision", c.title, c.choice, "y", c.words)
		note, _ := m["note"].(string)
		if !r.Success || m["confidence"] != c.confidence || !strings.Contains(note, c.note) || c.note == "" && note != "" {
			t.Errorf("%+v: %s", c, r.JSON)
		}
		if doc := w.get(plan.File); m["path"] != plan.File || m["sha256"] != shaOf(doc) || m["bytes"] != float64(len(doc)) {
			t.Errorf("%+v: %s", c, r.JSON)
		}
		if wrote := change.Wrote("plan_decision_log", r.JSON); len(wrote) != 1 || wrote[0].Path != plan.File { // no file of the deed, so nothing to verify
			t.Errorf("%+v", wrote)
		}
	}
	want := "## Decisions\n- **Tone**: x (why: y) {confidence=auto source=explicit from=" + planner + "}\n- **Database**: SQLite (why: y) {confidence=user source=explicit from=" + planner + "}\n"
	if doc := w.get(plan.File); !strings.Contains(doc, want) {
		t.Error(doc)
	}
	w.log("task", "Test", "all", "", "")
	r, m := w.call("plan_get")
	first := m["decisions"].([]any)[1]
	if len(m["decisions"].([]any)) != 4 || len(m["tasks"].([]any)) != 1 || fmt.Sprint(first) != fmt.Sprint(map[string]any{"title": "Database", "choice": "SQLite", "why": "y", "confidence": "user", "source": "explicit", "from": planner}) {
		t.Error(r.JSON)
	}
}

// What a human wrote in the plan stays, and a human's save meanwhile is not lost: the
// item goes into what stands there.
func TestPlanKeepsWhatAHumanWrote(t *testing.T) {
	w := planning(t)
	w.log("idea", "One", "x", "", "")
	const human = "# Ours\r\n\r\nWords.\r\n## Ideas\r\n* **Two**: y\r\n"
	w.put(plan.File, human)
	if r, m := w.log("idea", "Three", "z", "", ""); !r.Success || m["replaced"] != shaOf(human) || w.get(plan.File) != human+"- **Three**: z (why: not said) {confidence=auto source=explicit from="+planner+"}\r\n" {
		t.Errorf("%s\n%q", r.JSON, w.get(plan.File))
	}
}

func TestPlanRefusals(t *testing.T) {
	w := planning(t)
	for _, tool := range []string{"write_file", "edit_file"} {
		r, m := w.call(tool, map[string][]string{
			"write_file": {"path", plan.File, "content", "x"}, "edit_file": {"path", plan.File, "old_string", "x", "new_string", "y"},
		}[tool]...)
		if r.Success || r.Failure != Permission || !strings.Contains(fmt.Sprint(m["error"]), "has its own tools: plan_get") {
			t.Errorf("%s: %s", tool, r.JSON)
		}
	}
	if r, _ := w.log("idea", "** **", "x", "", ""); r.Success || w.get(plan.File) != "(none)" {
		t.Error(r.JSON)
	}
	w.link("doc-main.md", plan.File)
	for tool, args := range map[string]string{"plan_get": `{}`, "plan_decision_log": `{"kind":"idea","title":"t","choice":"c","why":""}`} {
		if r, _ := w.callArgs(tool, args); r.Success || !strings.Contains(r.JSON, "PATH_OUTSIDE_PROJECT") {
			t.Errorf("%s: %s", tool, r.JSON)
		}
	}
	if got := w.get("doc-main.md"); got != "# Mine\n" {
		t.Errorf("through a link it wrote %q", got)
	}
	w = planning(t)
	w.mkdir(plan.File)
	for tool, args := range map[string]string{"plan_get": `{}`, "plan_decision_log": `{"kind":"idea","title":"t","choice":"c","why":""}`} {
		if r, _ := w.callArgs(tool, args); r.Success || !strings.Contains(r.JSON, "a folder") {
			t.Errorf("%s: %s", tool, r.JSON)
		}
	}
}

// Of a plan that grew beyond all measure the first items are told.
func TestPlanGetBounds(t *testing.T) {
	w := planning(t)
	w.put(plan.File, "## Tasks\n"+strings.Repeat("- **t**: c\n", planMost+5))
	if r, m := w.call("plan_get"); len(m["tasks"].([]any)) != planMost || !strings.Contains(r.JSON, "5 items more") {
		t.Errorf("%v", m["note"])
	}
}
