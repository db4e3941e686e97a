package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibey/provider/providertest"
)

var peersAt = flag.String("peers", "", "a folder for which npm has installed the real agents, servers and clients, as one of global packages")

// peerBin is where the programs among them are.
func peerBin() string { return filepath.Join(*peersAt, "bin") }

// peerPath is a PATH that begins there.
func peerPath() string { return "PATH=" + peerBin() + string(os.PathListSeparator) + os.Getenv("PATH") }

// peer is one real agent: how it is started, and how its model asks for a change.
type peer struct {
	name    string // under which it is found
	program string // in peerBin
	command string // by which it speaks ACP
	// call is what its model asks for, so that a file of that name is written with text.
	call func(path, text string) providertest.Call
	// setup writes its configuration into HOME; api is the model's address.
	setup func(t *testing.T, home, api string)
	env   func(api string) []string
	tool  string // what its call is recorded as
	named bool   // it is not found by itself, but named with --agent
}

// flags are those by which the program knows the agent.
func (a peer) flags() []string {
	if !a.named {
		return nil
	}
	return []string{"--agent", a.name + "=" + a.command}
}

func args(v any) providertest.Args {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return providertest.Args(b)
}

var peers = []peer{
	{
		name: "claude", program: "claude-agent-acp", command: "claude-agent-acp", tool: "acp_edit",
		call: func(path, text string) providertest.Call {
			return providertest.Call{Name: "Write", Args: args(body{"file_path": path, "content": text})}
		},
		env: func(api string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + api, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1"}
		},
	},
	{
		name: "codex", program: "codex-acp", command: "codex-acp", tool: "acp_execute",
		call: func(path, text string) providertest.Call {
			return providertest.Call{Name: "exec_command", Args: args(body{"cmd": "printf %s '" + text + "' > '" + path + "'", "sandbox_permissions": "require_escalated", "justification": "Write the file?"})}
		},
		setup: func(t *testing.T, home, api string) {
			writeFile(t, filepath.Join(home, ".codex", "config.toml"), "model = \"gpt-5\"\nmodel_provider = \"mock\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.mock]\nname = \"mock\"\nbase_url = \""+api+"/v1\"\nenv_key = \"MOCK_KEY\"\nwire_api = \"responses\"\n")
		},
		env: func(string) []string { return []string{"MOCK_KEY=none"} },
	},
	{
		name: "opencode", program: "opencode", command: "opencode acp", tool: "acp_edit",
		call: func(path, text string) providertest.Call {
			return providertest.Call{Name: "write", Args: args(body{"filePath": path, "content": text})}
		},
		setup: func(t *testing.T, home, api string) {
			config, err := json.Marshal(body{"autoupdate": false, "share": "disabled", "model": "anthropic/claude-sonnet-4-5", "small_model": "anthropic/claude-haiku-4-5",
				"provider": body{"anthropic": body{"options": body{"baseURL": api + "/v1", "apiKey": "none"}}}})
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(home, ".config", "opencode", "opencode.json"), string(config))
		},
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
	},
	{
		name: "gemini", program: "gemini", command: "gemini --experimental-acp", tool: "acp_edit",
		call: func(path, text string) providertest.Call {
			return providertest.Call{Name: "write_file", Args: args(body{"file_path": path, "content": text})}
		},
		setup: func(t *testing.T, home, _ string) {
			writeFile(t, filepath.Join(home, ".gemini", "settings.json"), `{"general":{"enableAutoUpdate":false},"model":{"name":"gemini-2.5-flash"},"privacy":{"usageStatisticsEnabled":false}}`)
		},
		env: func(api string) []string { return []string{"GOOGLE_GEMINI_BASE_URL=" + api, "GEMINI_API_KEY=none"} },
	},
	{
		name: "qwen", program: "qwen", command: "qwen --acp", tool: "acp_edit", named: true,
		call: func(path, text string) providertest.Call {
			return providertest.Call{Name: "write_file", Args: args(body{"file_path": path, "content": text})}
		},
		setup: func(t *testing.T, home, _ string) {
			writeFile(t, filepath.Join(home, ".qwen", "settings.json"), `{"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"security":{"auth":{"selectedType":"openai"}}}`)
		},
		env: func(api string) []string {
			return []string{"OPENAI_BASE_URL=" + api + "/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=mock-1"}
		},
	},
	{
		name: "copilot", program: "copilot", command: "copilot --acp", tool: "acp_edit", named: true,
		call: func(path, text string) providertest.Call {
			return providertest.Call{Name: "create", Args: args(body{"path": path, "file_text": text})}
		},
		env: func(api string) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + api + "/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=mock-1", "COPILOT_AUTO_UPDATE=false"}
		},
	},
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// model answers the next request that holds prompt and offers the tool of call with that
// call, and all others, such as those for a title, with words.
type model struct {
	mu     sync.Mutex
	prompt string
	call   *providertest.Call
	calls  int // made so far, since ids are unique in a session
}

