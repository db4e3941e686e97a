package turn

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// A decision is confirmed by the human's own words in this dialog, not by the model's
// or those of an agent that launched it.
func TestPlanByWords(t *testing.T) {
	log := func(id, title, words string) provider.Call {
		return provider.Call{ID: id, Name: "plan_decision_log", Args: `{"kind":"decision","title":"` + title + `","choice":"` + strings.TrimPrefix(words, "use ") + `","why":"y","words":"` + words + `"}`}
	}
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "so use Postgres"}, log("c1", "A", "use SQLite"), log("c2", "B", "use Postgres")},
		text("ok"),
	}})
	p, _ := w.run.w.Store.Project("p")
	if _, err := p.WriteFile("doc-main.md", "# Main\n\nəəəproject/v1\ntools plan\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("please use SQLite.")
	if n := len(w.view(id).Pending); n != 2 {
		t.Fatalf("%d calls ask", n)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve")})
	f, err := p.ReadFile("doc-plan.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"- **A**: SQLite (why: y) {confidence=user source=explicit from=" + id + "}\n", "- **B**: Postgres (why: y) {confidence=auto source=explicit from=" + id + "}\n",
	} {
		if !strings.Contains(f.Content, line) {
			t.Errorf("%s lacks in\n%s", line, f.Content)
		}
	}
	d := w.view(id).Dialog
	if i := d.Find(dialog.ToolResult, "c2"); i < 0 || !strings.Contains(d.Sections[i].Text(), "stand in no message of a human") {
		t.Error(sections(d))
	}
}
