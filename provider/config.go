package provider

import (
	"net/http"
	"strings"
	"time"
)

// Config is what every adapter that speaks HTTP needs to know.
type Config struct {
	// Name is the provider's name in dialogs: "claude", "openai", "ollama".
	Name string
	// BaseURL is the address without the method's path. The Messages adapter
	// takes it with and without "/v1" at its end; the others take it as it is.
	BaseURL string
	// Key returns the key to send, or "" for none. It is asked before each
	// request, so that a key that was typed in counts at once. Nil is no key.
	Key func() string
	// Client makes the requests; nil is a client made for many long streams.
	Client *http.Client
	// Sees reports whether a human said of a model that it sees pictures. Nil: of none.
	Sees func(model string) bool
	// Idle is how long a stream may stay silent; 0 is 120 s.
	Idle time.Duration
}

// Secret is the key without blanks around it, or "".
func (c Config) Secret() string {
	if c.Key == nil {
		return ""
	}
	return strings.TrimSpace(c.Key())
}
