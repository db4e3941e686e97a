package view

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/why"
	"vibey/server/project"
)

// talks writes n dialogs of 200 KB that read doc-main.md again and again, of which each tenth
// one writes it.
func talks(tb testing.TB, n int) *project.Project {
	tb.Helper()
	root := filepath.Join(tb.TempDir(), "vibey")
	store, err := project.Open(root, project.Options{Key: []byte("key")})
	if err == nil {
		tb.Cleanup(func() { store.Close() })
		err = store.Create("p", "")
	}
	if err != nil {
		tb.Fatal(err)
	}
	p, err := store.Project("p")
	if err != nil {
		tb.Fatal(err)
	}
	main, err := p.ReadFile(project.MainDoc)
	if err != nil {
		tb.Fatal(err)
	}
	was := dialog.SHA256(main.Content)
	for i := range n {
		at := time.Date(2026, 2, 16, 20, 0, i, 0, time.UTC)
		id := fmt.Sprintf("20260216-%s-t%d", at.Format("150405"), i)
		text := "# Dialog\n> DialogId: " + id + "\n> Provider: a\n> Model: b\n> Status: done\n> Started: " + dialog.FormatTime(at) + "\n"
		d := dialog.Parse(text)
		add := func(s dialog.Section) {
			s.Time = dialog.Span(at, at)
			text += d.Encode(s)
			d.Append(s)
		}
		call := func(id, tool, in, result string) {
			add(dialog.Section{Role: dialog.ToolRequest, ID: id, Meta: dialog.Fields{{Key: "Tool", Value: tool}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: in}}})
			if tool == "write_file" {
				auth := dialog.Section{Role: dialog.Authorization, ID: "auth", Time: dialog.Span(at, at), Meta: dialog.Fields{{Key: "Scope", Value: "dialog"}, {Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: id + " approve sha256:" + grant.InputHash(in) + " " + tool}}}
				(&grant.Authority{Key: []byte("key"), Project: "p", DialogID: d.Header.DialogID}).Seal(&auth, "")
				add(auth)
			}
			add(dialog.Section{Role: dialog.Note, ID: id + "n", Meta: dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: id}}, Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "started"}}})
			add(dialog.Section{Role: dialog.ToolResult, ID: id, Meta: dialog.Fields{{Key: "Tool", Value: tool}, {Key: "Status", Value: "approved"}}, Payloads: []dialog.Payload{{Type: "tool/result/json", Text: result}}})
		}
		add(dialog.Section{Role: dialog.User, ID: "u", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}})
		for k := range 50 {
			call(fmt.Sprint("r", k), "read_file", `{"path":"doc-main.md"}`, `{"success":true,"content":"`+strings.Repeat(fmt.Sprintf("line %d of the page\\n", k), 180)+`"}`)
		}
		if i%10 == 0 {
			content := strings.Repeat("a line\n", 20) + fmt.Sprintf("a line of %d\n", i)
			in, _ := json.Marshal(map[string]string{"path": "doc-main.md", "content": content})
			sha := dialog.SHA256(content)
			call("w", "write_file", string(in), fmt.Sprintf(`{"success":true,"path":"doc-main.md","sha256":%q,"replaced":%q}`, sha, was))
			was, main.Content = sha, content
		}
		name := filepath.Join(root, "p", "dialog-"+id+"-done.md")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "p", project.MainDoc), []byte(main.Content), 0o644); err != nil {
		tb.Fatal(err)
	}
	return p
}

// A dialog that only names a doc is not read again for its history, until its file changes.
func TestWhyReadsWhatChanged(t *testing.T) {
	p := talks(t, 20)
	said := func() string {
		h, _, err := Why(p, project.MainDoc, []byte("key"))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v %v", h.Versions, h.Lines)
	}
	first := said()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if again := said(); again != first {
		t.Errorf("it said\n%s, and says\n%s", first, again)
	}
	runtime.ReadMemStats(&after)
	if read := after.TotalAlloc - before.TotalAlloc; read > 2_000_000 {
		t.Errorf("%d bytes were made for two dialogs of 200 KB", read)
	}
	names, err := p.Files()
	if err != nil {
		t.Fatal(err)
	}
	writes, err := p.ReadFile(names[slices.IndexFunc(names, func(n string) bool { return strings.Contains(n, "t10-") })])
	if err != nil {
		t.Fatal(err)
	}
	reads := names[slices.IndexFunc(names, func(n string) bool { return strings.Contains(n, "t1-") })]
	id, _, _ := dialog.ParseName(reads)
	if _, err := p.WriteFile(reads, strings.ReplaceAll(writes.Content, writes.Name[len("dialog-"):len(writes.Name)-len("-done.md")], id), ""); err != nil {
		t.Fatal(err)
	}
	dialogs, err := dialogsAbout(p, project.MainDoc)
	if err != nil || !slices.ContainsFunc(dialogs, func(d why.Dialog) bool { return d.ID == id }) {
		t.Errorf("%d dialogs, and not the one that changed: %v", len(dialogs), err)
	}
}

// The history of a doc that 200 dialogs of 200 KB name.
func BenchmarkWhy(b *testing.B) {
	p := talks(b, 200)
	for b.Loop() {
		h, _, err := Why(p, project.MainDoc, []byte("key"))
		if err != nil || len(h.Lines) == 0 || h.Versions[h.Lines[len(h.Lines)-1]].Who() != why.Agent {
			b.Fatalf("%v %+v", err, h.Lines)
		}
	}
}
