package tools

import (
	"os"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

// On a disk that folds names a doc is read under the name that the folder lists, and a file
// of the deed by any spelling, under its name.
func TestReadsByTheListing(t *testing.T) {
	testenv.OnFolding(t, func(t *testing.T) {
		w := newReader(t)
		w.mkdir("deed/src")
		w.put("deed/src/app.js", "code")
		for _, call := range [][]string{
			{"read_file", "path", "DOC-MAIN.md"}, {"search_files", "path", "Doc-Main.md", "query", "Mine"}, {"list_files", "path", "DOC-main.md"},
		} {
			if r, _ := w.call(call[0], call[1:]...); r.Success || !strings.Contains(r.JSON, "there is no '"+call[2]+"'") {
				t.Errorf("%q: %s", call, r.JSON)
			}
		}
		if r, _ := w.call("search_files", "path", "deed/SRC/App.js", "query", "code"); !strings.Contains(r.JSON, "deed/src/app.js:1:code") {
			t.Error(r.JSON)
		}
		if r, m := w.call("read_file", "path", "deed/SRC/App.js"); m["path"] != "deed/src/app.js" {
			t.Error(r.JSON)
		}
		if tg, ok := NewLook(w.env).Target("write_file", arguments("path", "DOC-main.md", "content", "x")); !ok || tg.Exists {
			t.Errorf("%+v, %v", tg, ok)
		}
		if tg, ok := NewLook(w.env).Target("write_file", arguments("path", "deed/SRC/APP.js", "content", "x")); !ok || tg.Path != "deed/src/app.js" || tg.SHA256 != shaOf("code") {
			t.Errorf("%+v, %v", tg, ok)
		}
		if r, m := w.call("edit_file", "path", "deed/SRC/APP.js", "old_string", "code", "new_string", "more"); m["path"] != "deed/src/app.js" {
			t.Error(r.JSON)
		}
		if all, err := os.ReadDir(w.path("deed/src")); err != nil || len(all) != 1 || all[0].Name() != "app.js" {
			t.Errorf("%v, %v", all, err)
		}
	})
}
