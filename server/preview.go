package server

import (
	"crypto/rand"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vibey/server/project"
)

// Previews is the preview origin: the handler of a port of its own, under which the
// window frames the pages of deeds. Agents write these pages, so that the port has
// no route of the server, takes no token and changes nothing.
//
// The first part of a path is a word that stands for a project. It is made at the
// first question for its address and forgotten with the process; who does not know
// it finds nothing.
//
//	http://127.0.0.1:41234/5UJTV6…/game/index.html
type Previews struct {
	PreviewsConfig
	hosts   hostNames
	proxied string // hosts as sources of a content policy, each with a blank in front

	mu    sync.Mutex
	words map[string]string // by the project's name
}

// PreviewsConfig is what NewPreviews needs. All but AllowHosts and Log must be set.
type PreviewsConfig struct {
	Store *project.Store
	// At is where the handler is served, Window where the window is: TCP addresses.
	At, Window net.Addr
	// AllowHosts is that of Config. Their ports are the window's, and mean nothing here.
	AllowHosts []string
	Log        *slog.Logger // gets one line a request at debug; nil: none
}

// NewPreviews returns the preview origin that is served at c.At.
func NewPreviews(c PreviewsConfig) *Previews {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Previews{PreviewsConfig: c, words: map[string]string{}}
	var names []string
	for _, h := range c.AllowHosts {
		if name, _, ok := splitHost(h); ok {
			names = append(names, name)
			p.proxied += " http://" + name + ":* https://" + name + ":*"
		}
	}
	p.hosts = newHostNames(names)
	return p
}

// word returns the word of a project, the same until the process ends.
func (p *Previews) word(project string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.words[project] == "" {
		p.words[project] = rand.Text() // at least 128 bits
	}
	return p.words[project]
}

// forget makes the addresses of a project lead nowhere: one that is made under its
// name later is another project.
func (p *Previews) forget(project string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.words, project)
}

// project returns the project of a word. How long that takes depends on none of
// the words that there are.
func (p *Previews) project(word string) (name string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for project, w := range p.words {
		if subtle.ConstantTimeCompare([]byte(w), []byte(word)) == 1 {
			name, ok = project, true
		}
	}
	return name, ok
}

// origin returns the origin of previews for a window that was asked for by r. On
// this computer alone it is our own address, whatever name the window has: to a
// browser, a page of 127.0.0.1 and a window of localhost are of two sites. On one
// interface it is that one's address, unless the window has a name, which may lead to
// both.
func (p *Previews) origin(r *http.Request) string {
	name, _, _ := splitHost(r.Host)
	switch at, ok := p.At.(*net.TCPAddr); {
	case !ok || at.IP.IsUnspecified():
	case at.IP.IsLoopback():
		if name = at.IP.String(); at.IP.To4() == nil {
			name = "localhost" // a content policy can't name [::1]
		}
	case isAddress(name):
		if name = at.IP.String(); at.IP.To4() == nil {
			name = "[" + name + "]"
		}
	}
	return "http://" + name + ":" + port(p.At)
}

// isAddress reports whether a host is an address, or the name that stands for one.
func isAddress(name string) bool {
	return name == "localhost" || net.ParseIP(strings.Trim(name, "[]")) != nil
}

// frames returns what the window's content policy names as the source of its
// frames, "" if there are no previews.
func (p *Previews) frames(r *http.Request) string {
	if p == nil {
		return ""
	}
	return "frame-src " + policySource(p.origin(r)) + "; "
}

// windows returns the origins of this server's window as a content policy names
// them, for a page that was asked for by r.
func (p *Previews) windows(r *http.Request) string {
	hosts := []string{"127.0.0.1", "localhost"}
	name, _, _ := splitHost(r.Host)
	own, _ := p.At.(*net.TCPAddr)
	switch window, ok := p.Window.(*net.TCPAddr); {
	case ok && (window.IP.To4() == nil || window.IP.IsUnspecified() && own != nil && !own.IP.IsUnspecified()):
		hosts = append(hosts, "*") // an address of IPv6, or one of another interface
	case ok && !window.IP.IsUnspecified():
		hosts = append(hosts, window.IP.String(), name)
	default:
		hosts = append(hosts, name)
	}
	sources := ""
	for i, h := range hosts {
		if slices.Index(hosts, h) == i && !strings.HasPrefix(h, "[") {
			sources += " http://" + h + ":" + port(p.Window)
		}
	}
	return sources[1:] + p.proxied
}

// policySource returns an origin as a content policy can name it: the grammar has no
// IPv6 addresses, so that any host of the port stands for one.
func policySource(origin string) string {
	if _, after, v6 := strings.Cut(origin, "]:"); v6 {
		return "http://*:" + after
	}
	return origin
}

func port(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return strconv.Itoa(tcp.Port)
	}
	return "0"
}

type previewAddress struct {
	// URL is that of the deed's folder, with a slash at the end.
	URL string `json:"url"`
}

func (s *server) getPreview(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	if s.Previews == nil {
		return refuse(404, "no-previews", "This server shows no pages of deeds. The files are in the project's folder.")
	}
	return writeJSON(w, previewAddress{URL: s.Previews.origin(r) + "/" + s.Previews.word(p.Name()) + "/"})
}
