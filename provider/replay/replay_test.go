package replay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/providertest"
)

const file = "dialog-20260216-201100-tour-waiting.md"

// cassette has two responses with a blank one in between.
func cassette(pace string) string {
	d := dialog.Dialog{Header: dialog.Header{DialogID: "20260216-201100-tour", Provider: "claude", Model: "m", Status: dialog.Waiting, Started: "2026-02-16T20:11:00Z"}}
	if pace != "" {
		d.Header.Meta = dialog.Fields{{Key: "Pace", Value: pace}}
	}
	at := "2026-02-16T20:11:03Z - 2026-02-16T20:11:03Z"
	add := func(role dialog.Role, id, text, typ string, r dialog.Resources, meta ...dialog.Field) {
		d.Append(dialog.Section{Role: role, ID: id, Time: at, Meta: meta, Resources: r, Payloads: []dialog.Payload{{Type: typ, Text: text}}})
	}
	add(dialog.User, "u1", "hello", dialog.InputMarkdown, dialog.Resources{})
	add(dialog.Reasoning, "r1", "What to show first?", dialog.ReasoningMarkdown, dialog.Resources{})
	add(dialog.Assistant, "a1", "I show you how a change\nis approved, ə for ə.", dialog.OutputMarkdown, dialog.Resources{In: 100, Out: 20, Total: 120, Tools: 1, MS: 4000, Cached: 60})
	add(dialog.ToolRequest, "toolu_a", `{"path":"deed/a", "content":"x"}`, dialog.ToolInput, dialog.Resources{}, dialog.Field{Key: "Tool", Value: "write_file"}, dialog.Field{Key: "Status", Value: "pending"})
	add(dialog.ToolRequest, "toolu_b", `{half`, dialog.ToolInput, dialog.Resources{}, dialog.Field{Key: "Tool", Value: "invalid"})
	add(dialog.ToolResult, "toolu_a", `{"success":true}`, dialog.ToolResultJSON, dialog.Resources{})
	add(dialog.Assistant, "a2", "", dialog.OutputMarkdown, dialog.Resources{})
	add(dialog.User, "u2", "go on", dialog.InputMarkdown, dialog.Resources{})
	add(dialog.Assistant, "a3", "Done.", dialog.OutputMarkdown, dialog.Resources{Out: 2, Total: 2}, dialog.Field{Key: "Stop", Value: "length"})
	return dialog.Format(&d)
}

func setup(t *testing.T, text string) *Provider {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"tour/" + file: text, "tour/doc-main.md": "# Tour\n"} {
		name = filepath.Join(dir, "root", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return New(Config{Dir: filepath.Join(dir, "root"), Offer: "tour"})
}

// answered is a history that holds n responses.
func answered(n int) history.History {
	h := history.History{Items: []history.Item{{Kind: history.UserText, Text: "hello"}}}
	for range n {
		h.Items = append(h.Items,
			history.Item{Kind: history.AssistantText, Text: "x"},
			history.Item{Kind: history.CallItem, CallID: "c", Tool: "t", Args: "{}"},
			history.Item{Kind: history.ResultItem, CallID: "c", Text: "{}"},
			history.Item{Kind: history.UserText, Text: "and"})
	}
	return h
}

func TestPlay(t *testing.T) {
	p := setup(t, cassette(""))
	want := []string{`begin
thinking "What to show first?"
reasoning "What to show first?" native=
text "I show you how a change\nis approved, ə for ə."
call toolu_a write_file "{\"path\":\"deed/a\", \"content\":\"x\"}"
call toolu_b invalid "{half"
finish calls "recorded" in=100 out=20 total=120 tools=1 ms=0 cached=60
`, `begin
text "Done."
finish length "recorded" in=0 out=2 total=2 tools=0 ms=0
`}
	for n, want := range want {
		// The status in the name does not matter.
		for _, model := range []string{"tour/" + file, "tour/dialog-20260216-201100-tour-done.md"} {
			got := providertest.Trace(p.Stream(t.Context(), &provider.Request{Model: model, History: answered(n)}))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("response %d (-want +got):\n%s", n, d)
			}
		}
	}
	got := providertest.Trace(p.Stream(t.Context(), &provider.Request{Model: "tour/" + file, History: answered(2)}))
	if !strings.Contains(got, "No model was called") || !strings.Contains(got, "finish end") {
		t.Errorf("after the last response: %s", got)
	}
}

func TestModels(t *testing.T) {
	got, err := setup(t, cassette("")).Models(t.Context())
	if err != nil || len(got) != 1 || got[0].ID != "tour/"+file {
		t.Errorf("models: %v, %v", got, err)
	}
}

