package tools

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/tools/sandbox"
)

// browsing is a world with the sets server and browser, at a level where a browser
// runs, and the preview of its server. ok is false where there is none.
func browsing(t *testing.T, level sandbox.Level) (w *world, preview string, ok bool) {
	if _, err := exec.LookPath("chromium"); err != nil {
		testenv.Lacks(t, testenv.Chromium)
	}
	w = newWorld(t)
	w.set = NewSet("server", "browser")
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{level}, Path: ".::" + os.Getenv("PATH")})
	if w.env.Sandbox.Level() != level {
		testenv.Partly(t, testenv.Walls(string(level)))
		return nil, "", false
	}
	t.Cleanup(func() { w.env.Sandbox.StopServers("") })
	port := testenv.Port(t)
	r, m := w.serverCall("start_server", port, fmt.Sprintf(`,"command":"exec /usr/bin/python3 -m http.server --bind 127.0.0.1 %d"`, port))
	if !r.Success {
		t.Fatal(r.JSON)
	}
	return w, m["previewUrl"].(string), true
}

func TestBrowserSet(t *testing.T) {
	for _, name := range []string{"browser_console", "request_visual_qa"} {
		if tool, ok := NewSet("browser").Lookup(name); !ok || tool.Class != dialog.Verify || !tool.Asks {
			t.Errorf("%s: %+v", name, tool)
		}
	}
}

