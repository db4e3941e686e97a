package foldtest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"vibey/dialog/history"
	"vibey/provider/providertest"
)

// Draw makes a random legal history and the place up to which it is stable, as
// dialogs come to have them: rounds with texts, reasoning, calls and results,
// with notes in between. api, provider and model are those of its reasoning;
// Prefix of it is left empty, for the adapter's own hash.
func Draw(t *rapid.T, api, provider, model string) history.History {
	h := history.History{System: text(t, "system"), Tools: providertest.Question().History.Tools}
	if rapid.Bool().Draw(t, "no system") {
		h.System = ""
	}
	ids := 0
	h.Items = append(h.Items, history.Item{Kind: history.UserText, Text: text(t, "first")})
	for range rapid.IntRange(0, 6).Draw(t, "rounds") {
		var calls []history.Item
		for range rapid.IntRange(1, 5).Draw(t, "blocks") {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				h.Items = append(h.Items, history.Item{Kind: history.AssistantText, Text: text(t, "said")})
			case 1:
				h.Items = append(h.Items, history.Item{
					Kind: history.ReasoningItem, Text: text(t, "thought"), API: api, Provider: provider, Model: model,
					Native: nativeOf(api, ids),
				})
				ids++
			case 2:
				ids++
				c := history.Item{Kind: history.CallItem, CallID: fmt.Sprintf("call_%d", ids), Tool: "write_file", Args: fmt.Sprintf(`{"path": "%d"}`, ids)}
				h.Items, calls = append(h.Items, c), append(calls, c)
			}
		}
		h.Stable = len(h.Items)
		for _, c := range calls {
			h.Items = append(h.Items, history.Item{Kind: history.ResultItem, CallID: c.CallID, Tool: c.Tool, Text: text(t, "result"), Failed: rapid.Bool().Draw(t, "failed")})
		}
		for range rapid.IntRange(0, 3).Draw(t, "notes") {
			if rapid.Bool().Draw(t, "picture") {
				h.Items = append(h.Items, pictureItem(rapid.IntRange(0, len(shas)-1).Draw(t, "which"), provider, model))
				continue
			}
			h.Items = append(h.Items, history.Item{Kind: history.UserText, Text: text(t, "note")})
		}
		if last := h.Items[len(h.Items)-1].Kind; last != history.ResultItem && last != history.UserText && last != history.PictureItem {
			h.Items = append(h.Items, history.Item{Kind: history.UserText, Text: "go on"})
		}
	}
	return h
}

// text is never blank.
func text(t *rapid.T, label string) string {
	s := rapid.StringN(0, 20, 60).Draw(t, label)
	if strings.TrimSpace(s) == "" {
		return "x" + s
	}
	return s
}

// nativeOf is a block that the API would take back.
func nativeOf(api string, n int) string {
	switch api {
	case "messages":
		return fmt.Sprintf(`{"type":"thinking","thinking":"%d","signature":"s%d"}`, n, n)
	case "responses":
		return fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","encrypted_content":"e%d","summary":[]}`, n, n)
	}
	return fmt.Sprintf(`{"reasoning_content":"%d"}`, n)
}
