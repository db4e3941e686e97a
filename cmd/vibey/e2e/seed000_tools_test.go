package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// TestSeed000Fix1PathOutside: a path beside the project is refused, and the refusal says
// which one was meant; a relative one is the project's; a server runs in the deed.
func TestSeed000Fix1PathOutside(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "claude", rules("tools read server"), providertest.Script{})
	w.mock.Play(providertest.Script{Replies: []providertest.Reply{
		does("I write it.",
			tool("ghost", "write_file", `{"path":%q,"content":"x"}`, w.dir+"/src/app/page.tsx"),
			tool("up", "write_file", `{"path":"../q/deed/page.tsx","content":"x"}`)),
		does("I look.",
			tool("edit", "edit_file", `{"path":"/deed/src/app/page.tsx","old_string":"x","new_string":"y"}`),
			tool("all", "list_files", `{}`), // a success: what fails here is no run of mistakes
			tool("read", "read_file", `{"path":"/etc/passwd"}`),
			tool("search", "search_files", `{"path":"/workspace","query":"x"}`)),
		does("Then here.", saves("right", "src/app/page.tsx", "x")),
		does("And it runs.", server(t, "start", 200)),
		does("It is in deed/src/app/page.tsx."),
	}})
	w.make("q")
	w.says("put an x onto the home page")
	t.Run("outside", func(t *testing.T) {
		want := "PATH_OUTSIDE_PROJECT: refusing to write to '" + w.dir + "/src/app/page.tsx' because it is outside the active project at 'p'. Did you mean 'deed/src/app/page.tsx'?"
		if r := w.result("ghost"); r["success"] != false || r["error"] != want || r["sha256"] != nil {
			t.Errorf("%v", r)
		}
		for _, id := range []string{"up", "edit", "read", "search"} {
			if r := w.result(id); r["success"] != false || !strings.HasPrefix(r["error"].(string), "PATH_OUTSIDE_PROJECT: ") {
				t.Errorf("%s: %v", id, r)
			}
		}
		if n := strings.Count(w.now().Markdown, `"error":"PATH_OUTSIDE_PROJECT: `); n != 5 {
			t.Errorf("%d refusals", n)
		}
		if w.there("q", "deed", "page.tsx") || w.there("src") {
			t.Error("something was written elsewhere")
		}
	})
	t.Run("relative", func(t *testing.T) {
		if r := w.result("right"); r["success"] != true || r["path"] != "deed/src/app/page.tsx" || w.read("p", "deed", "src", "app", "page.tsx") != "x" {
			t.Errorf("%v", r)
		}
	})
	t.Run("server", func(t *testing.T) {
		if r := w.result("start"); r["success"] != true || r["healthCheck"].(map[string]any)["bodySnippet"] != "deed" {
			t.Errorf("it does not run in the deed: %v", r)
		}
	})
	w.legal()
}

// TestSeed000Fix1StrayCommand: a command that wrote and never entered the deed is told
// so, once, and runs all the same.
func TestSeed000Fix1StrayCommand(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "openai", "# Shop\n", providertest.Script{Replies: []providertest.Reply{
		does("I build.", command("one", "mkdir -p out; echo x > out/x; echo tried"), command("two", "mkdir -p out; echo x > out/x; echo tried"), command("in", "cd deed && echo x > x")),
		does("Done, see deed/x."),
	}})
	w.says("build it")
	if note, _ := w.result("one")["note"].(string); !strings.HasPrefix(note, "[NOTE] ") || strings.Count(w.now().Markdown, "[NOTE]") != 1 {
		t.Errorf("it is told %q, and not once", note)
	}
	for _, id := range []string{"one", "two"} {
		if r := w.result(id); r["stdout"] != "tried\n" {
			t.Errorf("%s did not run: %v", id, r)
		}
	}
	if r := w.result("in"); r["success"] != true || w.read("p", "deed", "x") != "x\n" {
		t.Errorf("%v", r)
	}
	w.legal()
}

