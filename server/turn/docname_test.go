package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
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

// On a disk that folds names an agent's other spelling replaces no doc, and in the deed
// means the file that stands there, which keeps its name, and which an undo brings back.
func TestAgentKeepsNames(t *testing.T) {
	testenv.OnFolding(t, func(t *testing.T) {
		w := newWorld(t, &script{answers: [][]provider.Event{{
			write("c1", "Doc-A.md", "theirs"), edit("c2", "DOC-a.md", "first", "theirs"), write("c3", "deed/PAGES/Index.html", "new"), write("c4", "DOC-PLAN.md", "theirs"),
			write("c5", "doc-New.md", "theirs"), write("c6", "deed/Fresh.txt", "theirs"),
		}, text("ok")}})
		w.save("doc-a.md", "first")
		w.deed("pages/index.html", "old")
		id, _ := w.start("go")
		w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
		d := w.view(id).Dialog
		for call, says := range map[string]string{
			"c1": "'Doc-A.md' was not made: doc-a.md stands there", "c2": "'DOC-a.md' was not made: doc-a.md stands there", "c3": `"path":"deed/pages/index.html"`,
			"c4": "doc-plan.md has its own tools", "c5": `"path":"` + w.listed("", "doc-New.md") + `"`, "c6": `"path":"deed/` + w.listed("deed", "Fresh.txt") + `"`,
		} {
			if got := result(d, call); !strings.Contains(got, says) {
				t.Errorf("%s: %s", call, got)
			}
		}
		if got := w.read("doc-a.md"); got != "first" {
			t.Errorf("doc-a.md says %q", got)
		}
		if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "deed/pages/index.html "+dialog.SHA256("old") || w.listed("deed/pages", "INDEX.html") != "index.html" {
			t.Errorf("%s, in the folder %s", got, w.listed("deed/pages", "INDEX.html"))
		}
	})
}

// A human who approves one call by its hash, or a folder, is asked about the file that stands
// there, and so is what the agent writes then.
func TestApprovedByAnotherSpelling(t *testing.T) {
	testenv.OnFolding(t, func(t *testing.T) {
		w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/PAGES/Index.html", "new")}, {write("c2", "deed/Pages/index.HTML", "newer")}, text("ok")}})
		w.deed("pages/index.html", "old")
		id, _ := w.start("go")
		if p := w.view(id).Pending; len(p) != 1 || p[0].Target == nil || p[0].Target.Path != "deed/pages/index.html" || p[0].Target.SHA256 != dialog.SHA256("old") {
			t.Fatalf("%+v", p)
		}
		w.put(Input{DialogID: id, Control: control("c1 approve")})
		if got := result(w.view(id).Dialog, "c1"); !strings.Contains(got, `"path":"deed/pages/index.html"`) {
			t.Error(got)
		}
		if _, sub, err := w.run.Put(t.Context(), Input{Project: w.p(), DialogID: id, Control: control("allow write_file deed/pages/")}); err != nil || sub != nil || len(w.view(id).Pending) != 1 {
			t.Errorf("an allow for deed/pages/ released a write in deed/Pages/: %v", err)
		}
		w.put(Input{DialogID: id, Control: control("c2 approve")})
		if w.read("deed/pages/index.html") != "newer" || w.listed("deed", "PAGES") != "pages" || w.listed("deed/pages", "INDEX.HTML") != "index.html" {
			t.Error(result(w.view(id).Dialog, "c2"))
		}
	})
}

// listed is the name under which a folder of the project lists a file.
func (w *world) listed(dir, name string) string {
	w.t.Helper()
	all, err := os.ReadDir(filepath.Join(w.dir, "root", "p", dir))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range all {
		if strings.EqualFold(e.Name(), name) {
			return e.Name()
		}
	}
	return "(none)"
}
