package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"vibey/dialog/jsontext"
	"vibey/provider"
)

// Sight remembers which models of a server see pictures, as it said. The zero value is ready.
type Sight struct{ told sync.Map }

// asking is how long a server may take to say whether a model sees: a human's message waits.
const asking = 3 * time.Second

// Sees reports whether a model sees pictures. list is the request for the server's models;
// show, if it is not "", the address of Ollama's /api/show, which is asked where the list
// does not say it. An answer is kept; where none came the next call asks again.
func (s *Sight) Sees(ctx context.Context, model string, list *Call, show string) bool {
	if list.Config.Sees != nil && list.Config.Sees(model) {
		return true
	}
	if sees, ok := s.told.Load(model); ok {
		return sees.(bool)
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	_, told, err := list.models(ctx)
	sees, ok := told[model]
	if !ok && show != "" {
		sees, ok = list.shown(ctx, show, model)
	}
	if !ok {
		sees = provider.Sees(model)
	}
	if ok || err == nil {
		s.told.Store(model, sees)
	}
	return sees
}

// shown asks an Ollama what a model can do. Any other server answers with an error, or with
// something else.
// Source: docs.ollama.com/api, "Show model details": capabilities.
func (c *Call) shown(ctx context.Context, url, model string) (sees, told bool) {
	body := append(jsontext.AppendString([]byte(`{"model":`), model), '}')
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false, false
	}
	r.Header.Set("Content-Type", "application/json")
	for k, v := range c.Header {
		r.Header[k] = v
	}
	resp, err := c.client().Do(r)
	if err != nil {
		return false, false
	}
	defer resp.Body.Close()
	var is struct {
		Capabilities capabilities `json:"capabilities"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, 8<<20)).Decode(&is) != nil {
		return false, false
	}
	return is.Capabilities.sees, is.Capabilities.told
}

// capabilities are what a server says of a model, in the forms that servers use: a list of
// words, or an object.
type capabilities struct{ sees, told bool }

// UnmarshalJSON implements json.Unmarshaler. What it does not know says nothing.
func (c *capabilities) UnmarshalJSON(b []byte) error {
	var words []string
	if json.Unmarshal(b, &words) == nil && words != nil { // Ollama
		c.sees, c.told = slices.Contains(words, "vision"), true
		return nil
	}
	var is struct {
		Vision *bool `json:"vision"` // Mistral
		Image  *struct {
			Supported bool `json:"supported"`
		} `json:"image_input"` // Anthropic
	}
	if json.Unmarshal(b, &is) != nil {
		return nil
	}
	switch {
	case is.Vision != nil:
		c.sees, c.told = *is.Vision, true
	case is.Image != nil:
		c.sees, c.told = is.Image.Supported, true
	}
	return nil
}

// modalities are the kinds of input that a server names; nil: it names none.
type modalities []string

// UnmarshalJSON implements json.Unmarshaler. What is no list of words says nothing.
func (m *modalities) UnmarshalJSON(b []byte) error {
	var words []string
	if json.Unmarshal(b, &words) == nil {
		*m = words
	}
	return nil
}
