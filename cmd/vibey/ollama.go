package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
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
