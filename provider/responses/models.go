package responses

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"vibey/provider"
	"vibey/provider/wire"
)

// Models lists what the place offers, its own order kept. OpenAI's own list is
// of everything it sells, in no order: there, what can't hold a dialog is left
// out, and models that we know come first.
func (p *Provider) Models(ctx context.Context) ([]provider.Model, error) {
	models, err := p.list().Models(ctx)
	if u, e := url.Parse(p.config.BaseURL); err != nil || e != nil || u.Hostname() != "api.openai.com" {
		return models, err
	}
	return sift(models), nil
}

func (p *Provider) list() *wire.Call {
	return &wire.Call{Config: p.config, URL: p.config.BaseURL + "/models", Header: wire.Bearer(p.config)}
}

// Sees implements provider.Seer.
func (p *Provider) Sees(ctx context.Context, model string) bool {
	return p.sight.Sees(ctx, model, p.list(), "")
}

// sift leaves out models for other things than text, and moves those of the
// table to the front in the table's order, the newest first.
func sift(models []provider.Model) []provider.Model {
	models = slices.DeleteFunc(models, func(m provider.Model) bool {
		for _, part := range []string{"embedding", "whisper", "tts", "dall-e", "image", "moderation", "realtime", "audio", "transcribe", "sora", "babbage", "davinci", "-instruct"} {
			if strings.Contains(m.ID, part) {
				return true
			}
		}
		return false
	})
	slices.SortStableFunc(models, func(a, b provider.Model) int { return provider.Rank(a.ID) - provider.Rank(b.ID) })
	return models
}
