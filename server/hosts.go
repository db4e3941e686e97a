package server

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// hostNames are the names of this server beyond the loopback's, in lower case:
// "vibey.lan" with any port, "vibey.lan:8443" with that one.
type hostNames map[string]bool

func newHostNames(names []string) hostNames {
	n := hostNames{}
	for _, name := range names {
		n[strings.ToLower(name)] = true
	}
	return n
}

// allow reports whether the Host header names this server. A page of another
// site whose name was made to point at this machine (DNS rebinding) sends its own.
func (n hostNames) allow(r *http.Request) bool {
	host := strings.ToLower(r.Host)
	name, port, ok := splitHost(host)
	if n[host] || ok && n[name] {
		return true
	}
	local, tcp := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !tcp || local.Port != port {
		return false
	}
	switch name {
	case "127.0.0.1", "localhost", "[::1]":
		return true
	}
	// The address that the connection came to is no name that could be rebound.
	if name == "" || name[0] != '[' && (name[0] < '0' || name[0] > '9') {
		return false
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && addr.Unmap() == local.AddrPort().Addr().Unmap()
}

// splitHost splits "name", "name:port" and "[::1]:port"; without a port it is 80.
// A name with a colon outside of brackets is not ok: in "name:1:2" the first part
// may be a host that is allowed with its port.
func splitHost(host string) (name string, port int, ok bool) {
	name, digits := host, ""
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.HasSuffix(host, "]") {
		name, digits = host[:colon], host[colon+1:]
		if digits == "" {
			return "", 0, false
		}
	}
	bare, v6 := strings.CutPrefix(name, "[")
	if v6 {
		if bare, v6 = strings.CutSuffix(bare, "]"); !v6 {
			return "", 0, false
		}
	}
	if bare == "" || strings.ContainsAny(bare, "[]") || strings.Contains(bare, ":") != v6 || len(digits) > 5 {
		return "", 0, false
	}
	if digits == "" {
		return name, 80, true
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return name, int(n), err == nil
}
