package turn

import (
	"strconv"
	"strings"
	"testing"

	"vibey/dialog"
)

// The tokens of a family are what its files say: those of its root and of all
// that were launched, and of no other dialog.
func TestFamilyTokens(t *testing.T) {
	w := newWorld(t, &script{})
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	spend := func(family string, tokens int64) string {
		t.Helper()
		made++
		h := dialog.Header{Provider: "m", Model: "x", Status: dialog.Done}
		if family != "" {
			h.Meta = dialog.Fields{{Key: "Family", Value: family}}
		}
		stamp := dialog.FormatTime(w.now)
		f, err := p.NewDialog("d"+strconv.Itoa(made), w.now, h, []dialog.Section{{
			Role: dialog.Assistant, ID: "msg_1", Time: stamp + " - " + stamp,
			Resources: dialog.Resources{In: tokens - 1, Out: 1, Total: tokens},
			Payloads:  []dialog.Payload{{Type: dialog.OutputMarkdown, Text: "spent"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return f.ID()
	}
	root := spend("", familyTokens/2)
	spend("", familyTokens) // somebody else's
	spend(root, familyTokens/2-1)
	if err := w.run.families.room(w.p(), root, familyLive); err != nil {
		t.Errorf("one token below the ceiling: %v", err)
	}
	spend(root, 1)
	if err := w.run.families.room(w.p(), root, familyLive); err == nil || !strings.Contains(err.Error(), "20000000 tokens, the most it may") {
		t.Errorf("at the ceiling: %v", err)
	}
}
