package turn

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/texttag"
	"vibey/server/turn/brief"
)

// byTags is a script whose API is "tags".
type byTags struct{ *script }

func (byTags) API() string { return brief.APITags }

func (byTags) Instructions(set []history.ToolSpec) string { return texttag.Instructions(set) }

// TestToAndFromTags: a dialog changes the way in which its calls are written unless its
// file shows one. A file without a provider, or with one that is gone, never waits for it,
// and no refusal names one that is not there.
func TestToAndFromTags(t *testing.T) {
	answer := func(api string) string {
		return "\n## Assistant\n> Id: a\n> Api: " + api + "\n\nəəəoutput/markdown\nHello to you.\nəəə\n"
	}
	said := func(header, rest string) string { return "# Dialog\n" + header + "\n## User\n\nhello\n" + rest }
	note := "\n## Note\n> Id: n\n> Kind: tools\n> To: model\n> Calls: tags\n\nəəənote/markdown\nSo you call.\nəəə\n"
	system := func(meta string) string {
		return "\n## System\n> Id: s\n" + meta + "\nəəəsystem/markdown\n" + texttag.Instructions([]history.ToolSpec{{Name: "run_command"}}) + "\nəəə\n"
	}
	begin := "Begin a new dialog with "
	for _, tt := range []struct{ name, file, to, refused string }{
		{"by hand", said("", "\n## Assistant\n\nHello to you.\n"), "tags", ""},
		{"by hand, to the other", said("", "\n## Assistant\n\nHello to you.\n"), "claude", ""},
		{"a provider that is gone", said("> Provider: gone\n", "\n## Assistant\n\nHello to you.\n"), "tags", ""},
		{"no answer yet", said("> Provider: claude\n> Model: m\n", ""), "tags", ""},
		{"native calls and no provider", said("", answer("messages")), "tags", begin + "tags"},
		{"native calls and a provider that is gone", said("> Provider: gone\n", answer("chat")), "tags", begin + "tags"},
		{"native calls and a provider with tags", said("> Provider: tags2\n", answer("chat")), "tags", ""},
		{"native calls", said("> Provider: claude\n", answer("messages")), "tags", "Go on with claude, or begin a new dialog with tags"},
		{"native calls, to another with such", said("> Provider: gone\n", answer("chat")), "claude", ""},
		{"tags and no provider", said("", answer("tags")), "claude", begin + "claude"},
		{"tags and no provider, to tags", said("", answer("tags")), "tags", ""},
		{"tags", said("> Provider: tags\n", answer("tags")), "claude", "Go on with tags, or begin a new dialog with claude"},
		{"told of tags and not answered", said("> Provider: tags\n"+system("> Calls: tags\n"), ""), "claude", "Go on with tags, or begin a new dialog with claude"},
		{"native calls and a doc that tells of tags", said("> Provider: claude\n", system("")+answer("messages")), "tags", "Go on with claude, or begin a new dialog with tags"},
		{"a provider that is gone and a doc that tells of tags", said("> Provider: gone\n", system("")+answer("messages")), "claude", ""},
		{"tags by a Note", said("> Provider: gone\n", note+answer("tags")), "claude", ""},
		{"tags by a Note, to tags", said("> Provider: gone\n", note+answer("tags")), "tags", begin + "tags"},
		{"the same provider with another model", said("> Provider: tags\n", answer("messages")), "tags", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{text("Yes."), text("Yes.")}})
			w.run.w.Provider = func(name string) (provider.Provider, bool) {
				if strings.HasPrefix(name, "tags") {
					return byTags{w.script}, true
				}
				return w.script, name == "claude"
			}
			path := filepath.Join(w.dir, "root/p", dialog.Filename(wedgeID, dialog.Waiting))
			if err := os.WriteFile(path, []byte(tt.file), 0o644); err != nil {
				t.Fatal(err)
			}
			_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: wedgeID, Provider: tt.to, Model: "m1", Prompt: &Prompt{Text: "go on"}})
			switch {
			case tt.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refused == "":
				w.drain(sub)
				if len(w.script.reqs) != 1 {
					t.Errorf("%d requests", len(w.script.reqs))
				}
			case !errors.Is(err, ErrTags) || !strings.Contains(err.Error(), ". "+tt.refused) || strings.Contains(err.Error(), "gone") || strings.Contains(err.Error(), "  "):
				t.Errorf("got  %v\nwant %s", err, tt.refused)
			}
		})
	}
}

