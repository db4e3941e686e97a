package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"vibey/tools/mcp"
)

// mcpFile is the state dir's file of MCP servers.
const mcpFile = "mcp"

// serverNameMost is how long the name of an MCP server may be.
const serverNameMost = 30

// definedServers reads the MCP servers that flags define, then those of the state dir. Of
// two with one name the flag's counts.
func definedServers(flags []string, s *state) (servers []mcp.Server, err error) {
	servers, err = defined("--mcp", flags, s, mcpFile, parseServer, func(o mcp.Server) string { return o.Name })
	if err == nil {
		err = toldApart(servers)
	}
	return servers, err
}

// toldApart is an error where the names of two servers differ in capitals alone.
func toldApart(servers []mcp.Server) error {
	for _, a := range servers {
		for _, b := range servers {
			if a.Name != b.Name && strings.EqualFold(a.Name, b.Name) {
				return unable{fmt.Errorf("the MCP servers %s and %s differ in capitals alone. Give one of them another name, in --mcp or in the state dir's file %s", a.Name, b.Name, mcpFile)}
			}
		}
	}
	return nil
}

// parseServer reads NAME[,KEY_ENV…]=COMMAND or NAME[,KEY_ENV]=URL.
func parseServer(def string) (mcp.Server, error) {
	head, what, ok := strings.Cut(def, "=")
	names := strings.Split(head, ",")
	s := mcp.Server{Name: names[0], Keys: names[1:]}
	what = strings.TrimSpace(what)
	if !ok || what == "" {
		return s, errors.New("an MCP server is defined as NAME[,KEY_ENV]=COMMAND or NAME[,KEY_ENV]=URL, such as files=npx -y @modelcontextprotocol/server-filesystem deed")
	}
	if !plainWord(s.Name, serverNameMost) {
		return s, fmt.Errorf("the name %q is not 1 to %d letters, digits, - or _", s.Name, serverNameMost)
	}
	for _, key := range s.Keys {
		if !plainWord(key, 100) {
			return s, fmt.Errorf("%q is not the name of an environment variable (the key itself never stands in a flag, where others can read it)", key)
		}
	}
	if strings.ContainsFunc(what, func(r rune) bool { return r < ' ' && r != '\t' }) {
		return s, errors.New("the command or address has a control character")
	}
	if scheme, _, _ := strings.Cut(what, "://"); scheme != "http" && scheme != "https" {
		s.Command = what
		return s, nil
	}
	u, err := url.Parse(what)
	switch {
	case err != nil || u.Host == "":
		return s, fmt.Errorf("the address is %q; it begins with http:// or https:// and a host", what)
	case u.User != nil:
		return s, errors.New("the address has a password in it, which others can read in a flag; put it into a variable, and name that behind the server's name")
	case len(s.Keys) > 1:
		return s, errors.New("a server at an address gets one key, as a bearer token")
	}
	s.URL = what
	return s, nil
}