func TestNotFound(t *testing.T) {
	p := setup(t, cassette(""))
	if err := os.Symlink("../../"+file, filepath.Join(p.config.Dir, "tour", "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"", "tour", "tour/none.md", "../" + file, "/etc/passwd", "tour/../../" + file, "tour/link.md", "tour/doc-main.md", "a\x00b"} {
		var last error
		for _, err := range p.Stream(t.Context(), &provider.Request{Model: model, History: answered(0)}) {
			last = err
		}
		var e *provider.Error
		if !errors.As(last, &e) || e.Kind != provider.KindNotFound {
			t.Errorf("%q: %v", model, last)
		}
	}
}

// What an agent launches plays its own project's recordings; a human's own start
// plays any.
func TestWithin(t *testing.T) {
	p := setup(t, cassette(""))
	dir := p.config.Dir
	for _, folder := range []string{"mine/deed", "tour2"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	own := strings.Replace(cassette(""), "20260216-201100-tour", "20260216-201100-mine", 1)
	for _, name := range []string{"mine/" + file, "mine/deed/" + file, "tour2/" + file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(own), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for to, name := range map[string]string{"../tour/" + file: "mine/link.md", "../tour": "mine/folder", file: "mine/own.md", "tour": "linked"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		project, model string
		ok             bool
	}{
		{"mine", "mine/" + file, true},
		{"mine", "./mine//" + file, true},
		{"mine", "mine/dialog-20260216-201100-tour-done.md", true}, // by any status
		{"mine", "mine/deed/" + file, true},
		{"mine", "mine/own.md", true},
		{"tour", "tour/" + file, true},
		{"mine", "tour/" + file, false},
		{"mine", "mine/../tour/" + file, false},
		{"mine", "mine/link.md", false},
		{"mine", "mine/folder/" + file, false},
		{"mine", "linked/" + file, false},
		{"mine", "/" + filepath.Join(dir, "mine", file), false},
		{"mine", "../root/mine/" + file, false},
		{"mine", "mine/../../" + file, false},
		{"mine", "", false},
		{"mine", "mine", false},
		{"mine", "mine/none.md", false},
		{"tour", "tour2/" + file, false},
	} {
		err := p.Within(c.project, c.model)
		if (err == nil) != c.ok {
			t.Errorf("%s in %s: %v", c.model, c.project, err)
		}
		var last error
		for _, last = range p.Stream(t.Context(), &provider.Request{Model: c.model, Within: c.project, History: answered(0)}) {
		}
		if (last == nil) != c.ok {
			t.Errorf("%s in %s was played: %v", c.model, c.project, last)
		}
		var e *provider.Error
		if !c.ok && (!errors.As(err, &e) || e.Kind != provider.KindNotFound || strings.Contains(e.Message, dir+"/tour")) {
			t.Errorf("%s in %s: %v", c.model, c.project, err)
		}
	}
	for _, err := range p.Stream(t.Context(), &provider.Request{Model: "tour/" + file, History: answered(0)}) {
		if err != nil {
			t.Errorf("a human's own: %v", err)
		}
	}
}

func TestRealPace(t *testing.T) {
	p := setup(t, cassette("real"))
	d, err := p.load("tour/"+file, "")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		play(t.Context(), responses(d)[0], true, func(provider.Event, error) bool { return true })
		if took := time.Since(start).Round(100 * time.Millisecond); took != 4*time.Second {
			t.Errorf("took %v, want 4s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var last error
		play(ctx, responses(d)[0], true, func(_ provider.Event, err error) bool { last = err; return true })
		if !errors.Is(last, context.DeadlineExceeded) || time.Since(start) > 5100*time.Millisecond {
			t.Errorf("not cancelled: %v after %v", last, time.Since(start))
		}
		d.Sections[2].Resources.MS = 1e9
		start = time.Now()
		play(t.Context(), responses(d)[0], true, func(provider.Event, error) bool { return true })
		if took := time.Since(start); took > maxPace {
			t.Errorf("took %v, at most %v is allowed", took, maxPace)
		}
	})
}

// The hash of a request depends on all of it, though nobody is sent it.
func TestPrefix(t *testing.T) {
	p := setup(t, cassette(""))
	if p.API() != "replay" {
		t.Errorf("API() is %q", p.API())
	}
	seen := map[string]bool{}
	for i := range 4 {
		h := answered(min(i, 1))
		if i > 1 {
			h.System = "other"
		}
		if i > 2 {
			h.Tools = providertest.Question().History.Tools
		}
		for e := range p.Stream(t.Context(), &provider.Request{Model: "tour/" + file, History: h}) {
			seen[e.(provider.Begin).Prefix] = true
			break
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d hashes for 4 requests", len(seen))
	}
}
