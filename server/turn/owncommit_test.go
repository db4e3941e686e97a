package turn

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
)

// A commit does not take a human's uncommitted lines of a file that the agent edited, nor
// what they have staged of it; a note names the file.
func TestCommitLeavesTheHumansLines(t *testing.T) {
	edit := func(id, path, old, new string) provider.Call {
		return provider.Call{ID: id, Name: "edit_file", Args: `{"path":"` + path + `","old_string":"` + old + `","new_string":"` + new + `"}`}
	}
	w := newWorld(t, &script{answers: [][]provider.Event{
		{edit("c1", "deed/mine.txt", "two", "TWO"), edit("c2", "deed/clean.txt", "two", "TWO"), edit("c3", "deed/staged.txt", "two", "TWO"), write("c4", "deed/new.txt", "x"), edit("c5", "deed/clean.txt", "one", "ONE")},
		text("Done."),
		{edit("d1", "deed/clean.txt", "ONE", "one"), edit("d2", "deed/mine.txt", "TWO", "two")},
		text("Again."),
	}})
	w.gitDeed(map[string]string{"mine.txt": "one two", "clean.txt": "one two", "staged.txt": "one two"})
	deed := filepath.Join(w.dir, "root/p/deed")
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", deed}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	w.save("deed/mine.txt", "one two, and the human's")
	w.save("deed/staged.txt", "one two, and staged")
	git("add", "staged.txt")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
	note := func() string {
		for d, i := w.view(id).Dialog, len(w.view(id).Dialog.Sections)-1; i >= 0; i-- {
			if s := &d.Sections[i]; s.Kind() == "commit" {
				return s.Text()
			}
		}
		return ""
	}
	if got := git("show", "--name-only", "--format=", "HEAD"); got != "clean.txt\nnew.txt" {
		t.Errorf("committed %q", got)
	}
	if got := note(); !strings.Contains(got, "deed/mine.txt (it had changes that were not committed") || !strings.Contains(got, "deed/staged.txt (a part") {
		t.Error(got)
	}
	if got := git("show", ":staged.txt"); got != "one two, and staged" {
		t.Errorf("staged is %q", got)
	}
	// What one dialog's agent left uncommitted is an agent's for another dialog.
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	if got := git("show", "--name-only", "--format=", "HEAD"); got != "clean.txt" {
		t.Errorf("committed %q", got)
	}
	if got := note(); !strings.Contains(got, "deed/mine.txt (it had") {
		t.Error(got)
	}
	git("-c", "user.name=h", "-c", "user.email=h@x", "commit", "-qam", "mine")
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Done}); err != nil {
		t.Fatal(err)
	}
}

