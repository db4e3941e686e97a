package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/provider/providertest"
)

// TestPeersServers lets a model use tools of real MCP servers, installed from npm: what
// is approved is called and its result stands in the file, what is denied is not, and a
// server that would show every file of the machine shows none beyond the walls.
func TestPeersServers(t *testing.T) {
	if *peersAt == "" {
		return
	}
	p := newPlace(t, providertest.Script{})
	deed := filepath.Join(p.dir, "work", "deed")
	write := func(id, name string) providertest.Call {
		return tool(id, "mcp_files_write_file", `{"path":%q,"content":"by a server"}`, filepath.Join(deed, name))
	}
	p.mock.Play(providertest.Script{Replies: []providertest.Reply{
		does("I say it.", tool("echo", "mcp_everything_echo", `{"message":"the lamp is lit"}`)),
		does("I look around.", tool("env", "mcp_everything_get-env", `{}`)),
		does("I write.", write("made", "made.txt")),
		does("I write more.", write("denied", "denied.txt")),
		does("I read.", tool("outside", "mcp_all_read_text_file", `{"path":%q}`, filepath.Join(p.state, "token"))),
		{Text: "That is all."},
	}})
	p.more = []string{peerPath()}
	h := serve(t, p, "--mcp", "everything=mcp-server-everything stdio", "--mcp", "files=mcp-server-filesystem deed", "--mcp", "all=mcp-server-filesystem /")
	if level := h.get("/health").is(200).object()["sandbox"]; level == "none" {
		t.Fatal("nothing stands around a command on this machine, so nothing can be said of servers behind walls")
	}
	h.make("work")
	const path = "/project/work/dialog"
	h.ask("POST", "/project/work/file/doc-main.md", body{"content": rules("tools mcp:everything mcp:files mcp:all")}).is(200)
	f := h.post(path, body{"provider": "claude", "prompt": "Please use them."}).ends("tool_request")
	id := f.data.DialogID
	decide := func(control, end string) string {
		t.Helper()
		was := f.data.ToolCalls[0].ID
		f = h.put(path, body{"dialogId": id, "control": control}).ends(end)
		r, _ := h.look("work", id).find("Tool Result", was)
		return r.text()
	}
	next := func() string { t.Helper(); return decide(approve(f.data.ToolCalls...), "tool_request") }
	if got := next(); !strings.Contains(got, `"success":true`) || !strings.Contains(got, "the lamp is lit") {
		t.Errorf("echo: %s", got)
	}
	if got := next(); !strings.Contains(got, `"success":true`) || !strings.Contains(got, "HOME") || strings.Contains(got, "ANTHROPIC") || strings.Contains(got, "VIBEY") {
		t.Errorf("get-env: %s", got)
	}
	if h.there("work", "deed", "made.txt") {
		t.Error("it is written before it is approved")
	}
	if got := next(); !strings.Contains(got, `"success":true`) || h.read("work", "deed", "made.txt") != "by a server" {
		t.Errorf("write_file: %s", got)
	}
	if got := decide("denied deny\n", "tool_request"); !strings.Contains(got, "Denied") || h.there("work", "deed", "denied.txt") {
		t.Errorf("what was denied: %s", got)
	}
	token, err := os.ReadFile(filepath.Join(p.state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	if got := decide(approve(f.data.ToolCalls...), "done"); !strings.Contains(got, `"success":false`) || !strings.Contains(got, "ENOENT") || strings.Contains(got, strings.TrimSpace(string(token))) {
		t.Errorf("the token is read: %s", got)
	}
	t.Log(h.look("work", id).roles())
	p.checked()
	h.kill(syscall.SIGTERM)
	nothingLeft(t)
}

// TestPeersInspector asks our tools by the command line of MCP's own inspector, over
// stdin and stdout and behind the door.
func TestPeersInspector(t *testing.T) {
	if *peersAt == "" {
		return
	}
	p := newPlace(t, providertest.Script{Replies: []providertest.Reply{{Text: "Hello."}}})
	h := serve(t, p)
	h.make("work")
	inspect := func(args ...string) (string, error) {
		cmd := exec.Command(filepath.Join(peerBin(), "mcp-inspector"), append([]string{"--cli"}, args...)...)
		cmd.Env, cmd.Dir = append(p.environment(), peerPath()), t.TempDir()
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		ended := time.AfterFunc(2*patience, func() { cmd.Process.Kill() })
		defer ended.Stop()
		err := cmd.Run()
		if err != nil {
			out.Write(log.Bytes())
		}
		return out.String(), err
	}
	var command []string // it hands on no variable that is not named
	for _, v := range p.environment() {
		command = append(command, "-e", v)
	}
	for way, to := range map[string][]string{
		"stdio": append(command, binary, "mcp"),
		"http":  {h.url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + h.token},
	} {
		t.Run(way, func(t *testing.T) {
			out, err := inspect(slices.Concat(to, []string{"--method", "tools/list"})...)
			var list struct{ Tools []struct{ Name string } }
			if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list.Tools) != 9 {
				t.Errorf("tools/list: %v\n%s", err, out)
			}
			out, err = inspect(slices.Concat(to, []string{"--method", "tools/call", "--tool-name", "read_doc", "--tool-arg", "project=work", "name=doc-main.md"})...)
			if err != nil || !strings.Contains(out, "# work") {
				t.Errorf("read_doc: %v\n%s", err, out)
			}
			out, err = inspect(slices.Concat(to, []string{"--method", "tools/call", "--tool-name", "start_dialog", "--tool-arg", "project=work", "prompt=Hello", "provider=claude"})...)
			if err != nil || !strings.Contains(out, "dialogId") {
				t.Errorf("start_dialog: %v\n%s", err, out)
			}
		})
	}
	if out, err := inspect(h.url+"/mcp", "--transport", "http", "--method", "tools/list"); err == nil || strings.Contains(out, "list_projects") {
		t.Errorf("without the token: %v\n%s", err, out)
	}
	h.kill(syscall.SIGTERM)
	p.checked()
	nothingLeft(t)
}
