package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/tools/mcp"
	"vibey/tools/mcp/mcptest"
	"vibey/tools/sandbox"
)

// The test binary is also the MCP servers of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "mcp-") {
		mcptest.Main(strings.TrimPrefix(os.Args[1], "mcp-"))
		return
	}
	os.Exit(testenv.Main(m))
}

// withServer gives the world an honest MCP server, a copy of this binary in the deed, and
// its tools.
func (w *world) withServer(kind string) {
	w.t.Helper()
	if err := os.MkdirAll(w.env.Home, 0o700); err != nil { // as server/turn does
		w.t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path("deed/server"), self, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.env.MCP = mcp.New(mcp.Config{Servers: []mcp.Server{{Name: "s", Command: "exec deed/server mcp-" + kind, Keys: []string{"S_KEY"}}}, Getenv: func(string) string { return "sesame-open-sesame" }})
	w.env.Mask = w.env.MCP.Secrets
	w.t.Cleanup(func() { w.env.MCP.Close(""); w.env.Sandbox.StopServers("") })
	specs, left := ListServers(w.t.Context(), w.env, []string{"s"})
	if len(left) > 0 {
		w.t.Fatal(left)
	}
	w.set = SetOf(specs)
}

func TestServedResults(t *testing.T) {
	w := newWorld(t)
	w.withServer("honest")
	for _, c := range []struct{ tool, args, want string }{
		{"mcp_s_echo", `{"text":"a <b> \u0000"}`, `{"success":true,"content":[{"type":"text","text":"a <b> ` + "\uFFFD" + `"}]}`},
		{"mcp_s_add", `{"a":2,"b":3}`, `{"success":true,"content":[{"type":"text","text":"{\"sum\":5}"}],"structured":{"sum":5}}`},
		{"mcp_s_read_file_now", ``, `{"success":true,"content":[{"type":"text","text":"read"}]}`},
		{"mcp_s_fail", `{"text":"not today"}`, `{"success":false,"error":"the MCP server \"s\" says that the tool failed: not today","content":[{"type":"text","text":"not today"}]}`},
		{"mcp_s_env", `{"name":"S_KEY"}`, `{"success":true,"content":[{"type":"text","text":"S_KEY=[key]"}]}`},
		{"mcp_s_env", `{"name":"PATH","name":"S_KEY"}`, `{"success":false,"error":"mcp_s_env was not run: \"name\" stands there twice; send it once. Received: {\"name\":\"PATH\",\"name\":\"S_KEY\"}"}`},
		{"mcp_s_picture", ``, `{"success":true,"content":[{"type":"text","text":"look"},` +
			`{"type":"image","mimeType":"image/png","file":"~/mcp/` + keptName(mcptest.PNG) + `.png","bytes":` + itoa(len(mcptest.PNG)) + `},` +
			`{"type":"audio","mimeType":"audio/wav","file":"~/mcp/` + keptName([]byte("RIFF")) + `.wav","bytes":4},` +
			`{"type":"resource","uri":"file:///a.bin","mimeType":"application/x-a","file":"~/mcp/` + keptName([]byte{0, 1, 2}) + `.bin","bytes":3},` +
			`{"type":"resource","text":"words","uri":"file:///a.txt","mimeType":"text/plain"},` +
			`{"type":"resource_link","uri":"https://example.org/a","name":"a"}]}`},
	} {
		if r, _ := w.callArgs(c.tool, c.args); r.JSON != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.args, r.JSON, c.want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(w.env.Home, "mcp", keptName([]byte{0, 1, 2})+".bin")); err != nil || string(b) != "\x00\x01\x02" {
		t.Errorf("%q %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(w.env.Home, "mcp", keptName(mcptest.PNG)+".png")); err != nil || len(b) != len(mcptest.PNG) {
		t.Errorf("the picture is not kept: %v", err)
	}
	if tool, ok := w.set.Lookup("mcp_s_look"); !ok || tool.Class != dialog.Mutate || !tool.Asks {
		t.Errorf("what it says of itself is trusted: %+v", tool)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// A result of 10 MB is cut to one that has its head, its tail and how much is between.
func TestLargeServedResult(t *testing.T) {
	testenv.Slow(t)
	w := newWorld(t)
	w.withServer("honest")
	r, m := w.callArgs("mcp_s_big", `{"bytes":10000000}`)
	text := m["content"].([]any)[0].(map[string]any)["text"].(string)
	if len(r.JSON) > 1<<20 || len(r.JSON) < 900<<10 || !strings.HasPrefix(text, "aaa") || !strings.HasSuffix(text, "aaa") || !strings.Contains(text, " bytes dropped here …]") {
		t.Errorf("%d bytes", len(r.JSON))
	}
}

// Whatever a server sends, the result is one object of at most 1 MiB, and no part of a
// secret stands in it.
func TestServedResultBounds(t *testing.T) {
	const secret = "sesame-open-sesame"
	env := Env{Home: t.TempDir(), Mask: func() []string { return []string{secret} }}
	many := make([]mcp.Content, 5000)
	for i := range many {
		many[i] = mcp.Content{Type: "text", Text: "piece"}
	}
	pad := strings.Repeat("x", servedMost/2-200-60/2-len(secret)/2-80)
	for name, reply := range map[string]mcp.Reply{
		"control characters":     {Content: []mcp.Content{{Type: "text", Text: strings.Repeat("\x01", 3<<20)}}},
		"no text":                {Content: []mcp.Content{{Type: "text", Text: strings.Repeat("\xff\x00\u2028\"", 1<<20)}}},
		"pieces":                 {Content: many},
		"long addresses":         {Content: []mcp.Content{{Type: "resource_link", URI: strings.Repeat("u", 1<<20), Name: strings.Repeat("\\", 1<<20)}}},
		"structured":             {Structured: history.RawJSON(`{"a":"` + strings.Repeat("s", 2<<20) + `"}`)},
		"secrets":                {Content: []mcp.Content{{Type: "text", Text: secret}, {Type: "resource", URI: "x://" + secret}}, Structured: history.RawJSON(`{"` + secret + `":["` + secret + `"]}`)},
		"a secret where it cuts": {Content: []mcp.Content{{Type: "text", Text: pad + strings.Repeat(secret, 20) + strings.Repeat("y", 2<<20)}}},
		"large files":            {Content: []mcp.Content{{Type: "image", MIMEType: "image/png", Data: make([]byte, pictureSize+1)}}},
		"many files":             {Content: slicesOf(mcp.Content{Type: "audio", Data: []byte("a")}, filesMost+1)},
		"nothing":                {},
	} {
		r := replied(env, history.ToolSpec{Name: "mcp_s_x", Server: "s"}, &reply, changes{})
		var m map[string]any
		if err := json.Unmarshal([]byte(r.JSON), &m); err != nil || len(r.JSON) > 1<<20 || !r.Success {
			t.Errorf("%s: %d bytes, %v", name, len(r.JSON), err)
		}
		if strings.Contains(r.JSON, "sesame") {
			t.Errorf("%s: a part of a secret stands there", name)
		}
		wantNote := map[string]string{"pieces": "4800 more pieces", "structured": "structured is left out", "large files": "was not kept", "many files": "20 of one result"}[name]
		if note, _ := m["note"].(string); !strings.Contains(note, wantNote) {
			t.Errorf("%s: note %q", name, note)
		}
	}
}

func slicesOf(c mcp.Content, n int) (out []mcp.Content) {
	for range n {
		out = append(out, c)
	}
	return out
}

// A server runs behind the walls of commands.
func TestServerBehindWalls(t *testing.T) {
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock} {
		w := newWorld(t)
		w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Limit: 20 * time.Second, Levels: []sandbox.Level{level}, Hide: []string{filepath.Dir(w.dir)}})
		if w.env.Sandbox.Level() != level {
			testenv.Partly(t, testenv.Walls(string(level)))
			continue
		}
		w.withServer("honest")
		if r, _ := w.callArgs("mcp_s_put", `{"name":"beside.txt"}`); r.Success || w.get("beside.txt") != "(none)" {
			t.Errorf("%s: it wrote outside of the deed: %s", level, r.JSON)
		}
		if r, _ := w.callArgs("mcp_s_put", `{"name":"deed/in.txt"}`); !r.Success || w.get("deed/in.txt") != "made\n" || r.Sandbox != string(level) {
			t.Errorf("%s: %s", level, r.JSON)
		}
	}
}

// A whole call: tools/mcp has the SDK's own to compare.
func BenchmarkServedCall(b *testing.B) {
	w := newWorld(b)
	w.withServer("honest")
	for b.Loop() {
		if r := w.set.Call(b.Context(), w.env, "mcp_s_echo", `{"text":"hello"}`); !r.Success {
			b.Fatal(r.JSON)
		}
	}
}

// What a server with a key keeps in its HOME, and what stands in its environment, no
// command of the project reads. Without walls it would.
func TestServerKeepsItsKey(t *testing.T) {
	testenv.Slow(t)
	const key = "sesame-open-sesame"
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
		w := newWorld(t)
		top := filepath.Dir(w.dir)
		w.env.Sandbox = sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Limit: 20 * time.Second, Levels: []sandbox.Level{level}, Hide: []string{top}})
		if w.env.Sandbox.Level() != level {
			testenv.Partly(t, testenv.Walls(string(level)))
			continue
		}
		w.withServer("honest")
		if r, _ := w.callArgs("mcp_s_keep", `{"name":"S_KEY"}`); !r.Success {
			t.Fatalf("%s: %s", level, r.JSON)
		}
		kept := w.ownHome("s") + "/kept"
		if b, err := os.ReadFile(kept); err != nil || string(b) != key {
			t.Fatalf("%s: the server's HOME has %q, %v", level, b, err)
		}
		if fi, err := os.Stat(filepath.Dir(kept)); err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("%s: others may look into its HOME: %v %v", level, fi.Mode(), err)
		}
		for what, command := range map[string]string{
			"its HOME":                "cat '" + kept + "'; cat ~/kept ~/../*/kept ~/../*/*/kept",
			"its HOME through /proc":  "cat /proc/[0-9]*/root'" + kept + "'",
			"its environment":         "cat /proc/[0-9]*/environ | tr '\\000' '\\n' | grep S_KEY",
			"its environment by task": "cat /proc/[0-9]*/task/*/environ | tr '\\000' '\\n' | grep S_KEY",
		} {
			o := w.env.Sandbox.Command(t.Context(), sandbox.Spec{Command: command, Dir: w.dir, Home: w.env.Home, Deed: deedDir(w.env)})
			if got := strings.Contains(string(o.Stdout.Text), key); got != (level == sandbox.None) {
				t.Errorf("%s: a command reads %s: %v\n%s", level, what, got, o.Stderr.Text)
			}
		}
	}
}

