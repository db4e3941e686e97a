package acp

import (
	"context"
	"slices"
	"sync"
	"time"

	"vibey/dialog"
	protocol "vibey/provider/acp"
	"vibey/tools/caught"
)

// mode is a provider and model, named by a session's mode.
type mode struct{ provider, model string }

func (m mode) id() string { return m.provider + "/" + m.model }

// Bounds of what is offered: an endpoint may list hundreds of models.
const (
	modelsWait = 5 * time.Second // for all providers together
	modelsMost = 100             // of one provider
)

// offer returns the modes of a session, the current one among them.
func (s *session) offer(ctx context.Context, provider, model string) *protocol.ModeState {
	current := mode{provider, model}
	modes := s.a.modes(ctx)
	if !slices.Contains(modes, current) && provider != "" && model != "" {
		modes = append([]mode{current}, modes...)
	}
	s.mu.Lock()
	s.modes, s.chosen = modes, mode{}
	s.mu.Unlock()
	out := &protocol.ModeState{Current: current.id(), Available: []protocol.Mode{}}
	for _, m := range modes {
		out.Available = append(out.Available, protocol.Mode{ID: m.id(), Name: m.model, Description: "by " + m.provider})
	}
	return out
}

// modes lists what can be asked for, in the order of the providers. One that does not
// answer in time has none.
func (a *Agent) modes(ctx context.Context) (all []mode) {
	ctx, cancel := context.WithTimeout(ctx, modelsWait)
	defer cancel()
	names := a.Providers()
	each := make([][]mode, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Add(1)
		caught.Go(a.Log, "the models of "+name, func() {
			defer wg.Done()
			p, ok := a.Provider(name)
			if !ok {
				return
			}
			models, err := p.Models(ctx)
			if err != nil {
				a.Log.Info("no models are offered of a provider", "provider", name, "err", err)
			}
			for _, m := range models[:min(len(models), modelsMost)] {
				each[i] = append(each[i], mode{name, m.ID})
			}
		})
	}
	wg.Wait()
	return slices.Concat(each...)
}

// setMode chooses the model of the next message. It is written with that message, as a
// change of model is.
func (a *Agent) setMode(_ context.Context, in protocol.SetModeParams) (any, error) {
	s, err := a.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.modes, func(m mode) bool { return m.id() == in.ModeID })
	if i < 0 {
		return nil, badParams("the mode %q was not offered; a mode is PROVIDER/MODEL. Nothing was changed", dialog.Cut(in.ModeID, 200))
	}
	s.chosen = s.modes[i]
	return struct{}{}, nil
}
