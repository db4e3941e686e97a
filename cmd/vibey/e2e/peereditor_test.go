package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/provider/providertest"
)

// TestPeersEditor drives `vibey acp` by the protocol's own library for editors: what
// that library can't read, or its check of a message refuses, fails here.
func TestPeersEditor(t *testing.T) {
	if *peersAt == "" {
		return
	}
	p := newPlace(t, providertest.Script{Models: []string{"m-one"}, Replies: writing()})
	dir := folder(t, "my-game")
	library := filepath.Join(*peersAt, "lib", "node_modules", "@agentclientprotocol", "sdk", "dist", "v1", "stable", "acp.js")
	cmd := exec.Command("node", filepath.Join("testdata", "editor.mjs"), library, binary, dir)
	cmd.Env = p.environment()
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	ended := time.AfterFunc(2*patience, func() { cmd.Process.Kill() })
	defer ended.Stop()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	var said struct {
		Initialized struct{ ProtocolVersion int }
		Session     string
		Stopped     string
		Modes       modes
		Asked       []struct{ Diffs, Options []string }
		First       []string
		Replayed    []string
		List        []struct{ SessionID, CWD, Title string }
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	if said.Initialized.ProtocolVersion != 1 || said.Stopped != "end_turn" || said.Modes.Current != "claude/m-one" {
		t.Errorf("%s", out.Bytes())
	}
	if a := said.Asked; len(a) != 1 || !slices.Equal(a[0].Diffs, []string{"new\n"}) || !slices.Equal(a[0].Options, []string{"allow_once", "allow_always", "reject_once"}) {
		t.Errorf("asked %+v", a)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(b) != "new\n" {
		t.Errorf("%q, %v", b, err)
	}
	if l := said.List; len(l) != 1 || l[0].SessionID != said.Session || l[0].CWD != dir || l[0].Title != "please write" {
		t.Errorf("listed %+v", l)
	}
	for what, told := range map[string][]string{"the first time": said.First, "when it is loaded": said.Replayed} {
		all := strings.Join(told, " | ")
		for _, want := range []string{"agent_message_chunk I write.", "agent_thought_chunk I think.", "tool_call_update completed", "agent_message_chunk Done."} {
			if !strings.Contains(all, want) {
				t.Errorf("%s it is not told %q: %s", what, want, all)
			}
		}
	}
	if !slices.Contains(said.Replayed, "user_message_chunk please write") {
		t.Errorf("loaded without the prompt: %q", said.Replayed)
	}
	t.Logf("%d updates, %d when it was loaded", len(said.First), len(said.Replayed))
	p.checked()
	nothingLeft(t)
}
