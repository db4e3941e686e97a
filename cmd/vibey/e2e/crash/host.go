package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vibey/provider/providertest"
)

// place is what outlives a process: the folder of projects, the state dir, and
// the provider out there.
type place struct {
	binary string
	base   string // dir and state are below it
	api    string // where the provider answers
	env    []string
}

func (p *place) dir() string   { return filepath.Join(p.base, "root") }
func (p *place) state() string { return filepath.Join(p.base, "state") }

// newPlace begins with what a first start makes, and a provider that plays its script.
func newPlace(binary, base string, mock *providertest.Mock) (*place, error) {
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(l, mock) // as long as the lab
	p := &place{binary: binary, base: base, api: "http://" + l.Addr().String()}
	h, err := p.serve()
	if err != nil {
		return nil, err
	}
	return p, h.stop()
}

// host is one process of `vibey serve`, perhaps with strace before it.
type host struct {
	*place
	cmd    *exec.Cmd
	pid    int // of vibey itself
	url    string
	token  string
	stderr *bytes.Buffer
}

// patience is how long anything may take before the lab says that it hangs.
const patience = 30 * time.Second

// serve starts the program, behind the words of before, and waits until it answers.
func (p *place) serve(before ...string) (*host, error) {
	// The shell tells its process number, which becomes the program's.
	args := append(before, "/bin/sh", "-c", `echo $$; exec "$0" serve --addr 127.0.0.1:0`, p.binary)
	h := &host{place: p, cmd: exec.Command(args[0], args[1:]...), stderr: &bytes.Buffer{}}
	h.cmd.Stderr = h.stderr
	h.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.state(), "VIBEY_DIR=" + p.dir(), "VIBEY_STATE=" + p.state(),
		"OPENAI_API_KEY=" + providerKey, "OPENAI_BASE_URL=" + p.api + "/v1",
	}
	h.cmd.Env = append(h.cmd.Env, p.env...)
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	number, _ := lines.ReadString('\n')
	first, _ := lines.ReadString('\n')
	go io.Copy(io.Discard, lines)
	h.pid, _ = strconv.Atoi(strings.TrimSpace(number))
	address, _, found := strings.Cut(strings.TrimPrefix(first, "vibey: "), "/#code=")
	token, err := os.ReadFile(filepath.Join(p.state(), "token"))
	if !found || h.pid == 0 || err != nil {
		h.cmd.Process.Kill()
		h.cmd.Wait()
		return nil, fmt.Errorf("the program did not start: %q, %v\n%s", first, err, h.stderr)
	}
	h.url, h.token = address, strings.TrimSpace(string(token))
	return h, nil
}

// stop ends it as a human does.
func (h *host) stop() error {
	if err := syscall.Kill(h.pid, syscall.SIGTERM); err != nil {
		return err
	}
	if err := h.cmd.Wait(); err != nil {
		return fmt.Errorf("the program's end: %w\n%s", err, h.stderr)
	}
	return nil
}

type body map[string]any

// session is a row of requests, of which an error ends the rest.
type session struct {
	h    *host
	id   string // the dialog's, once one has begun
	last string // the body of the last answer
	err  error
}

// ask sends one request on a connection of its own, hears its answer to the
// end, and returns the dialog's id that it names.
func (s *session) ask(method, path string, send body) (id string) {
	if s.err != nil {
		return ""
	}
	status, text, err := s.h.request(method, path, send)
	s.last = text
	switch {
	case err != nil:
		s.err = err
	case status >= 300:
		s.err = fmt.Errorf("%s %s: %d %s", method, path, status, text)
	case strings.Contains(text, "event: error\n"):
		s.err = fmt.Errorf("%s %s: %s", method, path, text)
	}
	_, id, _ = strings.Cut(text, `"dialogId":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func (h *host) request(method, path string, send body) (status int, text string, err error) {
	b, err := json.Marshal(send)
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequest(method, h.url+path, bytes.NewReader(b))
	if err != nil {
		return 0, "", err
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+h.token)
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	return res.StatusCode, string(all), err
}
