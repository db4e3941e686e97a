package server

import (
	"crypto/subtle"
	"log/slog"
	"net/http"
	"strings"
)

// guard is the handler in front of every route. It alone decides which requests
// pass. It allocates nothing for one that does.
type guard struct {
	next  http.Handler
	hosts hostNames
	cross *http.CrossOriginProtection
	token []byte
	open  []route // those that need no token
	log   *slog.Logger
}

const bearer = "Bearer "

// tokenMax is the size limit of a token, in bytes, so that it is compared on the stack.
const tokenMax = 128

func newGuard(c *Config, routes []route, next http.Handler) *guard {
	if c.Token == "" || len(c.Token) > tokenMax {
		panic("server: a token of 1 to 128 bytes is needed") // made by our own program
	}
	g := &guard{next: next, hosts: newHostNames(c.AllowHosts), cross: http.NewCrossOriginProtection(), token: []byte(c.Token), log: c.Log}
	for _, r := range routes {
		if r.open {
			g.open = append(g.open, r)
		}
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	open := g.isOpen(r)
	switch {
	case !g.hosts.allow(r):
		g.refuse(w, r, http.StatusMisdirectedRequest, "wrong-host",
			"This server does not answer under the name in the Host header. Nothing was done. Use the address that it printed at its start, or start it with --allow-host NAME.")
	case g.cross.Check(r) != nil, !open && !sameOrigin(r):
		g.refuse(w, r, http.StatusForbidden, "cross-site",
			"Another site asked for this, so nothing was done. Open the window at this server's own address.")
	case !open && !g.tokenRight(r):
		w.Header()["Www-Authenticate"] = challenge
		g.refuse(w, r, http.StatusUnauthorized, "no-token",
			"The token is missing or is not this server's. Send \"Authorization: Bearer TOKEN\" with the line in the state folder's file \"token\", or get a code with: vibey login")
	default:
		if !open {
			authenticated(r)
		}
		g.next.ServeHTTP(w, r)
	}
}

func (g *guard) refuse(w http.ResponseWriter, r *http.Request, status int, kind, detail string) {
	g.log.Debug("refused at the door", "method", r.Method, "path", r.URL.Path, "host", r.Host, "status", status)
	(&problem{status: status, kind: kind, detail: detail}).write(w)
}

func (g *guard) isOpen(r *http.Request) bool {
	for i := range g.open {
		o := &g.open[i]
		if o.method != r.Method && !(o.method == http.MethodGet && r.Method == http.MethodHead) {
			continue
		}
		if o.path == r.URL.Path || o.prefix != "" && strings.HasPrefix(r.URL.Path, o.prefix) {
			return true
		}
	}
	return false
}

// sameOrigin reports whether the request comes from no page or from one of ours.
// It is stricter than CrossOriginProtection, which lets any page read.
func sameOrigin(r *http.Request) bool {
	switch value(r.Header, "Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	origin := value(r.Header, "Origin")
	if origin == "" {
		return true
	}
	_, host, ok := strings.Cut(origin, "://")
	return ok && strings.EqualFold(host, r.Host)
}

func (g *guard) tokenRight(r *http.Request) bool {
	auth := value(r.Header, "Authorization")
	if len(auth) < len(bearer) || !strings.EqualFold(auth[:len(bearer)], bearer) {
		return false
	}
	given := auth[len(bearer):]
	if len(given) > tokenMax {
		return false
	}
	var buf [tokenMax]byte
	n := copy(buf[:], given)
	return subtle.ConstantTimeCompare(buf[:n], g.token) == 1
}

// value is Header.Get for a key that is in canonical form.
func value(h http.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// The values are shared by all answers and must not be changed.
var (
	challenge  = []string{`Bearer realm="vibey"`}
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	ownOrigin  = []string{"same-origin"}
	noStore    = []string{"no-store"}
	noFrame    = []string{"DENY"}
	dataPolicy = []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"}
)

// secure sets the headers of every answer. Only the window's own files set another
// policy and another cache rule.
func secure(h http.Header) {
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Resource-Policy"] = ownOrigin
	h["Cross-Origin-Opener-Policy"] = ownOrigin
	h["X-Frame-Options"] = noFrame
	h["Cache-Control"] = noStore
	h["Content-Security-Policy"] = dataPolicy
}