// TestSystemTellsOfTags: how to call by tags stands in the System section and is sent as
// it stands there, in whatever words. A dialog that does not have it there is told so by
// the program, in the words of then.
func TestSystemTellsOfTags(t *testing.T) {
	w := newWorld(t, nil)
	server := &providertest.Canned{Answers: []providertest.Answer{{Body: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}}}
	p := texttag.New(provider.Config{Name: "claude", BaseURL: "http://test.example/v1", Client: server.Client()})
	w.run.w.Provider = func(string) (provider.Provider, bool) { return p, true }
	// sent is the system text of the last request.
	sent := func() string {
		var r struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal([]byte(server.Got[len(server.Got)-1]), &r); err != nil || r.Messages[0].Role != "system" {
			t.Fatalf("%v: %s", err, server.Got[len(server.Got)-1])
		}
		return r.Messages[0].Content
	}
	id, _ := w.start("go")
	v := w.view(id)
	told, _ := history.System(v.Dialog)
	if !strings.Contains(told, "`<mcp:terminal>COMMAND</mcp:terminal>`") || !strings.Contains(told, "`write_file`: ") || sent() != told {
		t.Errorf("the System section says\n%s\nand sent was\n%s", told, sent())
	}
	text, ok := provider.CutInstructions(told)
	if !ok || strings.Contains(text, "<mcp:") {
		t.Errorf("without the instructions it says\n%s", text)
	}
	before := strings.Replace(told, provider.TagsHeading+"\n", "# How you call tools\n", 1) // see TestRequestFromBefore
	before = regexp.MustCompile(`(?m)^- A tag within a code fence .*$`).ReplaceAllLiteralString(before, "- Within code fences and inline code a tag is text and calls nothing. Write one there only to show it.")
	for _, tt := range []struct{ name, system, want string }{
		{"other words", strings.Replace(told, "Say in a sentence", "Tell in few words", 1), ""},
		{"none, as before", text, before},
	} {
		file := strings.Replace(v.Text, told, tt.system, 1)
		if tt.want != "" {
			file = strings.Replace(file, "\n> Calls: tags\n", "\n", 1)
		}
		if file == v.Text {
			t.Fatalf("%s: the file is as it was", tt.name)
		}
		if _, err := w.p().WriteFile(v.Filename, file, ""); err != nil {
			t.Fatal(err)
		}
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
		if tt.want == "" {
			tt.want = tt.system
		}
		if sent() != tt.want {
			t.Errorf("%s: sent was\n%s\nand not\n%s", tt.name, sent(), tt.want)
		}
	}
	file := strings.Replace(v.Text, "əəə"+dialog.ToolsJSON+"\n[", "əəə"+dialog.ToolsJSON+"\n", 1)
	if _, err := w.p().WriteFile(v.Filename, file, ""); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
	if got, _ := history.System(w.view(id).Dialog); got != told || sent() != told {
		t.Errorf("behind damage the System section says\n%s\nand sent was\n%s", got, sent())
	}
}

// TestDocTellsOfTags: a doc that has the very words by which a model is told of tags is a
// doc all the same. Nothing of the system text is cut off for it, also where the text is
// told again behind damage; and a native dialog stays one.
func TestDocTellsOfTags(t *testing.T) {
	const doc = "# A plan\n\nIntro.\n\n" + provider.TagsHeading + "\n\nwords\n\n" + provider.ToolsHeading + "\n\nMORE"
	for _, api := range []string{brief.APITags, "chat"} {
		w := newWorld(t, nil)
		server := &providertest.Canned{Answers: []providertest.Answer{{Body: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}}}
		c := provider.Config{Name: "claude", BaseURL: "http://test.example/v1", Client: server.Client()}
		w.run.w.Provider = func(string) (provider.Provider, bool) {
			if api == brief.APITags {
				return texttag.New(c), true
			}
			return chat.New(c), true
		}
		if _, err := w.p().WriteFile("doc-main.md", doc, ""); err != nil {
			t.Fatal(err)
		}
		id, _ := w.start("go")
		v := w.view(id)
		told, _ := history.System(v.Dialog)
		for _, part := range []string{"\nMORE\n\n[end of doc-main.md]\n\n", "[CODEBASE", "# Hard rules"} {
			if strings.Count(told, part) != 1 {
				t.Errorf("%s: without %q the System section says\n%s", api, part, told)
			}
		}
		heads, byTags := 1, api == brief.APITags
		if byTags {
			heads = 2
		}
		if n := strings.Count(told, provider.TagsHeading); n != heads || history.CallsByTags(v.Dialog) != byTags || strings.Contains(v.Text, "\n> Calls: tags\n") != byTags {
			t.Errorf("%s: told of tags %d times, and marked so: %v\n%s", api, n, history.CallsByTags(v.Dialog), v.Text)
		}
		if got := strings.Contains(server.Got[0], `"tools":[`); got == byTags {
			t.Errorf("%s: tools are offered: %v", api, got)
		}
		file := strings.Replace(v.Text, "əəə"+dialog.ToolsJSON+"\n[", "əəə"+dialog.ToolsJSON+"\n", 1)
		if _, err := w.p().WriteFile(v.Filename, file, ""); err != nil {
			t.Fatal(err)
		}
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
		again := w.view(id).Dialog
		if got, whole := history.System(again); got != told || !whole || history.CallsByTags(again) != byTags {
			t.Errorf("%s: behind damage the System section says\n%s", api, got)
		}
	}
}
