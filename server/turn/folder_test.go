package turn

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/turn/record"
)

// link makes a link in the project's folder.
func (w *world) link(name, to string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "root/p", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		w.t.Fatal(err)
	}
}

// An allow of a folder covers what is written below it, by its path and by where it
// lies. All else asks.
func TestFolderIsAllowed(t *testing.T) {
	for path, runs := range map[string]bool{
		"deed/my game/a": true, "deed/my game/new/folder/a": true, "deed/./my game//b": true, "deed/my game/in/a": true,
		"deed/my game2/a": false, "deed/My game/a": false, "deed/a": false, "doc-a.md": false, "doc-main.md": false,
		"deed/my game/../../doc-x.md": false, "deed/my game/../a": false,
		"deed/my game/out/a": false, "deed/my game/out/new/a": false, "deed/my game/file": false, "deed/my game/far/x": false, "deed/my game/dangling": false,
		"deed/there/a": false, // leads into it
	} {
		t.Run(path, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{text("first"), {write("c1", path, "new")}, text("ok")}})
			w.save("deed/other.txt", "old")
			w.link("deed/my game/out", "../other")
			w.link("deed/other/x", "y")
			w.link("deed/my game/file", "../other.txt")
			w.link("deed/my game/far", t.TempDir())
			w.link("deed/my game/dangling", "../nothing")
			w.link("deed/there", "my game")
			w.link("deed/my game/in/x", "y") // in is a folder
			id, _ := w.start("go")
			w.tell(id, "allow write_file deed/my game/")
			w.put(Input{DialogID: id, Prompt: &Prompt{Text: "write"}})
			v := w.view(id)
			if ran := v.Dialog.Find(dialog.ToolResult, "c1") >= 0; ran != runs {
				t.Errorf("it ran: %v", ran)
			}
			if all, err := w.p().Dialogs(); err != nil || len(all) != 1 || (all[0].Needs == "approval") == runs {
				t.Errorf("the list says %+v, %v", all, err)
			}
		})
	}
}

// An approval binds the file to which the path leads when it is given: a folder that an
// earlier call of the same response swaps for a link does not lead the write elsewhere.
func TestApprovalBindsTheRealPath(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		path    string // of the call, in which deed/way is a link to deed/game
		runs    bool
		at      string // of the file that is written
	}{
		"a new file":            {"mv deed/game deed/was; ln -s other deed/game", "deed/game/new", false, ""},
		"a file alike":          {"mv deed/game deed/was; ln -s other deed/game", "deed/game/x", false, ""},
		"a new folder":          {"mv deed/game deed/was; ln -s other deed/game", "deed/game/more/new", false, ""},
		"a link that is turned": {"rm deed/way; ln -s other deed/way", "deed/way/new", false, ""},
		"a link that stays":     {"true", "deed/way/new", true, "deed/game/new"},
		"no link":               {"true", "deed/game//new", true, "deed/game/new"},
		"a link that goes":      {"rm deed/way; mkdir deed/way", "deed/way/new", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{{command("c0", c.command), write("c1", c.path, "new")}, text("ok")}})
			w.link("deed/way", "game")
			for _, f := range []string{"deed/game/x", "deed/other/x"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, "root/p", f)), 0o755); err != nil {
					t.Fatal(err)
				}
				w.save(f, "alike")
			}
			id, _ := w.start("go")
			w.put(Input{DialogID: id, Control: control("c0 approve\nc1 approve")})
			v := w.view(id)
			if got := result(v.Dialog, "c0"); !strings.Contains(got, `"success":true`) {
				t.Fatal(got)
			}
			got := result(v.Dialog, "c1")
			if runs := strings.Contains(got, `"success":true`); runs != c.runs || c.runs && w.read(c.at) != "new" {
				t.Error(got)
			}
			if names, _ := os.ReadDir(filepath.Join(w.dir, "root/p/deed/other")); len(names) != 1 || w.read("deed/other/x") != "alike" {
				t.Errorf("it wrote elsewhere: %v", names)
			}
		})
	}
}