// The browser is none that a command has put where it starts, and takes no settings from
// there or from the HOME of commands.
func TestBrowserLoadsNothingPlanted(t *testing.T) {
	testenv.Slow(t)
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.None} {
		w, preview, ok := browsing(t, level)
		if !ok {
			continue
		}
		w.put("deed/index.html", "<title>My page</title>")
		for _, name := range chromiums {
			w.put("deed/"+name, "#!/bin/sh\ntouch ran\n")
			if err := os.Chmod(w.path("deed/"+name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{".config/chromium-flags.conf", ".config/chromium.d/x", ".chromium.d/x", ".profile"} {
			file := filepath.Join(w.env.Home, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("touch ran; --version"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		r, m := w.call("browser_console", "url", preview)
		if _, err := os.Stat(w.path("deed/ran")); err == nil || !r.Success || m["title"] != "My page" {
			t.Errorf("%s: planted: %v; %s", level, err == nil, r.JSON)
		}
	}
}

// A page is seen as a human's browser shows it: its words, what fails, its picture.
func TestBrowserConsole(t *testing.T) {
	testenv.Slow(t)
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.None} {
		w, preview, ok := browsing(t, level)
		if !ok {
			continue
		}
		w.put("deed/index.html", `<title>My page</title><body style="background:red"><img src="gone.png"><script>console.log("hello", 7, {a:1}); new WebSocket("ws://" + location.host + "/ws"); console.warn("careful"); alert("stop"); fetch("http://127.0.0.1:1/x").catch(() => {}); fetch("/index.html").then(() => console.error("came later"))</script>`)
		r, m := w.call("browser_console", "url", preview)
		said := fmt.Sprint(m["messages"])
		if !r.Success || m["status"] != 200.0 || m["title"] != "My page" || m["url"] != preview {
			t.Fatalf("%s: %s", level, r.JSON)
		}
		for _, want := range []string{"hello 7", "level:log", "careful", "level:warning", "came later", "stop"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q lacks in %s", level, want, said)
			}
		}
		if failed := fmt.Sprint(m["failedRequests"]); !strings.Contains(failed, "gone.png") || !strings.Contains(failed, "status:404") || !strings.Contains(failed, "127.0.0.1:1/x") || !strings.Contains(failed, "no page that is looked at has WebSockets") || !strings.Contains(failed, "/ws") {
			t.Errorf("%s: failed %s", level, failed)
		}
		shot, _ := m["screenshot"].(string)
		text, err := os.ReadFile(filepath.Join(w.env.Home, strings.TrimPrefix(shot, "~/")))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, _, _ := picture.At(600, 600).RGBA(); r != 0xffff || g != 0 {
			t.Errorf("%s: the picture is not red", level)
		}
		// Nothing of the browser is left: not in the list of servers either.
		if n := len(w.env.Sandbox.Servers(w.env.ProjectDir)); n != 1 {
			t.Errorf("%s: %d servers", level, n)
		}

		w.put("deed/broken.html", `<script>undefined.x</script>`)
		r, m = w.call("browser_console", "url", preview+"broken.html")
		if r.Success || !strings.Contains(fmt.Sprint(m["error"]), "threw 1 error that") || !strings.Contains(fmt.Sprint(m["messages"]), "TypeError") || m["screenshot"] == nil {
			t.Errorf("%s: %s", level, r.JSON)
		}
		if r, m = w.call("browser_console", "url", preview+"none.html"); r.Success || m["status"] != 404.0 || !strings.Contains(r.JSON, `"messages":[]`) {
			t.Errorf("%s: %s", level, r.JSON)
		}
	}
}

// The page told of is the one where the main frame landed, whatever it began with; a
// frame within it, and an address that is left without a page, change nothing.
func TestPageThatLeads(t *testing.T) {
	testenv.Slow(t)
	w, preview, ok := browsing(t, sandbox.Bwrap)
	if !ok {
		return
	}
	if err := os.Mkdir(filepath.Join(deedDir(w.env), "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.put("deed/folder/index.html", "<title>folder</title>")
	for _, c := range []struct{ name, text, url, wrong string }{
		{"away.html", `<script>location="http://example.com/zzz"</script>`, "http://example.com/zzz", "until the human allows the network"},
		{"refresh.html", `<meta http-equiv=refresh content="0;url=http://example.com/">`, "http://example.com/", "did not load"},
		{"late.html", `<script>setTimeout(()=>location="/nope.html",50)</script>`, preview + "nope.html", "status 404"},
		{"blank.html", `<script>location="about:blank"</script>`, "about:blank", "no server has sent"},
		{"on.html", `<script>location="folder/#x"</script>`, preview + "folder/#x", ""},
		{"folder", "", preview + "folder/", ""}, // by status 301
		{"frames.html", `<iframe src=nope.html></iframe><iframe src="http://example.com/"></iframe>`, preview + "frames.html", ""},
		{"mail.html", `<script>location="mailto:a@b.c"</script>`, preview + "mail.html", ""}, // of which Chromium draws no picture
	} {
		if c.text != "" {
			w.put("deed/"+c.name, c.text)
		}
		r, m := w.call("browser_console", "url", preview+c.name)
		if said := fmt.Sprint(m["error"]); r.Success != (c.wrong == "") || !strings.Contains(said, c.wrong) || m["url"] != c.url {
			t.Errorf("%s: %s", c.name, r.JSON)
		}
		if asked := m["asked"]; c.url != preview+c.name && asked != preview+c.name || c.url == preview+c.name && asked != nil {
			t.Errorf("%s: asked for %v", c.name, asked)
		}
		if strings.Contains(r.JSON, "still loading") {
			t.Errorf("%s: %s", c.name, r.JSON)
		}
	}
}

// A page can be looked at while as many servers run as a project may have.
func TestBrowserAndManyServers(t *testing.T) {
	testenv.Slow(t)
	w, preview, ok := browsing(t, sandbox.Bwrap)
	if !ok {
		return
	}
	s := sandbox.Spec{Command: "exec sleep 100", Dir: deedDir(w.env), Project: w.env.ProjectDir, Deed: deedDir(w.env)}
	for {
		if _, err := w.env.Sandbox.Serve(s, testenv.Port(t)); err != nil {
			break
		}
	}
	if r, _ := w.call("browser_console", "url", preview); !r.Success {
		t.Error(r.JSON)
	}
}

// A human is asked to look, and nothing is said of how it looks.
func TestRequestVisualQA(t *testing.T) {
	testenv.Slow(t)
	w, preview, ok := browsing(t, sandbox.Bwrap)
	if !ok {
		return
	}
	w.put("deed/index.html", "<h1>hello</h1>")
	r, m := w.call("request_visual_qa", "url", preview, "question", "Is it red?")
	if !r.Success || m["question"] != "Is it red?" || m["screenshot"] == nil || !strings.Contains(fmt.Sprint(m["note"]), "sees the picture") || strings.Contains(r.JSON, w.env.Home) {
		t.Error(r.JSON)
	}
	name := strings.TrimPrefix(fmt.Sprint(m["screenshot"]), "~/screenshots/")
	if picture, err := Screenshot(w.env.Home, name); err != nil || http.DetectContentType(picture) != "image/png" {
		t.Errorf("%s can't be read again: %v", name, err)
	}

	// What no human can see is nothing that they were asked.
	if err := os.RemoveAll(w.env.Home + "/screenshots"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.env.Home+"/screenshots", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, m = w.call("request_visual_qa", "url", preview, "question", "Is it red?")
	if r.Success || !strings.Contains(fmt.Sprint(m["error"]), "no picture") || !strings.Contains(fmt.Sprint(m["note"]), "could not be kept") {
		t.Error(r.JSON)
	}
}

// What is no page of this project is not looked at, nor is anything where no browser
// can run.
func TestPagesThatAreNone(t *testing.T) {
	w := newWorld(t)
	w.set = NewSet("browser")
	for url, want := range map[string]string{
		"http://example.org/": "none of its servers runs", "file:///etc/passwd": "is no address of a page", "chrome://version": "is no address",
		"http://user:word@127.0.0.1/": "is no address", "127.0.0.1:80": "is no address", "javascript:1": "is no address", "http://127.0.0.1:80/": "Start one with start_server",
	} {
		for _, tool := range []string{"browser_console", "request_visual_qa"} {
			args := arguments("url", url)
			if tool == "request_visual_qa" {
				args = arguments("url", url, "question", "?")
			}
			if r, m := w.callArgs(tool, args); r.Success || !r.NotRun || !strings.Contains(fmt.Sprint(m["error"]), want) {
				t.Errorf("%s %s: %s", tool, url, r.JSON)
			}
		}
	}
	w.env.Network = true
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: t.TempDir()})
	if r, m := w.call("browser_console", "url", "http://127.0.0.1:1/"); r.Success || !strings.Contains(fmt.Sprint(m["error"]), "apt install chromium") {
		t.Error(r.JSON)
	}
	w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Levels: []sandbox.Level{sandbox.Landlock}})
	if r, m := w.call("browser_console", "url", "http://127.0.0.1:1/"); w.env.Sandbox.Level() == sandbox.Landlock && (r.Success || !strings.Contains(fmt.Sprint(m["error"]), w.env.Sandbox.Why())) {
		t.Error(r.JSON)
	}
}

// What a command put into the HOME is not followed, and pictures do not pile up.
func TestKeepPicture(t *testing.T) {
	home, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, home+"/screenshots"); err != nil {
		t.Fatal(err)
	}
	if at, err := keepFile(home, "screenshots", []byte("x"), ".png"); err == nil {
		t.Errorf("kept at %s", at)
	}
	if names, _ := os.ReadDir(outside); len(names) != 0 {
		t.Error("through a link it wrote outside")
	}
	if err := os.Remove(home + "/screenshots"); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range keptMost + 3 {
		at, err := keepFile(home, "screenshots", fmt.Append(nil, i), ".png")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, at)
	}
	names, err := os.ReadDir(home + "/screenshots")
	if err != nil || len(names) != keptMost || !slices.ContainsFunc(names, func(e os.DirEntry) bool { return strings.HasSuffix(all[len(all)-1], e.Name()) }) {
		t.Errorf("%d pictures, %v", len(names), err)
	}
	if _, err := keepFile("", "screenshots", nil, ".png"); err == nil {
		t.Error("kept without a HOME")
	}
}
