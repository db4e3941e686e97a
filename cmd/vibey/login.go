package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"vibey/tools/disk"
)

type loginCmd struct {
	dirFlag // not needed, but scripts give all verbs the same two
	stateFlag
	Addr string `help:"Where the server listens, if it is not the one that this state dir knows of." env:"VIBEY_ADDR" placeholder:"HOST:PORT"`
}

// Run prints the server's address with a fresh one-time code.
func (c *loginCmd) Run(to streams) error {
	start := "start `vibey serve" + c.given(c.stateFlag) + "`"
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	if s.root == nil {
		return fmt.Errorf("no server ever ran on %s: %s, or name its state dir with --state", s.dir, start)
	}
	at := c.Addr
	if at == "" || strings.HasSuffix(at, ":0") { // what VIBEY_ADDR says to serve, and no address
		b, err := s.read(addressFile)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no server runs on %s: %s, or say where it listens with --addr", s.dir, start)
		}
		if err != nil {
			return err
		}
		at = strings.TrimSpace(string(b))
		conn, err := net.DialTimeout("tcp", at, time.Second)
		if err != nil {
			return fmt.Errorf("no server answers at %s, where one ran: %s, or say where it listens with --addr", at, start)
		}
		conn.Close()
	}
	code, err := s.newCode(time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(to.out, "vibey: %s#code=%s\n", browserURL(at), code)
	return nil
}

// addressFile holds the address of the server that runs on a state dir.
const addressFile = "address"

// announce writes the address for other processes, and returns it with a code. The file
// is replaced whole, and not synced: no server outlives a power cut, and login asks
// whether one answers there.
func (h *program) announce(at net.Addr) (url string, err error) {
	f, err := os.CreateTemp(h.state.dir, disk.TempName(addressFile)+"*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(at.String() + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), h.state.path(addressFile))
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	code, err := h.state.newCode(time.Now())
	return browserURL(at.String()) + "#code=" + code, err
}

// retract removes the address, unless another server has written its own.
func (h *program) retract(at net.Addr) {
	if b, err := os.ReadFile(h.state.path(addressFile)); err == nil && strings.TrimSpace(string(b)) == at.String() {
		os.Remove(h.state.path(addressFile))
	}
}