// TestSeed000Fix2Evidence: a result carries what proves it: hash and size of a file, the
// status and the body's hash of a server, the exit code of a command.
func TestSeed000Fix2Evidence(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "claude", rules("tools read server"), providertest.Script{Replies: []providertest.Reply{
		does("I write.", saves("write", "a.txt", "first\n"), tool("edit", "edit_file", `{"path":"deed/a.txt","old_string":"first","new_string":"second"}`), tool("twice", "edit_file", `{"path":"deed/a.txt","old_string":"none","new_string":"second"}`)),
		does("I look.", tool("read", "read_file", `{"path":"deed/a.txt"}`), command("ends", "echo out; echo err >&2; exit 3")),
		does("Two servers.", server(t, "good", 200), server(t, "bad", 502)),
		does("One is up, one answers 502."),
	}})
	w.says("try it")
	t.Run("file", func(t *testing.T) {
		r := w.result("write")
		if r["success"] != true || r["path"] != "deed/a.txt" || r["bytes"] != 6.0 || r["sha256"] != sha("first\n") || r["preview"] != "first\n" || !isoTime.MatchString(r["mtime"].(string)) {
			t.Errorf("%v", r)
		}
		if r := w.result("edit"); r["sha256"] != sha("second\n") || r["replaced"] != sha("first\n") || w.result("read")["sha256"] != r["sha256"] {
			t.Errorf("%v, read again: %v", r, w.result("read"))
		}
		if r := w.result("twice"); r["success"] != false || r["error"] == "" || r["sha256"] != nil || r["bytes"] != nil {
			t.Errorf("a failure has evidence: %v", r)
		}
	})
	t.Run("command", func(t *testing.T) {
		if r := w.result("ends"); r["success"] != false || r["exitCode"] != 3.0 || r["stdout"] != "out\n" || r["stderr"] != "err\n" {
			t.Errorf("%v", r)
		}
	})
	t.Run("server", func(t *testing.T) {
		r := w.result("good")
		h, _ := r["healthCheck"].(map[string]any)
		if r["success"] != true || h["status"] != 200.0 || h["bodyHash"] != sha("deed") || h["bodyBytes"] != 4.0 || !strings.HasPrefix(r["previewUrl"].(string), "http://127.0.0.1:") {
			t.Errorf("%v", r)
		}
		r = w.result("bad")
		h, _ = r["healthCheck"].(map[string]any)
		if r["success"] != false || h["status"] != 502.0 || h["bodySnippet"] != "deed" {
			t.Errorf("%v", r)
		}
	})
	w.legal()
}

// TestSeed000Fix3History: what a model did in earlier turns it is told with the results,
// by every provider's format, and after a summary in one line a call.
func TestSeed000Fix3History(t *testing.T) {
	testenv.Slow(t)
	for _, provider := range append([]string{"plain"}, providers...) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			first := does("I write it.", saves("edit", "page.tsx", "x"), tool("ghost", "write_file", `{"path":"/page.tsx","content":"x"}`))
			if provider == "plain" {
				first = providertest.Reply{Text: `I write it. <mcp:write_file>{"path":"deed/page.tsx","content":"x"}</mcp:write_file>`}
			}
			w := begin(t, provider, "# Shop\n", providertest.Script{Replies: []providertest.Reply{first, {Text: "See the results."}, {Text: "Yes."}, {Text: "Two."}, {Text: "Three."}, {Text: "Four."}, {Text: "Five."}}})
			w.says("change the header of the page")
			for _, prompt := range []string{"did you?", "two", "three", "four"} {
				w.put(body{"prompt": prompt}, "done")
				w.holds("a request behind it", w.lastSent(), "write_file", sha("x"), "See the results.")
				if provider != "plain" {
					w.holds("a request behind it", w.lastSent(), "PATH_OUTSIDE_PROJECT")
				}
			}
			w.put(body{"prompt": "five", "compact": true}, "done")
			w.holds("the request behind a Summary", w.lastSent(), "[tools executed this turn:", "write_file(", "ok bytes=1 sha="+sha("x")[:8])
			w.lacks("the request behind a Summary", w.lastSent(), sha("x")+`\"`)
			if provider != "plain" {
				w.holds("the request behind a Summary", w.lastSent(), "ERROR: PATH_OUTSIDE_PROJECT")
			}
			w.legal()
		})
	}
}

// repository makes the deed of a project a git work tree.
func (p *place) repository(project string) (git func(args ...string) string) {
	p.t.Helper()
	dir := filepath.Join(p.dir, project, "deed")
	git = func(args ...string) string {
		p.t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Someone", "-c", "user.email=someone@example.org"}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			p.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	p.write("begun\n", project, "deed", "README")
	git("add", ".")
	git("commit", "--quiet", "-m", "begin")
	return git
}

// TestSeed000Fix10Commit: what a turn changed is committed before it is over, the event
// tells the sha and so does a Note to the model; a turn that changed nothing has no
// event; a git that hangs holds nobody up for long.
func TestSeed000Fix10Commit(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := &walk{host: serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		does("I write.", saves("edit", "page.tsx", "x")), {Text: "Updated deed/page.tsx (1 byte, sha=" + sha("x")[:6] + "). More to come."},
		does("I look.", command("look", "cat deed/page.tsx")), {Text: "It is there."},
		does("I write.", saves("large", "film.bin", "z")), {Text: "See deed/film.bin."},
		does("I write.", saves("more", "page.css", "y")), {Text: "See deed/page.css."},
	}})), provider: "claude"}
	w.make("p")
	git := w.repository("p")
	w.draft()
	frames := w.says("change the page")
	head := git("rev-parse", "HEAD")
	w.are(frames, "commit", `{"type":"commit","sha":"`+head+`","pushed":false}`)
	if got := git("show", "--name-only", "--format=%s", "HEAD"); !strings.HasSuffix(got, "\n\npage.tsx") {
		t.Errorf("the commit is %s", got)
	}
	if n := w.note("commit"); n.Meta["Sha"] != head || n.Meta["To"] != "model" {
		t.Errorf("%+v", n)
	}
	if last := frames[len(frames)-1]; last.kind != "done" {
		t.Errorf("the last frame is %s", last.raw)
	}

	frames = w.says("list what is there")
	w.are(frames, "commit")
	w.are(frames, "commit_failed")
	w.holds("the next request", w.sent(2), "[COMMIT] What this turn changed was committed as "+head)

	// What can't be in a commit is told, and is no clean tree.
	w.write("*.bin filter=lfs\n", "p", "deed", ".git", "info", "attributes")
	frames = w.says("add a film")
	w.are(frames, "commit")
	w.are(frames, "commit_failed", `{"type":"commit_failed","reason":"left out"}`)
	notes := w.now().notes("commit")
	w.holds("the Note", notes[len(notes)-1].Payloads[0].Text, "Not in it: deed/film.bin (it is kept by git-lfs")

	// Git opens this file for writing, and waits for a reader that never comes.
	message := filepath.Join(w.dir, "p", "deed", ".git", "COMMIT_EDITMSG")
	if err := errors.Join(os.Remove(message), syscall.Mkfifo(message, 0o600)); err != nil {
		t.Fatal(err)
	}
	frames = w.says("add a stylesheet")
	w.are(frames, "commit")
	w.are(frames, "commit_failed", `{"type":"commit_failed","reason":"timeout"}`)
	if git("rev-parse", "HEAD") != head || !w.there("p", "deed", "page.css") {
		t.Error("the commit was made, or the file is not there")
	}
	w.legal()
}

