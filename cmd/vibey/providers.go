package main

import (
	"cmp"
	"io/fs"
	"slices"
	"sync"
	"time"

	"vibey/provider"
	"vibey/provider/acp"
	"vibey/provider/anthropic"
	"vibey/provider/replay"
	"vibey/provider/responses"
	"vibey/provider/texttag"
	"vibey/vibey"
)

// providers are the endpoints, in the order in which they are offered. It is safe for
// concurrent use: keys are typed in while the server runs.
type providers struct {
	keys    *keyring
	idle    time.Duration
	getenv  func(string) string
	sees    []string // patterns of models that see pictures
	keyless bool     // an endpoint is there without the key that it needs

	mu        sync.RWMutex
	endpoints []*endpoint
}

// newProviders holds the defined endpoints, then claude and openai, which can be asked
// as soon as they have a key, then replay, which plays the dialogs of the folder root.
// Of two with one name the first counts.
func newProviders(defined []*endpoint, keys *keyring, root string, idle time.Duration, sees []string, getenv func(string) string) *providers {
	ps := &providers{keys: keys, idle: idle, sees: sees, getenv: getenv}
	plays := replay.New(replay.Config{Dir: root, Offer: vibey.WelcomeName, Sees: ps.saidToSee(replayName)})
	ps.endpoints = []*endpoint{{name: replayName, api: replayName, provider: plays}}
	for _, p := range append(defined, builtIn(getenv)...) {
		ps.add(p)
	}
	return ps
}

// replayName is the provider that plays recorded dialogs, always there.
const replayName = "replay"

// builtIn returns the two endpoints that need no flag, at the addresses in the
// variables of their own SDKs.
func builtIn(getenv func(string) string) []*endpoint {
	claude := cmp.Or(getenv("ANTHROPIC_BASE_URL"), "https://api.anthropic.com")
	openai := cmp.Or(getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1")
	return []*endpoint{
		{name: "claude", api: "messages", base: claude, keyEnv: "ANTHROPIC_API_KEY", needsKey: true},
		{name: "openai", api: "responses", base: openai, keyEnv: "OPENAI_API_KEY", needsKey: true},
	}
}

// add puts an endpoint before replay, the last one. It does nothing where its name is taken.
func (ps *providers) add(p *endpoint) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.find(p.name) != nil {
		return
	}
	c := provider.Config{Name: p.name, BaseURL: p.base, Idle: ps.idle, Key: func() string { return ps.key(p) }, Sees: ps.saidToSee(p.name)}
	switch p.api {
	case "messages":
		p.provider = anthropic.New(c)
	case "responses":
		p.provider = responses.New(c)
	case "chat":
		p.provider = texttag.NewInstead(c)
	case "tags":
		p.provider = texttag.New(c)
	}
	ps.endpoints = slices.Insert(ps.endpoints, len(ps.endpoints)-1, p)
}

// saidToSee returns what reports whether a human said of a model of that provider that it
// sees pictures.
func (ps *providers) saidToSee(name string) func(model string) bool {
	return func(model string) bool {
		return slices.ContainsFunc(ps.sees, func(pattern string) bool { return provider.MatchesModel(pattern, name, model) })
	}
}

// addAgents puts the provider of agents before replay, if there are any.
func (ps *providers) addAgents(agents []acp.Agent) {
	if len(agents) > 0 {
		ps.add(&endpoint{name: acp.API, api: acp.API, provider: acp.New(agents, ps.idle)})
	}
}

// find returns the endpoint of that name, or nil. The caller must hold mu.
func (ps *providers) find(name string) *endpoint {
	i := slices.IndexFunc(ps.endpoints, func(p *endpoint) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return ps.endpoints[i]
}

// key returns the key of an endpoint: the one typed in, or else the environment's.
func (ps *providers) key(p *endpoint) string {
	if k := ps.keys.get(p.name); k != "" || p.keyEnv == "" {
		return k
	}
	return ps.getenv(p.keyEnv)
}

// there reports whether an endpoint can be asked.
func (ps *providers) there(p *endpoint) bool { return !p.needsKey || ps.keyless || ps.key(p) != "" }

// names lists the endpoints that can be asked and are known by now, replay last.
func (ps *providers) names() []string {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	var names []string
	for _, p := range ps.endpoints {
		if ps.there(p) {
			names = append(names, p.name)
		}
	}
	return names
}

// named is find for a caller that does not hold mu.
func (ps *providers) named(name string) *endpoint {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return ps.find(name)
}

// Provider returns the provider of that name, if it can be asked. An Ollama that was not
// seen yet is looked for.
func (ps *providers) Provider(name string) (provider.Provider, bool) {
	if name == ollamaName {
		ps.lookForOllama()
	}
	p := ps.named(name)
	if p == nil || !ps.there(p) {
		return nil, false
	}
	return p.provider, true
}

// SetKey keeps a key that was typed in; the endpoint can be asked from now on. An
// empty key forgets what was typed. The error is fs.ErrNotExist for an endpoint
// that does not exist, or takes no key.
func (ps *providers) SetKey(name, key string) error {
	p := ps.named(name)
	if p == nil || name == replayName || name == acp.API {
		return fs.ErrNotExist
	}
	return ps.keys.set(name, key)
}

// Secrets returns all known keys, for masking.
func (ps *providers) Secrets() []string {
	out := ps.keys.all()
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	for _, p := range ps.endpoints {
		if p.keyEnv == "" {
			continue
		}
		if k := ps.getenv(p.keyEnv); k != "" {
			out = append(out, k)
		}
	}
	return out
}

// first returns the endpoint that is asked where none is named, or "". That is neither
// replay nor an agent, which works outside of the sandbox: a human chooses that.
func (ps *providers) first() string {
	names := ps.names()
	if i := slices.IndexFunc(names, func(n string) bool { return n != replayName && n != acp.API }); i >= 0 {
		return names[i]
	}
	return ""
}

// configured reports whether a human has named a provider that answers with a model, or
// given the key of one. An Ollama that was found is none: it may be seen by the second
// request after a start and not by the first.
func (ps *providers) configured() bool {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return slices.ContainsFunc(ps.endpoints, func(p *endpoint) bool {
		return ps.there(p) && !p.found && p.name != replayName && p.name != acp.API
	})
}
