package wire

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	"vibey/provider"
)

// listing is how long a list of models may stay silent: a human waits for it.
const listing = 15 * time.Second

// Models asks c.URL for the list of models. All servers give an object with
// "data"; what else they tell of a model goes by several names.
func (c *Call) Models(ctx context.Context) ([]provider.Model, error) {
	models, _, err := c.models(ctx)
	return models, err
}

// models is Models, and says of which of them the server told whether it sees pictures.
func (c *Call) models(ctx context.Context) (_ []provider.Model, sees map[string]bool, err error) {
	inner, watch, cancel := newWatch(ctx, min(c.limit(), listing))
	defer cancel()
	if err := c.checkAddress(); err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(inner, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, nil, c.explain(ctx, inner, err)
	}
	for k, v := range c.Header {
		r.Header[k] = v
	}
	resp, err := c.client().Do(r)
	if err != nil {
		return nil, nil, c.explain(ctx, inner, err)
	}
	defer resp.Body.Close()
	watch.body = resp.Body
	body, err := io.ReadAll(io.LimitReader(watch, 8<<20))
	if resp.StatusCode != http.StatusOK && len(body) > 0 {
		return nil, nil, c.statusError(resp, body[:min(len(body), 64<<10)])
	}
	if err != nil {
		return nil, nil, c.explain(ctx, inner, err)
	}
	return c.readModels(body)
}

func (c *Call) readModels(body []byte) (_ []provider.Model, sees map[string]bool, err error) {
	var list struct {
		Data []struct {
			ID             string `json:"id"`
			MaxInputTokens int    `json:"max_input_tokens"` // Anthropic
			ContextLength  int    `json:"context_length"`   // OpenRouter
			MaxModelLen    int    `json:"max_model_len"`    // vLLM
			ContextWindow  int    `json:"context_window"`   // Groq

			Capabilities capabilities `json:"capabilities"`
			Input        modalities   `json:"input_modalities"`
			Architecture struct {
				Input modalities `json:"input_modalities"`
			} `json:"architecture"` // OpenRouter
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, nil, c.malformed(err)
	}
	models, sees := make([]provider.Model, 0, len(list.Data)), map[string]bool{}
	for _, m := range list.Data {
		if m.ID == "" {
			continue
		}
		known := provider.Known(m.ID)
		if w := max(m.MaxInputTokens, m.ContextLength, m.MaxModelLen, m.ContextWindow); w > 0 {
			known.Window = w // the server knows better than a table
		}
		switch input := append(m.Input, m.Architecture.Input...); {
		case input != nil:
			sees[m.ID] = slices.Contains(input, "image")
		case m.Capabilities.told:
			sees[m.ID] = m.Capabilities.sees
		}
		if told, ok := sees[m.ID]; ok {
			known.Sees = told
		}
		known.Sees = known.Sees || c.Config.Sees != nil && c.Config.Sees(m.ID)
		models = append(models, known)
	}
	return models, sees, nil
}
