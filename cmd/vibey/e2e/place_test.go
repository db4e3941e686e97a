package e2e

import (
	"cmp"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"vibey/provider/providertest"
)

// place is what outlives a process: the folder of projects, the state dir, and
// the provider out there.
type place struct {
	t       *testing.T
	dir     string
	state   string
	home    string   // HOME of a process
	more    []string // of its environment
	umask   string   // of a process; "" is that of the tests
	program string   // an older build, "" for the program under test
	under   []string // the command line before that of a process; nil for none
	mock    *providertest.Mock
	api     string // the mock's address
}

// newPlace makes an empty folder and a provider that plays s.
func newPlace(t *testing.T, s providertest.Script) *place {
	t.Helper()
	base := t.TempDir()
	p := &place{t: t, dir: filepath.Join(base, "root"), state: filepath.Join(base, "state"), mock: providertest.New(s)}
	p.home = p.state
	out := httptest.NewServer(p.mock)
	t.Cleanup(out.Close)
	p.api = out.URL
	return p
}

// providers are the names under which every process of these tests knows the mock.
var providers = []string{"claude", "openai", "local"}

// environment is what a process of this place is given; nothing of the one that
// runs the tests but the PATH.
func (p *place) environment() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "VIBEY_DIR=" + p.dir, "VIBEY_STATE=" + p.state,
		"ANTHROPIC_API_KEY=key-of-claude", "ANTHROPIC_BASE_URL=" + p.api,
		"OPENAI_API_KEY=key-of-openai", "OPENAI_BASE_URL=" + p.api + "/v1",
	}, p.more...)
}

// command is a process of the program on this place.
func (p *place) command(args ...string) *exec.Cmd {
	line := slices.Concat(p.under, []string{cmp.Or(p.program, binary)}, args)
	cmd := exec.Command(line[0], line[1:]...)
	if p.umask != "" {
		cmd = exec.Command("sh", append([]string{"-c", `umask "$0"; exec "$@"`, p.umask, binary}, args...)...)
	}
	cmd.Env, cmd.Dir = p.environment(), filepath.Dir(p.dir)
	return cmd
}

// read is a file's text below the folder of projects.
func (p *place) read(path ...string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{p.dir}, path...)...))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// write puts a file below the folder of projects, by an editor's hand.
func (p *place) write(text string, path ...string) {
	p.t.Helper()
	name := filepath.Join(append([]string{p.dir}, path...)...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// there tells whether something stands below the folder of projects.
func (p *place) there(path ...string) bool {
	_, err := os.Lstat(filepath.Join(append([]string{p.dir}, path...)...))
	return err == nil
}

// inHome reads a file of the HOME that the commands of a project have, "" for none. What a
// command writes to deed/ is there when it has ended.
func (p *place) inHome(project, name string) string {
	b, _ := os.ReadFile(filepath.Join(p.state, "home", project, name))
	return string(b)
}

// names are the names of what stands in a folder below that of projects.
func (p *place) names(path ...string) []string {
	p.t.Helper()
	entries, err := os.ReadDir(filepath.Join(append([]string{p.dir}, path...)...))
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
