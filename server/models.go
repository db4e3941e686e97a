package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"vibey/provider"
	"vibey/tools/caught"
)

// providerModels is one provider and its models. Error says in words why the list
// is empty, and Kind is a provider.Kind if the provider, or the way to it, is at fault.
type providerModels struct {
	Provider string           `json:"provider"`
	API      string           `json:"api"`
	Models   []provider.Model `json:"models"`
	Error    string           `json:"error,omitempty"`
	Kind     string           `json:"kind,omitempty"`
}

// keyBody is the body of POST /keys.
type keyBody struct {
	Provider string `json:"provider"`
	Key      string `json:"key"`
}

// modelsWait is how long providers have to list their models, all at the same time.
const modelsWait = 5 * time.Second

func (s *server) listModels(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), modelsWait)
	defer cancel()
	names := s.Providers.Names()
	out := make([]providerModels, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() {
			out[i] = providerModels{Provider: name, Models: []provider.Model{}, Error: "Its list could not be read, by a fault of this server that stands in its log."}
			caught.Logged(s.Log, "the models of "+name, func() { out[i] = s.models(ctx, name) })
		})
	}
	wg.Wait()
	return writeJSON(w, out)
}

func (s *server) models(ctx context.Context, name string) providerModels {
	out := providerModels{Provider: name, Models: []provider.Model{}}
	p, ok := s.Providers.Provider(name)
	if !ok {
		out.Error = "It is not configured."
		return out
	}
	out.API = p.API()
	models, err := p.Models(ctx)
	switch known, ok := errors.AsType[*provider.Error](err); {
	case err == nil && len(models) > 0:
		out.Models = models
	case ok:
		out.Error, out.Kind = known.Message, string(known.Kind)
	case ctx.Err() != nil:
		out.Error, out.Kind = "It did not answer within five seconds.", string(provider.KindIdle)
	case err != nil:
		out.Error = "Its list can't be read: " + excerpt(err.Error())
	}
	return out
}

// keyMax is the length limit of a key, beyond that of every provider.
const keyMax = 1000

func (s *server) postKey(w http.ResponseWriter, r *http.Request) error {
	var body keyBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	key := strings.TrimSpace(body.Key)
	bad := func(c rune) bool { return c <= ' ' || c > '~' }
	switch {
	case body.Provider == "":
		return badField(`The field "provider" is missing or empty.`)
	case key == "" || len(key) > keyMax || strings.ContainsFunc(key, bad):
		return badField(`The field "key" is no key: one word of at most 1000 letters, digits and signs.`)
	case s.SetKey == nil:
		return refuse(404, "not-found", "This server keeps no keys. Start it with the key in its environment.")
	}
	switch err := s.SetKey(body.Provider, key); {
	case errors.Is(err, fs.ErrNotExist):
		return refuse(404, "not-found", fmt.Sprintf("There is no provider %q here that takes a key. Nothing was kept. GET /models lists those that can be asked; claude and openai can be as soon as they have a key.", excerpt(body.Provider)))
	case err != nil:
		return err
	}
	return noContent(w)
}
