package e2e

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// TestRunTellsWhoseTurnItIs holds the exit code of run in each way in which a turn can end
// or wait.
func TestRunTellsWhoseTurnItIs(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	rounds := []providertest.Reply{}
	for _, id := range []string{"one", "two", "three", "four"} {
		rounds = append(rounds, does("On.", saves(id, id, "x")))
	}
	p := newPlace(t, providertest.Script{Cases: []providertest.Case{
		{When: "please ask", Replies: []providertest.Reply{does("May I?", command("c1", "true")), {Text: "Then not."}}},
		{When: "please answer", Replies: []providertest.Reply{{Text: "Yes."}}},
		{When: "please wonder", Replies: []providertest.Reply{{Text: "Which color should it have?"}}},
		{When: "please write", Replies: []providertest.Reply{does("Allowed.", saves("w1", "w", "x")), {Text: "Done."}}},
		{When: "please go far", Replies: rounds},
		{When: "please both", Replies: []providertest.Reply{does("Two.", saves("b1", "b", "x"), command("b2", "true"))}},
		{When: "please launch", Replies: []providertest.Reply{does("It asks.", tool("l1", "launch_agent", `{"provider":"claude","model":"m","prompt":"please ask","slug":"child"}`)), {Text: "Launched."}}},
		{When: "please fail", Replies: []providertest.Reply{{Fault: &providertest.Fault{Kind: "status", Status: 401, Times: 9}}}},
	}})
	h := serve(t, p)
	h.make("p")
	doc := body{"content": "# Main\n\nəəəproject/v1\nbudget unclassified 2\nəəə\n\nəəəcontrol/v1\nallow write_file\nallow launch_agent\nəəə\n"}
	h.ask("POST", "/project/p/file/doc-main.md", doc).is(200)
	h.ask("POST", "/project/p/confirm", body{"etag": h.wish()["etag"]}).is(200)
	h.kill(syscall.SIGTERM)
	for _, c := range []struct {
		prompt string
		want   int
		says   string
	}{
		{"please ask", 3, "vibey approve"},
		{"please both", 3, "vibey approve"}, // one of two was allowed before
		{"please launch", 0, ""},
		{"please answer", 0, "needs reply"},
		{"please wonder", 0, "needs reply"},
		{"please write", 0, "needs reply"},
		{"please go far", 0, "needs continue"}, // its budget is used
		{"please fail", 1, "error: "},
	} {
		out, log, code := p.vibey("run", "-p", "p", "--provider", "claude", "--model", "m", c.prompt)
		if code != c.want || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit %d, not %d with %q\n%s%s", c.prompt, code, c.want, c.says, out, log)
		}
	}
}

// TestExportLeavesOut holds what is no word of a project out of its zip, whatever it is
// called and wherever it lies, in each scope.
func TestExportLeavesOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, providertest.Script{})
	h := serve(t, p)
	h.make("p")
	h.ask("POST", "/keys", body{"provider": "claude", "key": "sk-secret-typed-in"}).is(204)
	p.write("words", "p", "deed", "a", "b.txt")
	p.write("# Key\n", "p", "doc-key.md")
	p.write("# Dialog\n\n## User\nHello.\n", "p", "dialog-20260101-000000-key-waiting.md")
	p.write("# Dialog\n\n## User\nHello.\n", "p", "deed", "locks", "dialog-20260101-000000-a-done.md")
	for _, name := range []string{"deed/notes.lock", "deed/.lock", "deed/key", "deed/token.md"} { // a human's own
		p.write("mine", append([]string{"p"}, strings.Split(name, "/")...)...)
	}
	for _, name := range []string{".lock", ".locks/x", ".20260101-000000-key.open", ".20260101-000009-gone.open", "key", "keys.json", ".env", "folder/doc-in.md", ".rest/notes", ".kept/notes"} {
		p.write("secret", append([]string{"p"}, strings.Split(name, "/")...)...)
	}
	key := filepath.Join(p.state, "keys.json")
	for name, to := range map[string]string{
		"doc-link.md": key, "dialog-20260101-000001-link-done.md": key, "link": p.state,
		"deed/link": key, "deed/state": p.state, "deed/a/up": "..", "deed/a/near": "b.txt", "deed/a/nowhere": "gone", "deed/a/self": "self",
		".rest/20260101-000000-key.1.txt": key, ".kept/" + strings.Repeat("a", 64): key,
	} {
		if err := os.Symlink(to, filepath.Join(p.dir, "p", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(p.dir, "p", "deed", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	docs := []string{"doc-key.md", "doc-main.md"}
	dialogs := append([]string{"dialog-20260101-000000-key-waiting.md"}, docs...)
	all := append([]string{"deed/.lock", "deed/a/b.txt", "deed/key", "deed/locks/dialog-20260101-000000-a-done.md", "deed/notes.lock", "deed/token.md"}, dialogs...)
	beside := []string{"dialog-20260101-000001-link-done.md", "doc-link.md", "folder", "key", "keys.json", "link"}
	inDeed := []string{"deed/a/near", "deed/a/nowhere", "deed/a/self", "deed/a/up", "deed/link", "deed/pipe", "deed/state"}
	for scope, want := range map[string][]string{"docs": docs, "dialogs": dialogs, "all": all} {
		name := filepath.Join(t.TempDir(), "p.zip")
		out, log, code := p.vibey("export", "-p", "p", "--scope", scope, name)
		missing := beside
		if scope == "all" {
			missing = slices.Concat(beside, inDeed)
		}
		for _, m := range missing {
			if !strings.Contains("\n"+log, "\n"+m+": not in the zip: ") {
				t.Errorf("%s: %s is left out in silence:\n%s", scope, m, log)
			}
		}
		if code != 1 || out != "" || strings.Count(log, ": not in the zip: ") != len(missing) {
			t.Errorf("%s: exit %d\n%s%s", scope, code, out, log)
		}
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range z.File {
			if strings.HasSuffix(f.Name, "/") {
				continue
			}
			got = append(got, f.Name)
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(r); err != nil || !f.Mode().IsRegular() || strings.Contains(string(b), "secret") {
				t.Errorf("%s: %s, %v holds %q, %v", scope, f.Name, f.Mode(), b, err)
			}
		}
		z.Close()
		want = append(want, "LEFT-OUT.txt")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s holds %q, want %q", scope, got, want)
		}
	}
}
