package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// An Ollama is found by whoever names it, as the first thing that a process does: a
// restart between two requests, or another verb, changes nothing.
func TestOllamaIsNamed(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	p := newPlace(t, providertest.Script{Replies: []providertest.Reply{{Text: "Here."}, {Text: "Again."}, {Text: "Still."}, {Text: "At last."}}})
	p.more = []string{"OLLAMA_HOST=" + p.api}
	h := serve(t, p)
	h.make("p")
	id := h.post(dialogPath, body{"provider": "ollama", "model": "m", "prompt": "hello there"}).ends("done").data.DialogID
	h = h.again(9)
	h.put(dialogPath, body{"dialogId": id, "prompt": "and now?"}).ends("done")
	for _, args := range [][]string{
		{"run", "-p", "p", "--dialog", id, "once more"},
		{"run", "-p", "p", "--provider", "ollama", "--model", "m", "hello"},
		{"explain", id},
	} {
		if out, log, code := h.vibey(args...); code != 0 || strings.Contains(out, "can be told") {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, log)
		}
	}
	for _, name := range h.names("p") {
		if strings.HasPrefix(name, "dialog-") && strings.Contains(h.read("p", name), "> Kind: mistake") {
			t.Errorf("%s has a mistake:\n%s", name, h.read("p", name))
		}
	}
	p.more = []string{"OLLAMA_HOST=127.0.0.1:1"}
	if _, log, code := p.vibey("run", "-p", "p", "--provider", "ollama", "--model", "m", "hello"); code != 2 || !strings.Contains(log, `no provider "ollama"`) {
		t.Errorf("without one: exit %d, %s", code, log)
	}
	if got, _ := filepath.Glob(filepath.Join(p.dir, "p", "dialog-*")); len(got) != 2 {
		t.Errorf("dialogs %v", got)
	}
}
