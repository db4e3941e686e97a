package turn

import (
	"strings"
	"testing"

	"vibey/provider"
)

// An agent makes no doc that the project's list and its import would not take.
func TestAgentMakesNoDocThatNoListHas(t *testing.T) {
	long, longest := strings.Repeat("x", 198)+".md", strings.Repeat("x", 197)+".md"
	w := newWorld(t, &script{answers: [][]provider.Event{{
		write("c1", long, "a"), write("c2", longest, "a"), write("c3", "Doc-A.md", "a"), edit("c4", "DOC-a.md", "first", "a"), write("c5", "deed/Doc-A.md", "a"),
	}, text("ok")}})
	w.save("doc-a.md", "first")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
	d := w.view(id).Dialog
	for call, says := range map[string]string{
		"c1": "at most 200 of them", "c2": `"success":true`, "c3": "'Doc-A.md' was not made: doc-a.md stands there", "c4": "'DOC-a.md' was not made: doc-a.md stands there", "c5": `"success":true`,
	} {
		if got := result(d, call); !strings.Contains(got, says) {
			t.Errorf("%s: %s", call, got)
		}
	}
	if w.read(long) != "(none)" || w.read("Doc-A.md") != "(none)" || w.read("doc-a.md") != "first" {
		t.Errorf("%.20q, %q, %q", w.read(long), w.read("Doc-A.md"), w.read("doc-a.md"))
	}
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	names, err := p.Files()
	if err != nil || !strings.Contains(strings.Join(names, " "), longest) {
		t.Errorf("%v, %v", names, err)
	}
}