func (m *model) wants(prompt string, c *providertest.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompt, m.call = prompt, c
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	reply := providertest.Reply{Text: "It is done."}
	if m.call != nil && bytes.Contains(b, []byte(m.prompt)) && bytes.Contains(b, []byte(`"name":"`+m.call.Name+`"`)) {
		m.calls++
		m.call.ID = fmt.Sprintf("call_%d", m.calls)
		reply = providertest.Reply{Text: "I will do it. ", Calls: []providertest.Call{*m.call}}
		m.call = nil
	}
	m.mu.Unlock()
	if strings.Contains(r.URL.Path, ":") {
		generateContent(w, r, reply)
		return
	}
	// The mock holds requests to what we send; a peer sends more, so it gets one of ours.
	ours := body{"model": "mock-1", "stream": true, "max_tokens": 1, "messages": []body{{"role": "user", "content": []body{{"type": "text", "text": "go"}}}}}
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		ours = body{"model": "mock-1", "stream": true, "stream_options": body{"include_usage": true}, "messages": []body{{"role": "user", "content": "go"}}}
	case strings.HasSuffix(r.URL.Path, "/responses"):
		ours = body{"model": "mock-1", "stream": true, "store": false, "input": []body{{"type": "message", "role": "user", "content": []body{{"type": "input_text", "text": "go"}}}}}
	}
	r.Body = io.NopCloser(strings.NewReader(string(args(ours))))
	providertest.New(providertest.Script{Lenient: true, Models: []string{"gpt-5", "claude-sonnet-4-5"}, Replies: []providertest.Reply{reply}}).ServeHTTP(w, r)
}

