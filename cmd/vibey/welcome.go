package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/mcp"
	"vibey/tools/sandbox"
	"vibey/vibey"
)

// welcome makes the first-run project from a recording, if no provider is configured
// and there is no project yet. Its dialog is run here by the same loop as any other,
// up to the call that waits for a human; the human's decision then runs it.
func (h *program) welcome(ctx context.Context, dir string) error {
	if h.providers.configured() {
		return nil
	}
	if names, err := h.begun(dir); err != nil || len(names) > 0 {
		return err
	}
	// It is made where no project can be, and renamed when it is whole.
	tmp := filepath.Join(dir, ".welcome.tmp")
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := h.fillWelcome(ctx, tmp); err != nil {
		return err
	}
	return os.Rename(filepath.Join(tmp, vibey.WelcomeName), filepath.Join(dir, vibey.WelcomeName))
}

// begun lists the projects of the folder dir. In our own source the one that is its
// specification is left out.
func (h *program) begun(dir string) ([]string, error) {
	names, err := h.store.Projects()
	if _, own := os.Stat(filepath.Join(dir, ".welcome")); own == nil {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "vibey" })
	}
	return names, err
}

// firstVisit returns the welcome project and its dialog, with which a first visit of the
// window begins, as long as the files are what welcome made of them: no provider is
// configured, no other project or dialog is there, and its question waits. Otherwise id
// is "". It is a fold over the files: a restart changes nothing.
func (h *program) firstVisit(dir string) (name, id string) {
	if h.providers.configured() {
		return "", ""
	}
	names, err := h.begun(dir)
	if err != nil || len(names) != 1 || names[0] != vibey.WelcomeName {
		return "", ""
	}
	p, err := h.store.Project(vibey.WelcomeName)
	if err != nil {
		return "", ""
	}
	all, err := p.Dialogs()
	if err != nil || len(all) != 2 {
		return "", ""
	}
	for _, d := range all {
		if d.Filename != vibey.Cassette && d.Needs == string(dialog.NeedsApproval) {
			return vibey.WelcomeName, d.ID
		}
	}
	return "", ""
}

// fillWelcome makes the project below the folder tmp.
func (h *program) fillWelcome(ctx context.Context, tmp string) error {
	key, err := h.state.key()
	if err != nil {
		return err
	}
	away := *h // with walls and servers of its own, for the end of its runner ends them
	away.sandbox, away.mcp = sandbox.Probe(sandbox.Config{}), mcp.New(mcp.Config{})
	away.providers = newProviders(nil, h.providers.keys, tmp, 0, nil, func(string) string { return "" })
	store, runner, err := away.open(tmp, key, false)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Create(vibey.WelcomeName, ""); err != nil {
		return err
	}
	p, err := store.Project(vibey.WelcomeName)
	if err != nil {
		return err
	}
	text := func(name string) string {
		b, err2 := fs.ReadFile(vibey.Welcome(), name)
		err = errors.Join(err, err2)
		return string(b)
	}
	page, doc, cassette := text("deed/index.html"), text("doc-main.md"), text(vibey.Cassette)
	if err != nil {
		return err
	}
	if err := p.Root().WriteFile("deed/index.html", []byte(page), 0o644); err != nil {
		return err
	}
	// No window is open yet, so the recording is played at once, not at its own pace.
	atOnce := strings.Replace(cassette, "> Pace: real\n", "", 1)
	for name, text := range map[string]string{"doc-main.md": doc, vibey.Cassette: atOnce} {
		if _, err := p.WriteFile(name, text, ""); err != nil {
			return err
		}
	}
	if err := play(ctx, runner, p, cassette); err != nil {
		return err
	}
	_, err = p.WriteFile(vibey.Cassette, cassette, "")
	return err
}

// play runs the first turn of the recording's own prompt, up to its call.
func play(ctx context.Context, r *turn.Runner, p *project.Project, cassette string) error {
	prompt := ""
	for _, s := range dialog.Parse(cassette).Sections {
		if s.Role == dialog.User {
			prompt = s.Text()
			break
		}
	}
	sub, err := r.Start(ctx, turn.Input{
		Project: p, Provider: replayName, Model: vibey.WelcomeName + "/" + vibey.Cassette,
		Title: new("First light"), Prompt: &turn.Prompt{Text: prompt},
	})
	if err != nil {
		return err
	}
	last := sub.Each(ctx, func(hub.Event) {})
	if last.Type != hub.ToolEvent {
		return fmt.Errorf("the recording did not come to its question: %s %s", last.Type, last.Message)
	}
	return r.Shutdown(ctx)
}
