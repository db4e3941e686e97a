package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
)

// world is a machine in small: a root with two projects, a state dir, a home.
type world struct {
	dir, root, project, deed, other, state, home string
}

// newWorld makes one where private folders of the walls do not hide it.
func newWorld(t testing.TB) world {
	t.Helper()
	return newWorldIn(t, cacheDir())
}

// cacheDir is a user's folder for what can be made again. Where HOME lies below
// /tmp, which commands have for themselves, it is that of the user's own home.
func cacheDir() string {
	cache, err := os.UserCacheDir()
	if u, uerr := user.LookupId(strconv.Itoa(os.Getuid())); uerr == nil && strings.HasPrefix(cache, "/tmp/") {
		cache = u.HomeDir + "/.cache"
	}
	if err != nil || os.MkdirAll(cache, 0o700) != nil {
		return ""
	}
	return cache
}

// newWorldIn makes one in a folder, "" for the system's own for temporary files.
func newWorldIn(t testing.TB, parent string) world {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "vibey-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir, _ = filepath.EvalSymlinks(dir)
	w := worldIn(dir)
	for _, d := range []string{w.deed, w.other, w.home} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.write(t, "root/book/doc-main.md", "# Book\n")
	w.write(t, "root/book/dialog-20260101-000000-a-waiting.md", "# Dialog\n")
	w.write(t, "root/other/doc-main.md", "other's secret\n")
	w.write(t, "state/home/book/.gitconfig", "[user]\n\tname = A\n\temail = a@example.org\n") // git guesses who commits for some users alone
	w.write(t, "state/key", "install key\n")
	w.write(t, "state/token", "the token\n")
	return w
}

func worldIn(dir string) world {
	return world{
		dir: dir, root: dir + "/root", project: dir + "/root/book", deed: dir + "/root/book/deed", other: dir + "/root/other",
		state: dir + "/state", home: dir + "/state/home/book",
	}
}

func (w world) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w world) spec(command string) Spec {
	return Spec{Command: command, Dir: w.project, Home: w.home, Deed: w.deed}
}

func (w world) config(l ...Level) Config {
	return Config{Levels: l, Hide: []string{w.root, w.state}, Path: os.Getenv("PATH"), Limit: 20 * time.Second, Spares: 2}
}

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// levelsHere are the levels that this machine can do, by name, with walls. It says of
// the others that they are left out.
func levelsHere(t testing.TB, w world) map[Level]*Runner {
	found := map[Level]*Runner{}
	for _, l := range []Level{Bwrap, Landlock} {
		if r := Probe(w.config(l)); r.Level() == l {
			found[l] = r
			t.Cleanup(func() { r.StopServers("") })
		} else {
			t.Logf("level %s is not to be had here: %v", l, r.Missing())
			testenv.Partly(t, testenv.Walls(string(l)))
		}
	}
	return found
}

// works are what must go on working within walls, in the order of one project's life.
var works = []struct{ name, command, want string }{
	{"git init and commit", "cd deed && git init -q && echo hi > a && git add a && git commit -qm one && git log --format=%s", "one\n"},
	{"git commit in what came of it", "cd deed && echo more >> a && git commit -qam two && git log --format=%s && git status --short", "two\none\n"},
	{"node and npm scripts", `cd deed && echo '{"scripts":{"t":"node -e \"console.log(6*7)\""}}' > package.json && npm run -s t`, "42\n"},
	{"python", `/usr/bin/python3 -c 'import subprocess, tempfile; tempfile.TemporaryFile(); print(subprocess.check_output(["echo", "py"]).decode().strip())'`, "py\n"},
	{"a script of its own, pipes, temporary files", "cd deed && printf '#!/bin/sh\\necho $((1+1))\\n' > s && chmod +x s && t=$(mktemp) && ./s | tee $t && rm $t", "2\n"},
	{"people's names and the settings of certificates", `/usr/bin/python3 -c 'import pwd, os; print(pwd.getpwuid(os.getuid()).pw_uid == os.getuid(), os.path.exists("/etc/ssl/openssl.cnf"))'`, "True True\n"},
	{"home", "echo kept > ~/cache && cat ~/cache", "kept\n"},
	{"the docs", "head -n 1 doc-main.md", "# Book\n"},
}

func TestWorks(t *testing.T) {
	testenv.Slow(t)
	levels := levelsHere(t, newWorld(t))
	for _, l := range []Level{Bwrap, Landlock} {
		w := newWorld(t)
		r := levels[l]
		if r == nil {
			continue
		}
		r = Probe(w.config(l))
		for _, c := range works {
			o := r.Command(t.Context(), w.spec(c.command))
			if string(o.Stdout.Text) != c.want || o.ExitCode != 0 {
				t.Errorf("%s, %s: %+v\n%s%s", l, c.name, o.Err, o.Stdout.Text, o.Stderr.Text)
			}
		}
		if names, err := os.ReadDir(w.state + "/home"); err != nil || len(names) != 1 {
			t.Errorf("%s left %v beside the home, %v", l, names, err)
		}
		if text, err := os.ReadFile(w.deed + "/.git/config"); err != nil || !strings.HasSuffix(string(text), plainConfig) {
			t.Errorf("%s: git's config is %q, %v", l, text, err)
		}
	}
}