// What a command changed in a deed of too many files to tell which is not committed, and
// that is told.
func TestCommitOfALargeDeed(t *testing.T) {
	testenv.Long(t)
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c1", "echo x > deed/a.txt")}, text("Done.")}})
	w.gitDeed(map[string]string{"a.txt": "one"})
	many := filepath.Join(w.dir, "root/p/deed/many")
	if err := os.Mkdir(many, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range 20_001 {
		if err := os.WriteFile(filepath.Join(many, strconv.Itoa(n)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	id, _ := w.start("go")
	es := w.put(Input{DialogID: id, Control: control("c1 approve")})
	v := w.view(id)
	if !strings.Contains(result(v.Dialog, "c1"), `"changed":"unknown"`) || !strings.Contains(v.Text, "Not committed (too many files): a command changed files") || !strings.Contains(types(es), "commit_failed") {
		t.Errorf("%s: %s\n%s", types(es), result(v.Dialog, "c1"), v.Text)
	}
}

// Two agents that change one file in turn are not in each other's way.
func TestCommitOfTwoAgents(t *testing.T) {
	w := newWorld(t, &script{})
	w.script.of = func(h history.History) [][]provider.Event {
		if strings.Contains(h.Items[0].Text, "second") {
			return [][]provider.Event{{provider.Call{ID: "b", Name: "edit_file", Args: `{"path":"deed/a.txt","old_string":"two","new_string":"TWO"}`}}, text("Done.")}
		}
		return [][]provider.Event{{provider.Call{ID: "a", Name: "edit_file", Args: `{"path":"deed/a.txt","old_string":"one","new_string":"ONE"}`}}, text("Done.")}
	}
	w.gitDeed(map[string]string{"a.txt": "one two"})
	w.save("doc-main.md", "# p\n\nəəəproject/v1\ncommit off\nəəə\n")
	first, _ := w.start("first")
	w.put(Input{DialogID: first, Control: control("allow edit_file")})
	w.save("doc-main.md", "# p\n")
	second, _ := w.start("second")
	w.put(Input{DialogID: second, Control: control("allow edit_file")})
	if got := sections(w.view(second).Dialog); !strings.Contains(got, "Note/commit") || strings.Contains(w.view(second).Text, "Not committed") {
		t.Errorf("%s\n%s", got, w.view(second).Text)
	}
}

// Nor does a commit take them where a command changed, moved, removed or copied the file;
// another command's file, which was as the last commit has it, is in it.
func TestCommitLeavesTheHumansLinesToCommands(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{
		{command("c1", "cd deed; sed -i s/two/TWO/ mine.txt clean.txt; echo x >> new.txt; mv moved.txt there.txt; cp copied.txt copy.txt; mv untracked.txt elsewhere.txt")},
		text("Done."),
	}})
	human := map[string]string{"mine.txt": "one two", "moved.txt": "a", "copied.txt": "b"}
	w.gitDeed(map[string]string{"clean.txt": "one two", "mine.txt": "one two", "moved.txt": "a", "copied.txt": "b"})
	for name, was := range human {
		w.save("deed/"+name, was+", and the human's")
	}
	w.save("deed/new.txt", "the human's\n")
	w.save("deed/untracked.txt", "the human's, too\n")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if got := committedIn(t, w); strings.Contains(got, "human") || strings.Count(got, "+++ b/clean.txt") != 2 {
		t.Errorf("%s\n%s", got, w.view(id).Text)
	}
	if text := w.view(id).Text; !strings.Contains(text, "deed/mine.txt (it had changes that were not committed") || !strings.Contains(text, "deed/there.txt (it had") {
		t.Error(text)
	}
}

// What a human saves between two commands of one run is theirs, where a command changes it
// then: by a save of a file that no call has named, and by one of a file that a call made.
func TestCommitLeavesWhatWasSavedBetweenCommands(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{
		{command("c1", "echo x >deed/made.txt; echo x >deed/alone.txt"),
			command("c2", "cd deed; sed -i s/two/TWO/ mine.txt clean.txt; echo y | tee -a untracked.txt made.txt alone.txt")},
		text("Done."),
	}})
	w.gitDeed(map[string]string{"clean.txt": "one two", "mine.txt": "one two"})
	id, _ := w.start("go")
	now, saved := w.run.w.Now, false
	w.run.w.Now = func() time.Time { // as c2 begins
		if b, _ := os.ReadFile(w.file(id)); !saved && strings.Contains(string(b), "## Tool Result") {
			saved = true
			w.save("deed/mine.txt", "one two, and the human's")
			w.save("deed/untracked.txt", "the human's, too\n")
			w.save("deed/made.txt", "the human's, as well\n")
		}
		return now()
	}
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve")})
	if got := committedIn(t, w); strings.Contains(got, "human") || strings.Count(got, "+++ b/clean.txt") != 2 || strings.Count(got, "+++ b/alone.txt") != 1 {
		t.Errorf("%s\n%s", got, w.view(id).Text)
	}
	text := w.view(id).Text
	for _, name := range []string{"mine.txt", "untracked.txt", "made.txt"} {
		if !strings.Contains(text, "deed/"+name+" (it had changes that were not committed") {
			t.Errorf("%s is not told: %s", name, text)
		}
	}
}

// What a command without a layer changed is not committed, for it is not known whose lines stood
// there, and the note names it; what it made is.
func TestCommitWithoutALayer(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c1", "echo x >>deed/a.txt; echo x >deed/new.txt"), write("c2", "deed/b.txt", "b")}, text("Done.")}})
	w.gitDeed(map[string]string{"a.txt": "one"})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve")})
	if got := committedIn(t, w); strings.Contains(got, "--- a/a.txt") || !strings.Contains(got, "+++ b/b.txt") || !strings.Contains(got, "+++ b/new.txt") {
		t.Error(got)
	}
	if got := w.view(id).Text; !strings.Contains(got, "deed/a.txt (it is not known") {
		t.Error(got)
	}
}

// committedIn is the whole history of the deed.
func committedIn(t *testing.T, w *world) string {
	t.Helper()
	cmd := exec.Command("git", "-C", filepath.Join(w.dir, "root/p/deed"), "log", "-p", "--format=%s")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
