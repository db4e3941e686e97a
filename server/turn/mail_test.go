package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
)

// cast is the answers of several dialogs, by a word of their first message.
type cast map[string][][]provider.Event

// of returns the answers of the dialog with that history.
func (c cast) of(h history.History) [][]provider.Event {
	for _, it := range h.Items {
		if it.Kind != history.UserText || strings.HasPrefix(it.Text, "[") {
			continue
		}
		for word, answers := range c {
			if strings.Contains(it.Text, word) {
				return answers
			}
		}
		return nil
	}
	return nil
}

// mailWorld is a world in whose project each dialog has the tools of mail.
func mailWorld(t testing.TB, c cast) *world {
	w := newWorld(t, &script{of: c.of})
	if _, err := w.p().WriteFile("doc-main.md", "# p\n\nəəəproject/v1\ntools mail\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	return w
}

func launchCall(id, prompt, slug string) provider.Call {
	return provider.Call{ID: id, Name: "launch_agent", Args: fmt.Sprintf(`{"provider":"claude","model":"m","prompt":%q,"slug":%q}`, prompt, slug)}
}

func mailCall(id, to, text string) provider.Call {
	return provider.Call{ID: id, Name: "message_agent", Args: fmt.Sprintf(`{"dialogId":%q,"text":%q}`, to, text)}
}

const allowAll = "allow launch_agent\nallow message_agent"

// quiet waits until no turn of the project runs.
func (w *world) quiet() {
	w.t.Helper()
	if err := w.run.Wait(context.Background(), w.p()); err != nil {
		w.t.Fatal(err)
	}
}

// named is the id of the dialog with that slug.
func named(slug string) string { return "20260216-201100-" + slug }

// mails are the Notes of mail of a dialog, as "from: last line".
func (w *world) mails(id string) (out []string) {
	w.t.Helper()
	v := w.view(id)
	for i := range v.Dialog.Sections {
		if s := &v.Dialog.Sections[i]; s.IsMail() {
			lines := strings.Split(s.Text(), "\n")
			out = append(out, s.Meta.Get("By")[16:]+": "+lines[len(lines)-1])
		}
	}
	return out
}

// legal holds the history of every prefix of a dialog against the validator, and what was
// sent once against what is sent later.
func legal(t *testing.T, d *dialog.Dialog) {
	t.Helper()
	var b history.Builder
	part := dialog.Parse(string(dialog.AppendHeader(nil, &d.Header)))
	var sent []history.Item // with the request that the model answered last
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.Assistant {
			sent = slices.Clone(b.History().Items)
		}
		part.Append(d.Sections[i])
		b.Extend(part)
		h := b.History()
		if err := history.Validate(h); err != nil && part.HasPrompt() && !b.Answered() {
			t.Errorf("after section %d (%s): %v", i, d.Sections[i].Role, err)
		}
		if n := min(len(sent), len(h.Items)); !slices.Equal(sent[:n], h.Items[:n]) || n < len(sent) {
			t.Errorf("after section %d (%s): the prefix is another", i, d.Sections[i].Role)
		}
	}
}

// pair is a family of two: a dialog that waits, and one that it launched and that waits
// too, because it was marked as open again. Their answers in c begin after that.
func pair(t *testing.T, c cast) (w *world, lead, child string) {
	w = mailWorld(t, cast{"lead": {{launchCall("c1", "child", "child")}, text("Begun."), text("Woken.")}, "child": {text("Here.")}})
	lead, _ = w.start("lead it")
	w.put(Input{DialogID: lead, Control: control(allowAll)})
	w.quiet()
	child = named("child")
	w.status(child, dialog.Waiting)
	for word, id := range map[string]string{"lead": lead, "child": child} {
		before := make([][]provider.Event, answered(history.Build(w.view(id).Dialog)))
		c[word] = append(before, c[word]...)
	}
	w.script.of = c.of
	return w, lead, child
}

func (w *world) status(id string, st dialog.Status) {
	w.t.Helper()
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: st}); err != nil {
		w.t.Fatal(err)
	}
}

// result is the JSON of the result of a call.
func (w *world) result(id, call string) string {
	w.t.Helper()
	d := w.view(id).Dialog
	i := d.Find(dialog.ToolResult, call)
	if i < 0 {
		w.t.Fatalf("%s has no result: %s", call, sections(d))
	}
	return d.Sections[i].Text()
}
