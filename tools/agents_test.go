package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"vibey/dialog"
)

func mailWorld(t *testing.T) *world {
	w := newWorld(t)
	w.set = NewSet("mail")
	return w
}

const kid = "20260216-201100-kid"

// A dialog is read in pieces: each section once, none too long, and nothing that seals.
func TestReadAgentInPieces(t *testing.T) {
	w := mailWorld(t)
	d := dialog.Parse("# Dialog\n> DialogId: " + kid + "\n")
	add := func(role dialog.Role, text string, meta ...dialog.Field) {
		d.Append(dialog.Section{Role: role, ID: fmt.Sprint("s", len(d.Sections)), Meta: meta, Payloads: []dialog.Payload{{Type: "x/markdown", Text: text}}})
	}
	add(dialog.System, "the secret system text")
	add(dialog.Authorization, "allow write_file", dialog.Field{Key: "Scope", Value: "dialog"}, dialog.Field{Key: "Mac", Value: strings.Repeat("a", 64)})
	for i := range 40 {
		add(dialog.Assistant, fmt.Sprintf("word %d ", i)+strings.Repeat("é", i*200))
	}
	w.env.Agent = func(id string) (*dialog.Dialog, dialog.Status, error) { return d, dialog.Waiting, nil }
	from, seen := 0, ""
	for n := 0; ; n++ {
		args := arguments("dialogId", kid)
		if from > 0 {
			args = fmt.Sprintf(`{"dialogId":%q,"from":%d}`, kid, from)
		}
		r := w.set.Call(t.Context(), w.env, "read_agent", args)
		m := fieldsOfResult(t, r)
		text, _ := m["text"].(string)
		if !r.Success || len(text) > agentBytes+sectionBytes || m["sections"] != 42.0 || m["status"] != "waiting" {
			t.Fatalf("%d bytes: %.300s", len(text), r.JSON)
		}
		seen += text
		next, more := m["next"].(float64)
		if !more {
			break
		}
		if from = int(next); n > 20 {
			t.Fatal("it does not come to an end")
		}
	}
	for i := range 40 {
		if strings.Count(seen, fmt.Sprintf("word %d ", i)) != 1 {
			t.Errorf("word %d stands there %d times", i, strings.Count(seen, fmt.Sprintf("word %d ", i)))
		}
	}
	if strings.Contains(seen, "secret") || strings.Contains(seen, "aaaa") || !strings.Contains(seen, "## 1 Authorization s1 Scope=dialog\nallow write_file\n") || !strings.Contains(seen, "bytes more of this are left out") {
		t.Errorf("%.600s", seen)
	}
	if r := w.set.Call(t.Context(), w.env, "read_agent", fmt.Sprintf(`{"dialogId":%q,"from":42}`, kid)); r.Success || !strings.Contains(r.JSON, "from 0 to 41") {
		t.Error(r.JSON)
	}
}

// What can't be sent says what to do, and a secret in another dialog is masked.
func TestAgentsRefused(t *testing.T) {
	w := mailWorld(t)
	sent := 0
	w.env.Message = func(context.Context, string, string) (Delivery, error) { sent++; return Delivery{}, fs.ErrInvalid }
	for _, args := range []string{arguments("dialogId", "../x", "text", "hi"), arguments("dialogId", kid, "text", " \n"), arguments("dialogId", kid, "text", strings.Repeat("x", dialog.MailMost+1))} {
		if r := w.set.Call(t.Context(), w.env, "message_agent", args); r.Failure != Schema {
			t.Errorf("%.100s", r.JSON)
		}
	}
	if sent > 0 {
		t.Error("it was sent")
	}
	w.env.Mask = func() []string { return []string{"sk-live-0123456789"} }
	w.env.Agents = func() ([]Agent, error) {
		return append(make([]Agent, agentsMost+3), Agent{}), nil
	}
	if m := fieldsOfResult(t, w.set.Call(t.Context(), w.env, "list_agents", `{}`)); len(m["agents"].([]any)) != agentsMost || m["more"] != 4.0 {
		t.Errorf("%v", m["more"])
	}
	w.env.Agent = func(string) (*dialog.Dialog, dialog.Status, error) {
		return dialog.Parse("# Dialog\n\n## User\n\nthe key is sk-live-0123456789\n"), dialog.Done, nil
	}
	if r := w.set.Call(t.Context(), w.env, "read_agent", arguments("dialogId", kid)); !strings.Contains(r.JSON, "the key is") || strings.Contains(r.JSON, "0123456789") {
		t.Error(r.JSON)
	}
	w.env.Agent = func(string) (*dialog.Dialog, dialog.Status, error) { return nil, "", errors.New("it is gone") }
	if r := w.set.Call(t.Context(), w.env, "read_agent", arguments("dialogId", kid)); !strings.Contains(r.JSON, "it is gone") {
		t.Error(r.JSON)
	}
}
