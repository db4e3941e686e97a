package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/provider/providertest"
)

// place is what outlives a process: the folder of projects, the state dir, and
// the provider out there.
type place struct {
	base, dir, state string // dir and state are below base
	mock             *providertest.Mock
	api              string // where the provider answers
	env              []string
	args             []string // of `vibey serve`, besides
}

// newPlace begins with what a first start makes, and a provider that plays a script.
func newPlace(t *testing.T, base string, script providertest.Script) *place {
	t.Helper()
	if err := os.MkdirAll(base, 0o755); err != nil {
		t.Fatal(err)
	}
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{base: base, dir: filepath.Join(base, "root"), state: filepath.Join(base, "state"), mock: providertest.New(script)}
	p.begin(t)
	return p
}

// begin lets the provider answer, and a first start make what it makes.
func (p *place) begin(t *testing.T) {
	out := httptest.NewServer(p.mock)
	t.Cleanup(out.Close)
	p.api = out.URL
	serve(t, p).stop(t)
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
func serve(t *testing.T, p *place, before ...string) *host {
	t.Helper()
	// The shell tells its process number, which becomes the program's.
	args := append(before, "/bin/sh", "-c", `echo $$; exec "$0" serve --addr 127.0.0.1:0 "$@"`, *vibey)
	args = append(args, p.args...)
	h := &host{place: p, cmd: exec.Command(args[0], args[1:]...), stderr: &bytes.Buffer{}}
	h.cmd.Stderr = h.stderr
	h.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.state, "VIBEY_DIR=" + p.dir, "VIBEY_STATE=" + p.state,
		"OPENAI_API_KEY=" + providerKey, "OPENAI_BASE_URL=" + p.api + "/v1",
	}, p.env...)
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if h.cmd.ProcessState == nil {
			syscall.Kill(h.pid, syscall.SIGKILL)
			h.cmd.Wait()
		}
	})
	h.pid = h.cmd.Process.Pid // until the shell tells
	lines := bufio.NewReader(out)
	number, _ := lines.ReadString('\n')
	if pid, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
		h.pid = pid
	}
	first, _ := lines.ReadString('\n')
	go io.Copy(io.Discard, lines)
	address, _, found := strings.Cut(strings.TrimPrefix(first, "vibey: "), "/#code=")
	token, err := os.ReadFile(filepath.Join(p.state, "token"))
	if !found || err != nil {
		t.Fatalf("the program did not start: %q, %v\n%s", first, err, h.stderr)
	}
	h.url, h.token = address, strings.TrimSpace(string(token))
	return h
}

// stop ends it as a human does.
func (h *host) stop(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(h.pid, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("the program's end: %v\n%s", err, h.stderr)
	}
}

type body map[string]any

// session is a row of requests. The first that fails ends the test.
type session struct {
	t    *testing.T
	h    *host
	id   string // the dialog's, once one has begun
	last string // the body of the last answer
}

// ask sends one request on a connection of its own, hears its answer to the
// end, and returns the dialog's id that it names.
func (s *session) ask(method, path string, send body) (id string) {
	s.t.Helper()
	status, text, err := s.h.request(method, path, send)
	s.last = text
	if err != nil || status >= 300 || strings.Contains(text, "event: error\n") {
		s.t.Fatalf("%s %s: %d %s %v", method, path, status, text, err)
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
