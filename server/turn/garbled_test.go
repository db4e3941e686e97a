package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// projectNotes are the texts of a dialog's Notes about doc-main.md.
func projectNotes(d *dialog.Dialog) (all []string) {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.Note && s.Kind() == "project" && s.Meta.Get("To") == "human" {
			all = append(all, s.Text())
		}
	}
	return all
}

// utf16 is a text as Windows editors save it, without the mark at its beginning.
func utf16(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}

// A doc-main.md that is not UTF-8 reaches the model garbled: the human is told so in the
// dialog, and the window at the page.
func TestGarbledDocIsTold(t *testing.T) {
	const page = "# Caf\u00e9\n\nA *menu*.\n"
	latin1 := strings.ReplaceAll(page, "\u00e9", "\xe9")
	for name, c := range map[string]struct {
		doc, want string
	}{
		"UTF-8":                    {page, ""},
		"UTF-8 with a mark":        {"\ufeff" + page, ""},
		"a replacement in UTF-8":   {page + "\ufffd", ""},
		"UTF-16 with a mark":       {"\xff\xfe" + utf16("# Menu\n"), "line 1: the page is saved as UTF-16"},
		"UTF-16 without":           {utf16("# Menu\n"), "line 1: the page is saved as UTF-16"},
		"Latin-1":                  {latin1, "line 1: the first of 1 places whose bytes are not UTF-8"},
		"Latin-1, further down":    {"# Menu\n\n" + strings.ReplaceAll(latin1, "menu", "men\xfc \xfc"), "line 3: the first of 3 places"},
		"Latin-1 and a wrong rule": {latin1 + "\n\u0259\u0259\u0259project/v1\nno rule\n\u0259\u0259\u0259\n", "line 6: there is no rule"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{text("hello"), text("again"), text("and again")}})
			save := func(doc string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(w.dir, "root", "p", "doc-main.md"), []byte(doc), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			told := func(got []string, n int) {
				t.Helper()
				if want := min(n, len(c.want)); len(got) != want || want > 0 && !strings.Contains(got[n-1], c.want) {
					t.Errorf("told %q, want %d with %q", got, want, c.want)
				}
			}
			save(c.doc)
			rules, err := w.run.Rules(w.p())
			if err != nil || (len(rules.Problems) > 0) != (c.want != "") {
				t.Errorf("the window is told %v, %v", rules.Problems, err)
			}
			id, _ := w.start("go")
			told(projectNotes(w.view(id).Dialog), 1)
			w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
			told(projectNotes(w.view(id).Dialog), 1)
			if strings.Contains(c.want, "rule") { // a rule is told once, at the beginning
				return
			}
			save(c.doc + "\n")
			w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and again"}})
			told(projectNotes(w.view(id).Dialog), 2)
		})
	}
}
