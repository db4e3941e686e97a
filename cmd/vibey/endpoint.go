package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
)

// endpoint is where a provider's models answer, as a flag, the state dir's file or
// the environment names it.
type endpoint struct {
	name, api, base string
	keyEnv          string // the variable with its key, or ""
	needsKey        bool   // without a key it is not there
	found           bool   // by itself: no flag, file or key names it
	provider        provider.Provider
}

// apis are the wire formats that an endpoint can have.
var apis = []string{"messages", "responses", "chat", "tags"}

// definedEndpoints reads what flags define, then what stands in the state dir.
func definedEndpoints(flags []string, s *state) ([]*endpoint, error) {
	return defined("--provider", flags, s, "providers", parseEndpoint, func(p *endpoint) string { return p.name })
}

// parseEndpoint reads NAME=API,BASE_URL[,KEY_ENV].
func parseEndpoint(def string) (*endpoint, error) {
	name, rest, ok := strings.Cut(def, "=")
	part := strings.Split(rest, ",")
	if !ok || len(part) < 2 || len(part) > 3 {
		return nil, errors.New("a provider is defined as NAME=API,BASE_URL[,KEY_ENV], such as ollama=chat,http://127.0.0.1:11434/v1")
	}
	p := &endpoint{name: name, api: part[0], base: part[1]}
	if len(part) == 3 {
		p.keyEnv = part[2]
	}
	switch {
	case !plainWord(name, 40):
		return nil, fmt.Errorf("the name %q is not 1 to 40 letters, digits, - or _", name)
	case name == replayName:
		return nil, errors.New("replay is always there and plays dialogs; choose another name")
	case name == acp.API:
		return nil, errors.New("acp is the provider of the agents that --agent defines; choose another name")
	case !slices.Contains(apis, p.api):
		return nil, fmt.Errorf("the API is %q; it is one of %s", p.api, strings.Join(apis, ", "))
	case len(part) == 3 && !plainWord(p.keyEnv, 100):
		return nil, fmt.Errorf("%q is not the name of an environment variable (the key itself never stands in a flag, where others can read it)", p.keyEnv)
	}
	u, err := url.Parse(p.base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the base URL is %q; it begins with http:// or https:// and a host", p.base)
	}
	return p, nil
}

// plainWord reports whether w is 1 to max letters, digits, - or _.
func plainWord(w string, max int) bool {
	return w != "" && len(w) <= max && dialog.IsMadeOf(w, "-_")
}