// What a server says of itself is masked before it is cut, and its list is the same one
// with and without its key.
func TestServerTellsItsKey(t *testing.T) {
	const secret = "sesame-open-sesame"
	mask := func(s string) string { return strings.ReplaceAll(s, secret, "[key]") }
	f := &mcp.Fault{Err: strings.Repeat("e", 495) + secret, Said: strings.Repeat("s", 995) + secret + "\x00"}
	if got := faultWords(mask, f); strings.Contains(got, "ses") || strings.ContainsRune(got, 0) || len(got) > 1600 {
		t.Error(got)
	}
	w := newWorld(t)
	w.withServer("tells")
	specs := w.set.Specs()
	if told := specs[len(specs)-1].Description; told != "The key is [key]" {
		t.Errorf("the description: %s", told)
	}
	r := w.set.Call(t.Context(), w.env, "mcp_s_do", "{}")
	if frozen := mcp.ListingOf("s", specs); r.Served == nil || r.Served.Listed == nil || r.Served.Listed.Hash() != frozen.Hash() {
		t.Errorf("its list counts as another one: %+v", r.Served)
	}
}

// Pictures of servers push out none of the browser's.
func TestServedPicturesHaveTheirShare(t *testing.T) {
	env := Env{Home: t.TempDir()}
	shot, err := keepFile(env.Home, "screenshots", mcptest.PNG, ".png")
	if err != nil {
		t.Fatal(err)
	}
	for n := range keptMost/filesMost + 1 {
		var reply mcp.Reply
		for i := range filesMost {
			reply.Content = append(reply.Content, mcp.Content{Type: "image", MIMEType: "image/png", Data: append(slices.Clone(mcptest.PNG), byte(n), byte(i))})
		}
		replied(env, history.ToolSpec{Name: "mcp_s_x", Server: "s"}, &reply, changes{})
	}
	if _, err := Screenshot(env.Home, strings.TrimPrefix(shot, "~/screenshots/")); err != nil {
		t.Errorf("the browser's picture is gone: %v", err)
	}
}

// A path is named as the shell of a server's command reads it.
func TestNamedPaths(t *testing.T) {
	look := func(name string) string { return map[string]string{"found": "/bin/found"}[name] }
	for command, want := range map[string]string{
		"node /srv/a/run.js /srv/data":                    "/srv/a/run.js|/srv/data",
		`python3 "/home/me/My Files/s.py" '/b c/d'`:       "/home/me/My Files/s.py|/b c/d",
		`run --root=/srv/x "--file=/a b" KEY=/k rel/path`: "/srv/x|/a b|/k",
		`/opt/My\ App/run;/b&&(/c)`:                       "/opt/My App/run|/b|/c",
		"npx -y server deed ../up":                        "",
		`run '/not closed`:                                "/not closed",
		"found --root /srv/x":                             "/bin/found|/srv/x",
		"A=b env C=/d exec found":                         "/bin/found|/d",
		"sh found":                                        "",
	} {
		if got := strings.Join(namedPaths(command, look), "|"); got != want {
			t.Errorf("%s: %s", command, got)
		}
	}
}