// shop is a deed as the codebase of the first requirements was: its homepage stood in
// one place, and was looked for in five.
func (p *place) shop(project string) {
	for path, text := range map[string]string{
		"package.json":                            `{"name":"shop","dependencies":{"next":"16.2.0","react":"19.2.0","@sentry/nextjs":"9.0.0"},"devDependencies":{"tailwindcss":"4.1.0","typescript":"5.9.0"},"scripts":{"dev":"next dev","build":"next build"}}`,
		"package-lock.json":                       "{}",
		"tailwind.config.ts":                      "export default {}\n",
		"src/app/page.tsx":                        "export default function Home() { return <h1>Welcome</h1> }\n",
		"src/app/layout.tsx":                      "export default function Layout(p) { return p.children }\n",
		"src/app/globals.css":                     "body {}\n",
		"src/app/api/auth/[...nextauth]/route.ts": "export const GET = 1\n",
		"src/shared/components/layout/Navbar.tsx": "export const Navbar = 1\n",
		"src/shared/components/layout/Footer.tsx": "export const Footer = 1\n",
	} {
		p.write(text, project, "deed", path)
	}
}

// shopDoc is a doc-main.md that says for whom the deed is far behind how to work on it.
const shopDoc = "# Get Acquired\n\nHow we work: small steps, each one checked. " +
	"Ask before you add a library. Keep the pages fast. Write plain English.\n\n## Brief\n\nA marketplace for small businesses: plumbing, heating, cooling.\n\n## Audience\n\nOwners of Main Street businesses, not Wall Street.\n"

// TestSeed000Fix11Codebase: before all else the model knows for whom it works; where the
// common files are, and how paths are written, it is told and needs not find out.
func TestSeed000Fix11Codebase(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "claude", shopDoc+"\nəəəproject/v1\ntools read\nəəə\n", providertest.Script{Cases: []providertest.Case{{When: "hello", Replies: []providertest.Reply{{Text: "Hello."}}}}, Replies: []providertest.Reply{
		does("", tool("read", "read_file", `{"path":"deed/src/app/page.tsx"}`)), {Text: "For owners of Main Street businesses it should say what a business costs."},
	}})
	t.Run("empty", func(t *testing.T) {
		w.put(body{"prompt": "hello"}, "done")
		w.holds("the system text", w.system(), "[CODEBASE — deed/]\nEmpty; ready for a first file.")
	})
	w.shop("p")
	w.draft()
	w.says("apply your design skills to the home page")
	sys := w.system()
	t.Run("identity first", func(t *testing.T) {
		w.holds("what the model reads first", string([]rune(sys)[:500]), "Name: Get Acquired", "Audience: Owners of Main Street businesses", "Brief: A marketplace for small businesses")
	})
	t.Run("codebase", func(t *testing.T) {
		_, block, _ := strings.Cut(sys, "[CODEBASE — deed/]\n")
		block, _, _ = strings.Cut(block, "\n\n")
		w.holds("the codebase block", block, "Read this first: ", "Framework: Next.js 16.2.0 (App Router)", "npm", "- deed/src/app/page.tsx", "- deed/src/app/layout.tsx", "[...nextauth]", "Navbar.tsx", "globals.css", "`deed/src/app/page.tsx` is correct")
		if len(block) > 1500 {
			t.Errorf("%d bytes", len(block))
		}
		w.holds("the request", w.sent(1), "Entry points:")
	})
	t.Run("read at once", func(t *testing.T) { // by the path that the block names
		if r := w.result("read"); r["success"] != true || r["path"] != "deed/src/app/page.tsx" {
			t.Errorf("%v", r)
		}
	})
	w.legal()
}
