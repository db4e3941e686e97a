package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// Many agents begin in a mode in which they decide themselves what may run. Ours work in
// one that asks, where they offer one.

// agentMode is the mode of a session, as the agent calls both.
type agentMode struct{ session, id string }

// beginAsking puts a session that has just begun into the mode that asks. modes are
// those that the agent offers, nil for none. An agent that refuses to change gets no
// prompt.
func (t *turn) beginAsking(ctx context.Context, s *agentSession, modes *acp.ModeState) error {
	if modes == nil || len(modes.Available) == 0 {
		return nil
	}
	if s.asking = modes.Asking(); s.asking == "" {
		return t.note("warning", "human", fmt.Sprintf("The agent %s offers the modes %s, and none of them is known to ask before each change. Whether it asks is up to its own settings.", s.name, modeNames(modes)))
	}
	if said := s.mode.Load(); s.asking == modes.Current && (said == nil || said.id == s.asking) {
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
func (s *agentSession) askToAsk() chan error {
	got, asking := make(chan error, 1), agentMode{s.id, s.asking}
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

// notAsking is the error of an agent that could not be put into the mode that asks.
func (s *agentSession) notAsking(err error) error {
	if st, ok := errors.AsType[*record.Stopped](err); ok {
		return st
	}
	why := s.inWords(err)
	if errors.Is(err, acp.ErrClosed) {
		why = s.why(err)
	}
	return s.failed(provider.KindRefused, fmt.Sprintf("The agent %s could not be put into its mode %s, in which it asks before each change: %s. Its process was ended, so that it does nothing unasked. Press Continue to start it again.", s.name, s.asking, clip(why)))
}

// seeMode keeps which mode the agent says that it is in, also between two prompts.
func (s *agentSession) seeMode(r *acp.Request) {
	if r.Method != acp.MethodUpdate || !bytes.Contains(r.Params, []byte(`"`+acp.ModeUpdate+`"`)) && !bytes.Contains(r.Params, []byte(`"`+acp.ConfigUpdate+`"`)) {
		return
	}
	var p acp.UpdateParams
	if r.Decode(&p) != nil {
		return
	}
	if id := p.Update.Mode(); id != "" {
		s.mode.Store(&agentMode{p.SessionID, id})
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
	if err := x.t.note("warning", "human", fmt.Sprintf(text, s.name, s.asking, dialog.Clean(mode, 100))); err != nil {
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
func (t *turn) keepAsking(s *agentSession) error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, t.r.agentWait, t.r.silent())
	defer cancel()
	if said := s.mode.Load(); s.setting == nil && said != nil && said.session == s.id {
		if err := (&exchange{t: t, s: s}).modeChanged(said.id); err != nil {
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