// generateContent answers a request in Google's format with a reply, as a stream if the
// method at the end of the path is streamGenerateContent. What was asked is not looked at:
// nothing of ours speaks the format, but gemini does.
func generateContent(w http.ResponseWriter, r *http.Request, p providertest.Reply) {
	_, method, _ := strings.Cut(r.URL.Path, ":")
	parts := []body{{"text": p.Text}}
	for _, c := range p.Calls {
		parts = append(parts, body{"functionCall": body{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Args)}})
	}
	answer := func(stop string, parts ...body) string {
		candidate := body{"index": 0, "content": body{"role": "model", "parts": parts}}
		if stop != "" {
			candidate["finishReason"] = stop
		}
		return string(args(body{"candidates": []body{candidate}, "modelVersion": "mock-1",
			"usageMetadata": body{"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10}}))
	}
	switch method {
	case "countTokens":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"totalTokens":1}`)
	case "streamGenerateContent":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range parts[:len(parts)-1] {
			fmt.Fprintf(w, "data: %s\n\n", answer("", part))
		}
		fmt.Fprintf(w, "data: %s\n\n", answer("STOP", parts[len(parts)-1]))
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer("STOP", parts...))
	}
}

// TestPeers drives the real agents, installed from npm and found on PATH, against a
// scripted model: each carries a dialog from a prompt to an approved and applied change,
// is denied once, stopped once, and goes on after the server was killed. It runs where
// -peers says so, as `just peers` does, and says of each what it could not do.
func TestPeers(t *testing.T) {
	if *peersAt == "" {
		return
	}
	usual := patience
	patience = peerPatience
	t.Cleanup(func() { patience = usual })
	report := make([]string, 0, len(peers))
	for _, peer := range peers {
		step := "" // stays empty where -run leaves it out
		switch ok := t.Run(peer.name, func(t *testing.T) { peer.carries(t, &step) }); {
		case step == "":
		case ok:
			report = append(report, peer.name+" carries all of it")
		default:
			report = append(report, peer.name+" FAILED at "+step)
		}
	}
	if t.Failed() {
		t.Errorf("not all agents carry a dialog; why stands above:\n%s", strings.Join(report, "\n"))
		return
	}
	t.Log(strings.Join(report, "\n"))
}

// peerPatience is how long a real agent may take for a step: the first start of opencode,
// which makes its database and looks for its tools, took 68 s on two busy cores.
const peerPatience = 4 * time.Minute

// carries takes a peer through the steps. step is the one that it is at, which the
// report names where it fails.
func (a peer) carries(t *testing.T, step *string) {
	at := func(what string) {
		if !t.Failed() {
			*step = what
		}
	}
	at("being installed and configured")
	if _, err := os.Stat(filepath.Join(peerBin(), a.program)); err != nil {
		t.Fatal(err)
	}
	p, wants, _ := a.configured(t)
	h := serve(t, p, a.flags()...)
	h.make("work")
	const path = "/project/work/dialog"
	holds := func(name string) {
		t.Helper()
		if got := h.read("work", "deed", name); got != "made by "+a.name {
			t.Errorf("%s holds %q", name, got)
		}
	}
	none := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if h.there("work", "deed", name) {
				t.Errorf("%s is there, and nobody approved it", name)
			}
		}
	}

	at("asking for a change")
	f := h.post(path, body{"provider": "acp", "model": a.name, "prompt": wants("Please write a file.", "approved.txt"), "slug": a.name}).ends("tool_request")
	id := f.data.DialogID
	if c := f.data.ToolCalls; len(c) != 1 || c[0].Name != a.tool {
		t.Fatalf("it asks for %+v", c)
	}
	none("approved.txt")
	at("making it when it is approved")
	h.put(path, body{"dialogId": id, "control": approve(f.data.ToolCalls...)}).ends("done")
	holds("approved.txt")

	at("asking for a second one")
	f = h.put(path, body{"dialogId": id, "prompt": wants("And another one.", "denied.txt")}).ends("tool_request")
	at("not making what is denied")
	h.put(path, body{"dialogId": id, "control": f.data.ToolCalls[0].ID + " deny\n"}).ends("done")
	none("denied.txt")

	at("being stopped while it asks")
	h.put(path, body{"dialogId": id, "prompt": wants("A third one.", "stopped.txt")}).ends("tool_request")
	h.ask("PUT", path, body{"dialogId": id, "status": "waiting"}).is(200)
	none("stopped.txt")

	at("being killed with the server while it asks")
	f = h.put(path, body{"dialogId": id, "prompt": wants("A fourth one.", "killed.txt")}).ends("tool_request")
	h.kill(syscall.SIGKILL)
	nothingLeft(t)
	h = serve(t, p, a.flags()...)
	if a := h.ask("PUT", path, body{"dialogId": id, "control": approve(f.data.ToolCalls...)}); a.status != http.StatusConflict {
		t.Errorf("a call that was asked before the kill is approved with %d: %s", a.status, a.text)
	}
	at("going on behind the kill")
	f = h.put(path, body{"dialogId": id, "prompt": wants("Go on with a fifth one.", "resumed.txt")}).ends("tool_request")
	none("resumed.txt")
	h.put(path, body{"dialogId": id, "control": approve(f.data.ToolCalls...)}).ends("done")
	holds("resumed.txt")
	none("denied.txt", "stopped.txt", "killed.txt")

	at("leaving a whole dialog behind")
	st := h.look("work", id)
	if strings.Contains(st.Markdown, "\n> Asked: no\n") {
		t.Error("something ran unasked")
	}
	t.Log(st.roles())
	p.checked()
	at("ending with the server")
	h.kill(syscall.SIGTERM)
	nothingLeft(t)
}

// nothingLeft fails where a program of the peers lives on.
func nothingLeft(t *testing.T) {
	t.Helper()
	end := time.Now().Add(5 * time.Second)
	for {
		out, _ := exec.Command("pgrep", "-af", regexp.QuoteMeta(*peersAt)+"/(bin|lib)/").Output() // none found is an error
		if len(out) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Errorf("left running:\n%s", out)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
