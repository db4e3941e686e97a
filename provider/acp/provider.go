package acp

import (
	"context"
	"iter"
	"time"

	"vibey/provider"
)

// Agent is a program that a human has named.
type Agent struct {
	Name string
	Args []string // the first one is the program
	Env  []string // what is set beside this program's own environment
}

// Provider is the agents as models. A conversation with one is no series of requests:
// server/turn holds it, and Stream only says so.
type Provider struct {
	agents []Agent
	idle   time.Duration
}

// API is the API of Provider, and the name of the provider.
const API = "acp"

// New returns a provider of those agents. idle is how long one may be silent.
func New(agents []Agent, idle time.Duration) *Provider { return &Provider{agents, idle} }

// API is "acp".
func (p *Provider) API() string { return API }

// Idle is how long an agent that works may be silent.
func (p *Provider) Idle() time.Duration { return p.idle }

// Agent returns the agent of that name.
func (p *Provider) Agent(name string) (Agent, bool) {
	for _, a := range p.agents {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// Models lists the agents.
func (p *Provider) Models(context.Context) ([]provider.Model, error) {
	models := make([]provider.Model, len(p.agents))
	for i, a := range p.agents {
		models[i] = provider.Model{ID: a.Name}
	}
	return models, nil
}

// Stream fails: an agent has its own conversation and takes no history.
func (p *Provider) Stream(context.Context, *provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		yield(nil, &provider.Error{Kind: provider.KindRefused, Message: "An agent over ACP keeps its own conversation, so nothing can be asked of it beside that. Choose a model of another provider for this."})
	}
}
