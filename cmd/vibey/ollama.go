package main

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	ollamaName = "ollama"
	// ollamaWait is how long an Ollama has to answer. Where none runs, the
	// refusal of the connection takes microseconds.
	ollamaWait = 300 * time.Millisecond
)

// offered is providers for the window and for editors: each list of names looks for an
// Ollama on this computer. Who names it looks as well, see Provider: what may be asked
// depends on no request that came before.
type offered struct{ *providers }

// Names lists the endpoints that can be asked, after a look for Ollama.
func (o offered) Names() []string {
	o.lookForOllama()
	return o.providers.Names()
}

// lookForOllama adds an Ollama that answers, unless one is defined. Where no provider is
// asked, it is added unseen.
func (ps *providers) lookForOllama() {
	if ps.named(ollamaName) != nil {
		return
	}
	base := ollamaBase(ps.getenv("OLLAMA_HOST"))
	if ps.keyless {
		ps.add(&endpoint{name: ollamaName, api: "chat", base: base, found: true})
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ollamaWait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		ps.add(&endpoint{name: ollamaName, api: "chat", base: base, found: true})
	}
}

// ollamaBase is the base URL at which Ollama listens by default, or at which
// its own variable says: HOST, HOST:PORT or a URL.
func ollamaBase(host string) string {
	const port = "11434"
	if host == "" {
		return "http://127.0.0.1:" + port + "/v1"
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" {
		return ollamaBase("")
	}
	name, at := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	if at == "" {
		at = port
	}
	return u.Scheme + "://" + net.JoinHostPort(name, at) + "/v1"
}