// A link that is made after an allow of a folder released a call does not lead that
// call elsewhere.
func TestFolderIsLeftByALink(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c0", "mv deed/game deed/was; ln -s other deed/game"), write("c1", "deed/game/x", "new")}, text("ok")}})
	for _, f := range []string{"deed/game/x", "deed/other/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, "root/p", f)), 0o755); err != nil {
			t.Fatal(err)
		}
		w.save(f, "old")
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c0 approve\nallow write_file deed/game/")})
	d := w.view(id).Dialog
	if got := result(d, "c0"); !strings.Contains(got, `"success":true`) {
		t.Fatal(got)
	}
	if w.read("deed/other/x") != "old" || w.read("deed/was/x") != "old" {
		t.Errorf("%q, %q", w.read("deed/other/x"), w.read("deed/was/x"))
	}
	if got := result(d, "c1"); !strings.Contains(got, "a link leads 'deed/game/x' to 'deed/other/x'") {
		t.Errorf("result %s", got)
	}
}

// What was not shown is released by no allow that is about it, and an allow of
// another folder is not about it.
func TestSeenBelowAFolder(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a/x", "1"), write("c2", "deed/b/x", "2")}, text("ok")}})
	id, _ := w.start("go")
	say := func(text, seen string) error {
		_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control(text), Seen: seen})
		return err
	}
	if err := say("allow write_file deed/b/", "c1"); !errors.Is(err, ErrStale) || w.read("deed/b/x") != "(none)" {
		t.Errorf("c2 was not shown: %v", err)
	}
	if err := say("allow write_file deed/", "c1"); !errors.Is(err, ErrStale) {
		t.Errorf("c2 was not shown: %v", err)
	}
	if err := say("allow write_file deed/a/", "c1"); err != nil || w.read("deed/a/x") != "1" || w.read("deed/b/x") != "(none)" {
		t.Errorf("c1 was shown: %v", err)
	}
	d := w.view(id).Dialog
	i := d.Find(dialog.ToolRequest, "c1")
	stored := d.Sections[d.Find(dialog.Note, firstStarted(d))-1].Text()
	if want := "allow write_file deed/a/\nc1 approve sha256:" + grant.InputHash(d.Sections[i].Text()) + " write_file target:none"; stored != want {
		t.Errorf("stored is %q, want %q", stored, want)
	}
}

func firstStarted(d *dialog.Dialog) string {
	for i := range d.Sections {
		if d.Sections[i].Kind() == "started" {
			return d.Sections[i].ID
		}
	}
	return ""
}

// A wish for a folder is copied into each new dialog, and holds in it.
func TestFolderIsWished(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/game/x", "1")}, {write("c2", "deed/game/no/x", "2")}, {write("c3", "deed/x", "3")}, text("ok")}})
	doc, _ := w.confirmed("# Main\n\nəəəcontrol/v1\nallow write_file deed/game/\ndeny write_file deed/game/no/\nallow write_file game\nəəə\n")
	id, _ := w.start("go")
	d := w.view(id).Dialog
	if got := d.Sections[1].Text(); d.Sections[1].Role != dialog.Authorization || got != "allow write_file deed/game/\ndeny write_file deed/game/no/" {
		t.Errorf("copied is %q", got)
	}
	if w.read("deed/game/x") != "1" || result(d, "c2") != record.Denied || w.read("deed/x") != "(none)" || d.Find(dialog.ToolResult, "c3") >= 0 {
		t.Errorf("c1 %s, c2 %s, c3 %s", result(d, "c1"), result(d, "c2"), result(d, "c3"))
	}
	_, problems := grant.ParseRules(doc, grant.Known{})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "one slash at its end") {
		b, _ := json.Marshal(problems)
		t.Errorf("problems %s", b)
	}
}
