package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/server/hub"
)

// pipe makes a pipe with a name, from which an agent waits for a word.
func (a *agentWorld) pipe() string {
	a.t.Helper()
	name := filepath.Join(a.t.TempDir(), "go")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return name
}

// Watchers are told of an agent that takes long to start, and of the end of that; of one
// that is quick, of neither. Nothing of it is kept.
func TestAgentStartIsTold(t *testing.T) {
	for _, c := range []struct{ awaits, want string }{
		{"initialize", "starting ready"},
		{"session/new", "starting ready"},
		{"", ""},
	} {
		t.Run("awaits "+c.awaits, func(t *testing.T) {
			a := newAgentWorld(t, "")
			pipe := a.pipe()
			a.run.agents.StartSoon = time.Hour
			script := fine
			if c.awaits != "" {
				a.run.agents.StartSoon, script = 0, "awaits "+c.awaits+" "+pipe+"\n"+fine
			}
			a.plays(script)
			sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: "mock", Slug: "x", Prompt: &Prompt{Text: "go"}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			var kinds []string
			var last hub.Event
			for batch, ok := sub.Next(ctx); ok; batch, ok = sub.Next(ctx) {
				for _, e := range batch {
					if last = e; e.Type != hub.NoteEvent {
						continue
					}
					kinds = append(kinds, e.Kind)
					if !strings.HasPrefix(e.Text, "mock ") {
						t.Errorf("it tells %q", e.Text)
					}
					if e.Kind == "starting" {
						if err := os.WriteFile(pipe, []byte("go"), 0o600); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			if got := strings.Join(kinds, " "); got != c.want || last.Type != hub.DoneEvent {
				t.Errorf("told: %q; ends with %s: %s", got, last.Type, last.Message)
			}
			if v := a.view(last.DialogID); sections(v.Dialog) != "System, User, Note/session, Assistant" {
				t.Errorf("kept: %s", sections(v.Dialog))
			}
		})
	}
}

// One that never answers while it begins is ended, and it is said how long it had.
func TestAgentNeverStarts(t *testing.T) {
	testenv.Slow(t)
	for _, method := range []string{"initialize", "session/new"} {
		t.Run(method, func(t *testing.T) {
			a := newAgentWorld(t, "")
			a.plays("awaits " + method + " " + a.pipe() + "\n" + fine)
			a.run.agents.StartWait = 300 * time.Millisecond
			id, es := a.ask("go")
			if last := es[len(es)-1]; last.Type != hub.ErrorEvent || last.Kind != "idle" || !strings.Contains(last.Message, "did not begin: it did not answer within 300ms. Its process was ended.") {
				t.Errorf("ends with %s %s: %s", last.Type, last.Kind, last.Message)
			}
			if v := a.view(id); v.Needs != dialog.NeedsContinue || a.agents() != 0 {
				t.Errorf("needs %s, %d agents run", v.Needs, a.agents())
			}
		})
	}
}
