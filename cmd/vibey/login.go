package main

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
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

// A login code is 80 random bits, written so that it can be read aloud and typed:
// k7qf-2m9x-wjt4-h3ra. Only its hash is on the disk, as the name of an empty file,
// which redeem removes. So a code works once, in any process: `vibey login` makes one
// for the server.
const (
	codeBytes = 10
	codeLife  = 24 * time.Hour // of the file's age; then login asks for another
	codesKept = 32             // beyond that the oldest go
)

// letters is Crockford's alphabet, without letters that look alike; misread maps those
// that a human may type instead.
var (
	letters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	misread = strings.NewReplacer("o", "0", "i", "1", "l", "1", "-", "", " ", "")
)

// newCode makes a code that redeem takes once.
func (s *state) newCode(now time.Time) (string, error) {
	if _, err := s.makeFolder("codes"); err != nil {
		return "", err
	}
	s.forgetCodes(now)
	raw := letters.EncodeToString(random(codeBytes))
	name := s.path(codeFile(raw))
	if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, now, now)); err != nil {
		return "", fmt.Errorf("keep the login code: %w", err)
	}
	return raw[:4] + "-" + raw[4:8] + "-" + raw[8:12] + "-" + raw[12:], nil
}

// redeem uses a code up. It reports whether the code was there and is young enough.
func (s *state) redeem(code string, now time.Time) bool {
	name := codeFile(misread.Replace(strings.ToLower(strings.TrimSpace(code))))
	f, err := s.open(name) // not one that another user put there
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || s.root.Remove(name) != nil {
		return false
	}
	return now.Sub(info.ModTime()) < codeLife
}

func codeFile(plain string) string { return path.Join("codes", dialog.SHA256(plain)) }

// forgetCodes removes codes that are too old, and the oldest beyond codesKept-1, so
// that there is room for one more.
func (s *state) forgetCodes(now time.Time) {
	entries, err := os.ReadDir(s.path("codes"))
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		switch info, err := e.Info(); {
		case err != nil:
		case now.Sub(info.ModTime()) >= codeLife:
			os.Remove(s.path("codes", e.Name()))
		default:
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, c := range kept[:max(0, len(kept)-codesKept+1)] {
		os.Remove(s.path("codes", c.Name()))
	}
}
