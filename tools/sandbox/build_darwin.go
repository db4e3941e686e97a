package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const sandboxExec = "/usr/bin/sandbox-exec"

// seatbelt runs commands under macOS' sandbox-exec with a profile made for each.
// It was written from Apple's own profiles and never run: whoever has a Mac,
// please run the tests, and take this sentence away.
type seatbelt struct{ config Config }

func build(level Level, c Config, _ *serverList, _ *layers) (walls, error) {
	if _, err := os.Stat(sandboxExec); level != Seatbelt || err != nil {
		return nil, errors.New("only sandbox-exec is known on this system")
	}
	return seatbelt{c}, nil
}

func (w seatbelt) look(s Spec) (*layout, error) {
	p, err := foldersOf(s, w.config)
	return &layout{folders: p}, err
}

func (w seatbelt) build(l *layout, s Spec) (*job, error) {
	return &job{argv: []string{sandboxExec, "-p", w.profile(s, l.folders), "/bin/sh", "-c", s.Command}}, nil
}

// profile is read from the top, and the last rule that fits a call decides.
func (w seatbelt) profile(s Spec, p folders) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(deny default)\n(import \"system.sb\")\n(allow process-exec process-fork signal (target same-sandbox))\n(allow sysctl-read)\n(allow file-read*)\n")
	for _, dir := range append([]string{w.config.home(), "/private/var/root", "/private/tmp", "/private/var/run", "/Volumes"}, w.config.Hide...) {
		if dir != "" {
			fmt.Fprintf(&b, "(deny file-read* (subpath %q))\n", dir)
		}
	}
	fmt.Fprintf(&b, "(allow file-read* (subpath %q))\n", p.project)
	for _, dir := range compact(p.deed, p.home) { // a deed may be a folder elsewhere
		fmt.Fprintf(&b, "(allow file-read* (subpath %q))\n", dir)
	}
	for _, dir := range p.writable(s) {
		fmt.Fprintf(&b, "(allow file-write* (subpath %q))\n", dir)
	}
	if p.deed != "" {
		fmt.Fprintf(&b, "(deny file-write* (literal %q) (subpath %q) (literal %q))\n", p.deed+"/.git", p.deed+"/.git/hooks", p.deed+"/.git/config")
	}
	b.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\"))\n")
	if s.Network {
		b.WriteString("(allow network*)\n")
	} else {
		b.WriteString("(allow network* (local ip \"localhost:*\"))\n(allow network-outbound (remote ip \"localhost:*\"))\n")
	}
	return b.String()
}

func unwalled() walls { return open{} }
