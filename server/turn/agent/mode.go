package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vibey/dialog"
	"vibey/provider/acp"
)

// beginAsking puts a session that has just begun into the mode that asks. modes are
// those that the agent offers, nil for none. An agent that refuses to change gets no
// prompt.
func (p *Partner) beginAsking(ctx context.Context, s *session, modes *acp.ModeState) error {
	if modes == nil || len(modes.Available) == 0 {
		return nil
	}
	if s.asking = modes.Asking(); s.asking == "" {
		return p.note("warning", "human", fmt.Sprintf("The agent %s offers the modes %s, and none of them is known to ask before each change. Whether it asks is up to its own settings.", s.name, modeNames(modes)))
	}
	if now := s.mode.Load(); s.asking == modes.Current && (now == nil || now.id == s.asking) {
		return nil
	}
	if err := waitFor(ctx, s.askToAsk()); err != nil {
		return s.notAsking(err)
	}
	return nil
}

func modeNames(modes *acp.ModeState) string {
	var ids []string
	for _, m := range modes.Available {
		ids = append(ids, m.ID)
	}
	return dialog.Clean(strings.Join(ids, ", "), 300)
}

// askToAsk sends the request to go to the mode that asks. The channel gets its answer.
func (s *session) askToAsk() chan error {
	got, asking := make(chan error, 1), mode{s.id, s.asking}
	_, err := s.proc.Begin(acp.MethodSetMode, acp.SetModeParams{SessionID: asking.session, ModeID: asking.id}, func(_ json.RawMessage, err error) {
		if err == nil {
			s.mode.Store(&asking)
		}
		got <- err
	})
	if err != nil {
		got <- err
	}
	return got
}

func waitFor(ctx context.Context, got <-chan error) error {
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// modeChanged notes that the agent has left the mode that asks, and asks it to go back
// the first time.
func (x *exchange) modeChanged(mode string) error {
	s := x.s
	if mode == "" || s.asking == "" || mode == s.asking || s.setting != nil {
		return nil
	}
	text := "The agent %s went by itself from its mode %s, in which it asks before each change, to %s. It is told to go back, once."
	again := s.setBack
	if again {
		text = "The agent %s left its mode %s again, for %s, and is let be: from now on it may do things unasked. Stop it if you don't want that; a new process of it begins in the mode that asks."
	}
	if err := x.note("warning", "human", fmt.Sprintf(text, s.name, s.asking, dialog.Clean(mode, 100))); err != nil {
		return err
	}
	if s.setBack = true; again {
		s.asking = ""
		return nil
	}
	s.setting = s.askToAsk()
	return nil
}

// keepAsking takes up, before a prompt, a change of mode that came between two.
func (p *Partner) keepAsking(s *session) error {
	ctx, cancel := p.soon()
	defer cancel()
	if now := s.mode.Load(); s.setting == nil && now != nil && now.session == s.id {
		if err := (&exchange{Partner: p, s: s}).modeChanged(now.id); err != nil {
			return err
		}
	}
	if s.setting == nil {
		return nil
	}
	err := waitFor(ctx, s.setting)
	s.setting = nil
	if err != nil {
		return s.notAsking(err)
	}
	return nil
}
