package replay

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/wire"
)

// play yields one recorded response.
func play(ctx context.Context, sections []dialog.Section, real bool, yield func(provider.Event, error) bool) {
	var events []provider.Event
	var sum dialog.Resources
	texts := 0
	for i := range sections {
		s := &sections[i]
		sum = sum.Plus(s.Resources)
		switch s.Role {
		case dialog.Reasoning:
			text := s.Payload(dialog.ReasoningMarkdown)
			for _, t := range pieces(text) {
				events = append(events, provider.Thinking{Piece: t})
			}
			events = append(events, provider.Reasoning{Text: text})
		case dialog.Assistant:
			for j, t := range pieces(s.Text()) {
				events = append(events, provider.Text{Piece: t, New: j == 0 && texts > 0})
			}
			if s.Text() != "" {
				texts++
			}
		case dialog.ToolRequest:
			events = append(events, provider.Call{ID: s.ID, Name: s.Tool(), Args: s.Text()})
		}
	}
	took := time.Duration(sum.MS) * time.Millisecond
	sum.MS = 0 // the caller measures its own
	events = append(events, provider.Finish{Stop: stop(sections), Detail: "recorded", Resources: sum})
	var each time.Duration
	if real {
		each = min(took, maxPace) / time.Duration(len(events))
	}
	for _, e := range events {
		if err := wire.Sleep(ctx, each); err != nil {
			yield(nil, err)
			return
		}
		if !yield(e, nil) {
			return
		}
	}
}

// stop is the recorded word if it is one of ours, else what the sections show.
func stop(sections []dialog.Section) string {
	end := provider.StopEnd
	for i := range sections {
		s := &sections[i]
		switch s.Meta.Get("Stop") {
		case provider.StopLength:
			return provider.StopLength
		case provider.StopRefusal:
			return provider.StopRefusal
		}
		if s.Role == dialog.ToolRequest {
			end = provider.StopCalls
		}
	}
	return end
}

// pieces cuts text as a model would: behind blanks, some 24 bytes each.
func pieces(text string) (out []string) {
	for len(text) > pieceBytes {
		n := pieceBytes
		if i := strings.LastIndexAny(text[:n], " \n"); i > 0 {
			n = i + 1
		}
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out, text = append(out, text[:n]), text[n:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}
