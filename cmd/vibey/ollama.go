package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
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

// Names lists the endpoints that can be asked, for the window and for editors: each list
// looks for an Ollama on this computer. Who names it looks as well, see Provider: what may
// be asked depends on no request that came before.
func (ps *providers) Names() []string {
	ps.lookForOllama()
	return ps.names()
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
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK && listsModels(answer.Body) {
		ps.add(&endpoint{name: ollamaName, api: "chat", base: base, found: true})
	}
}

// listsModels reports whether an answer is a list of models, which may be empty: another
// server at that port answers with a page of its own.
func listsModels(answer io.Reader) bool {
	var list struct{ Object string }
	err := json.NewDecoder(io.LimitReader(answer, 4<<20)).Decode(&list)
	return err == nil && list.Object == "list"
}

// ollamaBase is the base URL at which Ollama listens by default, or at which its own
// variable says, read as Ollama reads it: HOST, HOST:PORT, :PORT or a URL, whose port is
// that of its scheme where it names none.
func ollamaBase(host string) string {
	port := "11434"
	host = strings.Trim(host, "\"' \t\r\n")
	if host == "" {
		return "http://127.0.0.1:" + port + "/v1"
	}
	switch scheme, _, ok := strings.Cut(host, "://"); {
	case !ok:
		host = "http://" + host
	case scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		return ollamaBase("")
	}
	name, at := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() { // on all of its addresses
		name = "127.0.0.1"
	}
	return u.Scheme + "://" + net.JoinHostPort(name, cmp.Or(at, port)) + strings.TrimRight(u.Path, "/") + "/v1"
}
