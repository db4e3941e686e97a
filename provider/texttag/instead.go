package texttag

import (
	"vibey/provider"
	"vibey/provider/chat"
)

// Instead is a place that speaks Chat Completions and is asked with native tools; for
// a model that has none, the caller goes on with Tagged.
type Instead struct {
	*chat.Provider
	tagged *Provider
}

// NewInstead returns the provider, whose API is "chat".
func NewInstead(c provider.Config) *Instead { return &Instead{chat.New(c), New(c)} }

// Tagged returns the same place, asked without tools.
func (p *Instead) Tagged() provider.Tagged { return p.tagged }