// TestRelativeFolders: folders to hide may be named as a human names them.
func TestRelativeFolders(t *testing.T) {
	w := newWorld(t)
	want := Probe(w.config(Strongest()...))
	t.Chdir(w.dir)
	c := w.config(Strongest()...)
	c.Hide = []string{"root", "./state", ""}
	r := Probe(c)
	if r.Level() != want.Level() {
		t.Fatalf("%s became %s: %v", want.Level(), r.Level(), r.Missing())
	}
	if o := r.Command(t.Context(), w.spec("cat ../other/doc-main.md ../../state/key")); r.Level() != None && o.Stdout.Bytes != 0 {
		t.Errorf("it reads %s", o.Stdout.Text)
	}
}

// TestOwnLoopback: a server and its client, both in one command.
func TestOwnLoopback(t *testing.T) {
	w := newWorld(t)
	r := Probe(w.config(Bwrap))
	if r.Level() != Bwrap {
		testenv.Lacks(t, testenv.Bubblewrap) // only namespaces have a loopback of their own
	}
	const both = `cd deed && echo here > index.html; /usr/bin/python3 -m http.server 8123 >/dev/null 2>&1 &
for i in $(seq 50); do curl -sf http://localhost:8123/ && break; sleep 0.1; done`
	if o := r.Command(t.Context(), w.spec(both)); string(o.Stdout.Text) != "here\n" {
		t.Errorf("%s%s", o.Stdout.Text, o.Stderr.Text)
	}
}

// TestServer: the server and browsers reach it, so does the next command; it
// ends with all that it started.
func TestServer(t *testing.T) {
	for _, l := range []Level{None, Landlock, Bwrap} {
		w := newWorld(t)
		r := Probe(w.config(l))
		if r.Level() != l {
			testenv.Partly(t, testenv.Walls(string(l)))
			continue
		}
		port := testenv.Port(t)
		s := w.spec(fmt.Sprintf("echo here > index.html; setsid sleep 98765.%d & exec /usr/bin/python3 -m http.server %d", port, port))
		s.Dir, s.Project = w.deed, w.project
		if l == Landlock {
			if _, err := r.Serve(s, port); !errors.Is(err, ErrNetwork) {
				t.Errorf("%s: a server without the network: %v", l, err)
			}
			s.Network = true
		}
		srv, err := r.Serve(s, port)
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		if text, err := fetch(srv.Dial); text != "here\n" {
			t.Errorf("%s: the health check gets %q, %v; it wrote %s", l, text, err, srv.Output().Text)
		}
		if text, err := fetch(func() (net.Conn, error) { return net.Dial("tcp", srv.Preview) }); text != "here\n" {
			t.Errorf("%s: the preview gets %q, %v", l, text, err)
		}
		for host, want := range map[string]int{"evil.example": 421, "127.0.0.1.evil.example": 421, "localhost:1": 200, "[::1]": 200} {
			if got, text := fetchAs(t, srv.Preview, host); got != want || (got == 200) != (text == "here\n") {
				t.Errorf("%s: the preview under the name %s: %d %s", l, host, got, text)
			}
		}
		next := w.spec(fmt.Sprintf("curl -sS http://localhost:%d/", port))
		next.Network = s.Network
		if o := r.Command(t.Context(), next); string(o.Stdout.Text) != "here\n" {
			t.Errorf("%s: the next command gets %s%s", l, o.Stdout.Text, o.Stderr.Text)
		}
		other := w.spec(fmt.Sprintf("curl -sS -m 2 http://127.0.0.1:%d/", port))
		other.Dir, other.Project, other.Deed = w.other, w.other, ""
		if o := r.Command(t.Context(), other); l != None && o.ExitCode == 0 {
			t.Errorf("%s: another project's command gets %s", l, o.Stdout.Text)
		}
		if _, err := r.Serve(s, port); err == nil {
			t.Errorf("%s: a second server on the same port", l)
		}
		if len(r.Servers(w.project)) != 1 || len(r.Servers(w.other)) != 0 {
			t.Errorf("%s: servers are %v", l, r.Servers(w.project))
		}
		if o := srv.Stop(); !o.Stopped || lives(fmt.Sprintf("98765.%d", port)) || len(r.Servers(w.project)) != 0 {
			t.Errorf("%s: stopped, it left something: %+v", l, o)
		}
		if c, err := net.Dial("tcp", srv.Preview); err == nil {
			c.Close()
			t.Errorf("%s: the preview is still there", l)
		}
	}
}

// fetchAs gets / of an address under another name.
func fetchAs(t *testing.T, at, host string) (status int, text string) {
	req, err := http.NewRequest("GET", "http://"+at+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// fetch gets / once the server answers.
func fetch(dial func() (net.Conn, error)) (string, error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return dial() }}}
	var last error
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		resp, err := c.Get("http://127.0.0.1:1/")
		if err != nil {
			last = err
			continue
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return string(b), err
	}
	return "", last
}
