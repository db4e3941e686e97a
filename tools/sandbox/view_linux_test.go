package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
)

// tools are homes and machines in small: files, links (name -> where it leads) and
// a PATH, all below one folder, and what the view must show of them. A name that
// ends with / is a folder.
var tools = []struct {
	name, path            string
	files                 []string
	links                 map[string]string
	shown, covered, hopes []string
	env                   []string
}{
	{
		name: "a home in the PATH", path: "home",
		files: []string{"home/tool"},
	},
	{
		name: "a person's own scripts", path: "home/bin",
		files: []string{"home/bin/tool", "home/lib/", "home/.ssh/id"},
		shown: []string{"home/bin"},
	},
	{
		name: "the folder of people's programs lies beside their keyrings", path: "home/.local/bin",
		files: []string{"home/.local/bin/tool", "home/.local/lib/", "home/.local/share/keyrings/login.keyring"},
		shown: []string{"home/.local/bin"},
	},
	{
		name: "nvm", path: "home/.nvm/versions/node/v20/bin",
		files: []string{"home/.nvm/versions/node/v20/bin/node", "home/.nvm/versions/node/v20/lib/", "home/.nvm/.git/config"},
		shown: []string{"home/.nvm/versions/node/v20"},
	},
	{
		name: "pyenv", path: "home/.pyenv/shims:home/.pyenv/bin",
		files: []string{"home/.pyenv/shims/python", "home/.pyenv/bin/", "home/.pyenv/libexec/pyenv", "home/.pyenv/versions/", "home/.pyenv/.git/config"},
		shown: []string{"home/.pyenv"},
	},
	{
		name: "asdf", path: "home/.asdf/shims",
		files: []string{"home/.asdf/shims/node", "home/.asdf/installs/"},
		shown: []string{"home/.asdf"}, env: []string{"ASDF_DATA_DIR=home/.asdf"},
	},
	{
		name: "rustup, and cargo's token", path: "home/.cargo/bin",
		files: []string{"home/.cargo/bin/rustup", "home/.cargo/credentials.toml", "home/.rustup/settings.toml"},
		links: map[string]string{"home/.cargo/bin/cargo": "rustup"},
		shown: []string{"home/.cargo/bin", "home/.rustup"}, env: []string{"RUSTUP_HOME=home/.rustup"},
	},
	{
		name: "Go's programs and modules, not a person's sources", path: "home/go/bin",
		files: []string{"home/go/bin/gopls", "home/go/pkg/mod/cache/download/", "home/go/pkg/mod/cache/vcs/", "home/go/src/secret/"},
		shown: []string{"home/go/bin", "home/go/pkg/mod/cache/download"}, env: []string{"GOPROXY=file://home/go/pkg/mod/cache/download"},
	},
	{
		name: "pipx: a link into an environment, whose python is pyenv's", path: "home/.local/bin",
		files: []string{"home/.local/share/pipx/venvs/black/bin/black", "home/.local/share/pipx/venvs/black/lib/", "home/.local/share/keyrings/", "home/.pyenv/versions/3.12/bin/python3.12", "home/.pyenv/versions/3.12/lib/"},
		links: map[string]string{"home/.local/bin/black": "../share/pipx/venvs/black/bin/black", "home/.local/share/pipx/venvs/black/bin/python": "../../../../../../.pyenv/versions/3.12/bin/python3.12"},
		shown: []string{"home/.local/bin", "home/.local/share/pipx/venvs/black", "home/.pyenv/versions/3.12"},
	},
	{
		name: "a link to a file of a home: that file alone", path: "home/.local/bin",
		files: []string{"home/.local/share/agent/versions/1", "home/.local/share/agent/token", "home/src/app/bin/run", "home/src/app/lib/", "home/src/app/.env"},
		links: map[string]string{"home/.local/bin/agent": "../share/agent/versions/1", "home/.local/bin/run": "../../src/app/bin/run"},
		shown: []string{"home/.local/bin", "home/.local/share/agent/versions/1", "home/src/app/bin/run"},
	},
	{
		name: "a link to a program in /opt: its folder", path: "srv/bin",
		files: []string{"opt/google/chrome/chrome", "opt/google/chrome/resources", "opt/google/other/x"},
		links: map[string]string{"srv/bin/chrome": "../../opt/google/chrome/chrome"},
		shown: []string{"opt/google/chrome", "srv/bin"},
	},
	{
		name: "a link to a program elsewhere: that file alone", path: "srv/bin",
		files: []string{"srv/shop/manage.sh", "srv/shop/orders.db"},
		links: map[string]string{"srv/bin/manage": "../shop/manage.sh"},
		shown: []string{"srv/bin", "srv/shop/manage.sh"},
	},
	{
		name: "an installation, but for its data", path: "srv/brew/bin",
		files:   []string{"srv/brew/bin/x", "srv/brew/lib/", "srv/brew/var/postgres/", "srv/brew/run/"},
		shown:   []string{"srv/brew"},
		covered: []string{"srv/brew/run", "srv/brew/var"},
	},
	{
		name: "no installation", path: "srv/tools/bin",
		files: []string{"srv/tools/bin/x", "srv/tools/db/secret"},
		shown: []string{"srv/tools/bin"},
	},
	{
		name: "the source of a program is no installation", path: "home/app/bin",
		files: []string{"home/app/bin/rails", "home/app/lib/", "home/app/.env"},
		shown: []string{"home/app/bin"},
	},
	{
		name: "the folder that a project is in", path: "srv:srv/vibey/book/deed/bin",
		files: []string{"srv/x", "srv/vibey/book/deed/bin/x"},
	},
	{
		name: "a link into a project", path: "srv/bin",
		files: []string{"srv/vibey/book/deed/bin/x"},
		links: map[string]string{"srv/bin/x": "../vibey/book/deed/bin/x"},
		shown: []string{"srv/bin"},
	},
	{
		name: "fnm: a link in a folder of sockets", path: "run/fnm/1/bin",
		files: []string{"home/.local/share/fnm/v20/bin/node", "home/.local/share/fnm/v20/lib/", "run/bus"},
		links: map[string]string{"run/fnm/1": "../../home/.local/share/fnm/v20"},
		shown: []string{"home/.local/share/fnm/v20"},
		hopes: []string{"run/fnm/1"},
	},
}

func TestTools(t *testing.T) {
	for _, c := range tools {
		t.Run(c.name, func(t *testing.T) {
			base, _ := filepath.EvalSymlinks(t.TempDir())
			for _, dir := range []string{"home", "srv/vibey", "srv/bin", "home/.local/bin", "run/fnm"} {
				os.MkdirAll(filepath.Join(base, dir), 0o755)
			}
			for _, name := range c.files {
				path := filepath.Join(base, name)
				os.MkdirAll(filepath.Dir(path), 0o755)
				if strings.HasSuffix(name, "/") {
					os.Mkdir(path, 0o755)
				} else if err := os.WriteFile(path, nil, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for name, to := range c.links {
				os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o755)
				if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
					t.Fatal(err)
				}
			}
			var path []string
			for _, dir := range filepath.SplitList(c.path) {
				path = append(path, filepath.Join(base, dir))
			}
			v := &view{}
			home := func(name string) string {
				return map[string]string{"HOME": filepath.Join(base, "home")}[name]
			}
			f := newToolFinder(v, Config{Getenv: home}, []string{filepath.Join(base, "srv/vibey")})
			f.opt = filepath.Join(base, "opt")
			f.find(strings.Join(path, ":"))
			var links []string
			for _, l := range v.links {
				if !v.shows(l.At) {
					links = append(links, l.At)
				}
			}
			for _, got := range []struct {
				what       string
				have, want []string
			}{
				{"shown", outermost(v.shown), c.shown}, {"covered", outermost(v.covered), c.covered},
				{"links", outermost(links), c.hopes}, {"variables", slices.Concat(v.env, v.offline), c.env},
			} {
				for i := range got.have {
					got.have[i] = strings.Replace(got.have[i], base+"/", "", 1)
				}
				if !slices.Equal(got.have, got.want) {
					t.Errorf("%s: %q, want %q", got.what, got.have, got.want)
				}
			}
		})
	}
}

// TestToolsWork: a tool that was found where people keep theirs runs.
func TestToolsWork(t *testing.T) {
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		w.write(t, "home/.local/share/tool/v1/bin/real", "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")/../lib/word\"\n")
		w.write(t, "home/.local/share/tool/v1/lib/word", "works\n")
		w.write(t, "home/.local/share/keyrings/login", "secret\n")
		os.Chmod(w.dir+"/home/.local/share/tool/v1/bin/real", 0o755)
		os.MkdirAll(w.dir+"/home/.local/bin", 0o755)
		os.Symlink("v1", w.dir+"/home/.local/share/tool/current")
		os.Symlink("../share/tool/current/bin/real", w.dir+"/home/.local/bin/tool")
		c := w.config(l)
		c.Path = w.dir + "/home/.local/bin:" + c.Path
		c.Getenv = func(name string) string { return map[string]string{"HOME": w.dir + "/home"}[name] }
		if o := Probe(c).Command(t.Context(), w.spec("tool; cd "+w.dir+"/home/.local; cat share/keyrings/login; touch bin/x")); string(o.Stdout.Text) != "works\n" || o.ExitCode == 0 {
			t.Errorf("%s: %s%s", l, o.Stdout.Text, o.Stderr.Text)
		}
	}
}

// TestCredentials: settings of tools are shown, and passwords in them are not.
func TestCredentials(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                false,
		"cafile=/etc/ssl/certs/ca.crt\n":  false,
		"registry=https://npm.example/\n": false,
		"# //npm.example/:_authToken=x\n": false,
		"<settings>\n<!-- <password>\nx</password> -->\n</settings>":                   false,
		"//npm.example/:_authToken=x\n":                                                true,
		"[global]\nindex-url = https://me:x@pypi.example/\n":                           true,
		"http_proxy = http://x@proxy.example:80/\n":                                    true,
		"<server><!-- ours --><password>x</password></server>":                         true,
		"[url \"https://x@git.example/\"]\n\tinsteadOf = https://git.example/\n":       true,
		"[http \"https://git.example/\"]\n\textraHeader = Authorization: Basic eDp5\n": true,
	} {
		dir := t.TempDir()
		for _, name := range []string{"npmrc", "maven/settings.xml", "hosts"} {
			path := filepath.Join(dir, name)
			os.Mkdir(filepath.Join(dir, "maven"), 0o755)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if keepsCredential(dir+"/npmrc") != want || keepsCredential(dir+"/maven") != want || keepsCredential(dir+"/hosts") {
			t.Errorf("%q: %v, %v", text, keepsCredential(dir+"/npmrc"), keepsCredential(dir+"/maven"))
		}
	}
	if !keepsCredential("/nowhere/npmrc") {
		t.Error("what can't be read is taken for harmless")
	}
}

// TestTheViewIsSmall: at bwrap the root holds what the view names, and no more.
func TestTheViewIsSmall(t *testing.T) {
	w := newWorld(t)
	r := levelsHere(t, w)[Bwrap]
	if r == nil {
		return
	}
	o := r.Command(t.Context(), w.spec("ls -A /var /var/lib /home /root /srv /opt /mnt /run /boot 2>/dev/null; true"))
	known := strings.Fields("tmp lib cache dpkg rpm ca-certificates texmf ghc gems /var: /var/lib: /home: /root: .cache .cargo .pyenv .rustup go")
	for _, name := range strings.Fields(string(o.Stdout.Text)) {
		if !slices.Contains(known, name) && !strings.Contains(w.dir, name) && !strings.Contains(r.config.Path, name) {
			t.Errorf("a command sees %s:\n%s", name, o.Stdout.Text)
		}
	}
}

// TestNothingIsSwallowed: what a command writes elsewhere than in its own folders
// is refused, wherever those lie.
func TestNothingIsSwallowed(t *testing.T) {
	testenv.Slow(t)
	step := testenv.Stride(t, 3)
	for l := range levelsHere(t, newWorld(t)) {
		for i, parent := range []string{"/tmp", "/var/tmp", "/dev/shm", cacheDir()} {
			if i%step > 0 {
				continue
			}
			w := newWorldIn(t, parent)
			outside := []string{
				"notes.txt", "new/notes.txt", "../notes.txt", "../other/notes.txt", "../../notes.txt", "../../state/notes.txt", "../../new/notes.txt",
				"/notes.txt", "/etc/notes.txt", "/srv/notes.txt", "/home/notes.txt", "/opt/x/notes.txt", "/var/lib/notes.txt", "/run/notes.txt", "/dev/notes.txt",
			}
			r := Probe(w.config(l))
			for _, name := range outside {
				o := r.Command(t.Context(), w.spec(fmt.Sprintf("mkdir -p $(dirname %s); echo x > %s && echo swallowed", name, name)))
				if o.ExitCode == 0 || o.Stdout.Bytes > 0 {
					t.Errorf("%s, projects in %q: %s was written: %s%s", l, parent, name, o.Stdout.Text, o.Stderr.Text)
				}
			}
			w.write(t, "root/backup/old.txt", "x") // on the disk it is there; the command is shown none
			w.write(t, "root/book/deed/novel.txt", "x")
			if o := r.Command(t.Context(), w.spec("mv deed/novel.txt ../backup/ || mv deed/novel.txt ../backup/novel.txt")); o.ExitCode == 0 {
				t.Errorf("%s, projects in %q: a file was moved out: %s%s", l, parent, o.Stdout.Text, o.Stderr.Text)
			}
			if _, err := os.Stat(w.deed + "/novel.txt"); err != nil {
				t.Errorf("%s, projects in %q: %v", l, parent, err)
			}
			// The folder for temporary files is the command's own, and ends with it.
			if o := r.Command(t.Context(), w.spec("echo x > ${TMPDIR:-/tmp}/x && cat ${TMPDIR:-/tmp}/x")); string(o.Stdout.Text) != "x\n" {
				t.Errorf("%s, projects in %q: a temporary file: %s%s", l, parent, o.Stdout.Text, o.Stderr.Text)
			}
			if o := r.Command(t.Context(), w.spec("cat ${TMPDIR:-/tmp}/x")); o.ExitCode == 0 {
				t.Errorf("%s, projects in %q: the next command reads a temporary file", l, parent)
			}
			o := r.Command(t.Context(), w.spec("echo x > deed/own && echo x > ~/own && t=$(mktemp) && echo x > $t && cat $t deed/own ~/own"))
			if string(o.Stdout.Text) != "x\nx\nx\n" {
				t.Errorf("%s, projects in %q: %s%s", l, parent, o.Stdout.Text, o.Stderr.Text)
			}
		}
	}
}

// TestProjectsInTmp: /tmp itself, or /dev/shm, is the folder of all projects.
func TestProjectsInTmp(t *testing.T) {
	for l := range levelsHere(t, newWorld(t)) {
		for _, top := range []string{"/tmp", "/dev/shm"} {
			w := newWorldIn(t, top)
			c := w.config(l)
			c.Hide = []string{top}
			s := w.spec(fmt.Sprintf("echo x > %[1]s/notes.txt && echo swallowed; mkdir %[1]s/vibey-test-new && echo swallowed; t=$(mktemp) && echo x > $t && cat $t; echo own > deed/own && cat deed/own", top))
			o := Probe(c).Command(t.Context(), s)
			if b, err := os.ReadFile(w.deed + "/own"); string(o.Stdout.Text) != "x\nown\n" || string(b) != "own\n" {
				t.Errorf("%s, %s: %s%s %v", l, top, o.Stdout.Text, o.Stderr.Text, err)
			}
		}
	}
}

// TestProjectsInTheSystem: projects that lie in a folder that is shown are not.
func TestProjectsInTheSystem(t *testing.T) {
	if os.Geteuid() != 0 {
		testenv.Lacks(t, testenv.Root) // only root may lay them there
	}
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorldIn(t, "/usr/local")
		o := Probe(w.config(l)).Command(t.Context(), w.spec("cat ../other/doc-main.md ../../state/key; cat doc-main.md; echo x > ../notes.txt && echo swallowed; ls /usr/local > /dev/null || ls /usr/bin > /dev/null && echo own > deed/own && cat deed/own"))
		if string(o.Stdout.Text) != "# Book\nown\n" {
			t.Errorf("%s: %s%s", l, o.Stdout.Text, o.Stderr.Text)
		}
	}
}

// TestLinkedFolders: the projects and the deed may be reached over links.
func TestLinkedFolders(t *testing.T) {
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		os.MkdirAll(w.dir+"/disk/code/app", 0o755)
		os.Symlink("disk/code", w.dir+"/code")
		os.Symlink(".", w.dir+"/here")
		os.Remove(w.deed)
		os.Symlink(w.dir+"/code/app", w.deed)
		w.write(t, "disk/code/other", "another's\n")
		s := Spec{Command: "echo x > deed/own && cat deed/own " + w.dir + "/code/app/own && cat ../../../code/other", Dir: w.dir + "/here/root/book", Home: w.dir + "/here/state/home/book", Deed: w.dir + "/here/root/book/deed"}
		if o := Probe(w.config(l)).Command(t.Context(), s); string(o.Stdout.Text) != "x\nx\n" || o.ExitCode == 0 {
			t.Errorf("%s: %v %s%s", l, o.Err, o.Stdout.Text, o.Stderr.Text)
		}
	}
}

// TestGroups: root's command is in no group but root's own.
func TestGroups(t *testing.T) {
	if os.Geteuid() != 0 {
		testenv.Lacks(t, testenv.Root) // another user can't leave a group
	}
	had, err := syscall.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setgroups([]int{otherGroup}); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setgroups(had)
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		if o := r.Command(t.Context(), w.spec("id -G")); string(o.Stdout.Text) != "0\n" {
			t.Errorf("%s: the groups are %s%s", l, o.Stdout.Text, o.Stderr.Text)
		}
	}
}

// TestNames: with the network a command finds the server of names.
func TestNames(t *testing.T) {
	want, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return
	}
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		s := w.spec("cat /etc/resolv.conf")
		s.Network = true
		if o := r.Command(t.Context(), s); string(o.Stdout.Text) != string(want) {
			t.Errorf("%s: %s%s", l, o.Stdout.Text, o.Stderr.Text)
		}
	}
}

// TestNothingIsLeft: commands behind walls leave no descriptor, no folder and no
// process behind, whether they end or are stopped.
func TestNothingIsLeft(t *testing.T) {
	testenv.Slow(t)
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		c := w.config(l)
		c.Limit, c.Leases = 500*time.Millisecond, filepath.Join(w.state, "commands")
		r := Probe(c)
		arg := fmt.Sprintf("98764.%d", os.Getpid())
		r.Level()
		opened := opening(t)
		round := func() {
			r.Command(t.Context(), w.spec("true"))
			r.Command(t.Context(), w.spec("setsid -f sleep "+arg+"; sleep "+arg))
			r.StopServers("")
			if running(arg) {
				t.Errorf("%s: a process lives on", l)
			}
		}
		round()
		round()
		for begin := time.Now(); len(opened()) > 0 && time.Since(begin) < 20*time.Second; time.Sleep(time.Millisecond) {
			// The walls of a spare that was not ready end beside.
		}
		if left := opened(); len(left) > 0 {
			t.Errorf("%s: left open: %q", l, left)
		}
		waitUntil(t, fmt.Sprintf("%s: nothing in its folder", l), func() bool {
			names, _ := filepath.Glob(c.Leases + "/*" + scratchSuffix + "/*")
			return len(names) == 0
		})
		if names, _ := filepath.Glob(w.dir + "/state/home/*"); len(names) != 1 {
			t.Errorf("%s: left %q", l, names)
		}
	}
}

// TestGoAsksNoGit: where there is no repository the go command must not ask for one.
func TestGoAsksNoGit(t *testing.T) {
	w := newWorld(t)
	for l, r := range levelsHere(t, w) {
		os.RemoveAll(filepath.Join(w.deed, ".git"))
		none := r.Command(t.Context(), w.spec("echo $GOFLAGS"))
		w.write(t, "root/book/deed/.git/HEAD", "ref: refs/heads/main\n")
		one := r.Command(t.Context(), w.spec("echo $GOFLAGS"))
		if string(none.Stdout.Text) != "-buildvcs=false\n" || string(one.Stdout.Text) != "\n" {
			t.Errorf("%s: GOFLAGS is %q without a repository, %q with one", l, none.Stdout.Text, one.Stdout.Text)
		}
	}
}

func TestSocketNames(t *testing.T) {
	const table = `Num       RefCount Protocol Flags    Type St Inode Path
00000000383a4b06: 00000003 00000000 00000000 0001 03  1061
00000000f19231c3: 00000002 00000000 00010000 0001 01 495581 /opt/x/my socket
00000000f19231c4: 00000002 00000000 00010000 0001 01     7 tmp/app.sock
00000000f19231c5: 00000002 00000000 00010000 0001 01 495583 @/tmp/.X11-unix/X0
`
	names := socketNames(table)
	if len(names) != 2 || !names["/opt/x/my socket"] || !names["tmp/app.sock"] {
		t.Error(names)
	}
}

// TestViewThroughDeed: what a person's PATH leads to through a deed is not shown: a
// command could have put there a link to anything, now or before the last start. The
// tools in the deed itself work.
func TestViewThroughDeed(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct{ name, path, before, plant, secret string }{
		{"a link of a program", "home/.local/bin", "mkdir -p home/.local/bin; echo 'echo works' > deed/cli; chmod +x deed/cli; ln -s $PWD/code/app/cli home/.local/bin/cli", "ln -sf {dir}/home/.ssh/key deed/cli", "home/.ssh/key"},
		{"a folder of the PATH", "deed/bin", "mkdir deed/bin; echo 'echo works' > deed/bin/cli; chmod +x deed/bin/cli", "rm -r deed/bin; ln -s {dir}/home/.ssh deed/bin", "home/.ssh/key"},
		{"an environment of Python", "deed/.venv/bin", "mkdir -p deed/.venv/bin deed/.venv/lib; echo 'echo works' > deed/.venv/bin/cli; chmod +x deed/.venv/bin/cli", "rm -r deed/.venv; ln -s {dir}/data deed/.venv", "data/lib/key"},
		{"by a way back", "deed/x/../../tools/bin", "mkdir -p deed/x tools/bin; echo 'echo works' > tools/bin/cli; chmod +x tools/bin/cli", "rm -r deed/x; mkdir deed/tools; ln -s {dir}/data deed/tools/bin; ln -s {dir}/code/app/tools/bin deed/x", "data/lib/key"},
	} {
		for l := range levelsHere(t, newWorld(t)) {
			t.Run(c.name+" at "+string(l), func(t *testing.T) {
				w := newWorld(t)
				os.Remove(w.deed)
				w.deed = w.dir + "/code/app" // to which a human has linked it
				os.MkdirAll(w.deed, 0o755)
				os.Symlink(w.deed, w.project+"/deed")
				w.write(t, "home/.ssh/key", "SECRET\n")
				w.write(t, "data/lib/key", "SECRET\n")
				os.Mkdir(w.dir+"/data/bin", 0o755)
				sh := exec.Command("/bin/sh", "-c", "ln -s code/app deed; "+c.before+"; rm deed")
				sh.Dir = w.dir
				if out, err := sh.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				path := filepath.Join(w.dir, c.path)
				if rest, in := strings.CutPrefix(c.path, "deed/"); in {
					path = w.deed + "/" + rest // as it is written
				}
				config := w.config(l)
				config.Path = path + ":" + config.Path
				config.Getenv = func(name string) string { return map[string]string{"HOME": w.dir + "/home"}[name] }
				config.Deeds = func() []string { return []string{w.project + "/deed"} }
				read := w.spec("cat " + filepath.Join(w.dir, c.secret))
				for _, when := range []string{"at once", "after the next start"} {
					r := Probe(config)
					defer r.StopServers("")
					if o := r.Command(t.Context(), w.spec("cli")); when == "at once" && c.name != "by a way back" && string(o.Stdout.Text) != "works\n" {
						t.Errorf("the tool says %q and %q", o.Stdout.Text, o.Stderr.Text)
					}
					r.Command(t.Context(), w.spec(strings.ReplaceAll(c.plant, "{dir}", w.dir)))
					if o := r.Command(t.Context(), read); string(o.Stdout.Text) != "" || o.ExitCode == 0 {
						t.Errorf("%s the command read %q", when, o.Stdout.Text)
					}
				}
				if b, err := os.ReadFile(filepath.Join(w.dir, c.secret)); string(b) != "SECRET\n" {
					t.Errorf("the secret is %q, %v", b, err)
				}
			})
		}
	}
}

// TestFoundProgramHasItsParts: a program that a human names, and PATH finds in the folder of
// links of a node_modules, has the packages beside its own.
func TestFoundProgramHasItsParts(t *testing.T) {
	for l := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		bin := w.dir + "/server/node_modules/.bin"
		w.write(t, "server/node_modules/main/run.js", "#!/bin/sh\ncat $(dirname $(readlink -f $0))/../part/part\n")
		w.write(t, "server/node_modules/part/part", "another package\n")
		w.write(t, "server/key", "a secret\n")
		os.Chmod(w.dir+"/server/node_modules/main/run.js", 0o755)
		os.MkdirAll(bin, 0o755)
		os.Symlink("../main/run.js", bin+"/run")
		c := w.config(l)
		c.Path = bin + ":" + c.Path + ":/usr/bin:/bin"
		r := Probe(c)
		s := w.spec("run; cat " + w.dir + "/server/key")
		if o := r.Command(t.Context(), s); len(o.Stdout.Text) > 0 {
			t.Errorf("%s: unnamed, it has %s", l, o.Stdout.Text)
		}
		s.Show = []string{r.LookPath("run"), r.LookPath("none")}
		if o := r.Command(t.Context(), s); string(o.Stdout.Text) != "another package\n" {
			t.Errorf("%s: %v %s%s", l, o.Err, o.Stdout.Text, o.Stderr.Text)
		}
	}
}

// TestNamedPathsAreShown: what a human has named is seen, a program with the folder that
// has its parts, any other file alone, read-only, and nothing else for it.
func TestNamedPathsAreShown(t *testing.T) {
	testenv.Slow(t)
	step := testenv.Stride(t, 3)
	for l := range levelsHere(t, newWorld(t)) {
		for i, parent := range []string{cacheDir(), "/tmp", "/dev/shm"} {
			if i%step > 0 {
				continue
			}
			w := newWorldIn(t, parent)
			w.write(t, "program/package.json", "{}")
			w.write(t, "program/parts/part", "a part\n")
			w.write(t, "program/bin/run.sh", "cat $(dirname $0)/../parts/part\n")
			w.write(t, "alone.sh", "echo alone\n")
			w.write(t, "beside", "a secret\n")
			w.write(t, "notes/a.txt", "a note\n")
			w.write(t, "secret/key", "a secret\n")
			w.write(t, "secret/one", "one\n")
			w.write(t, "server/node_modules/main/package.json", "{}")
			w.write(t, "server/node_modules/main/run.js", "cat $(dirname $0)/../part/part\n")
			w.write(t, "server/node_modules/part/part", "another package\n")
			w.write(t, "server/key", "a secret\n")
			os.MkdirAll(w.dir+"/server/node_modules/.bin", 0o755)
			os.Symlink("../main/run.js", w.dir+"/server/node_modules/.bin/run")
			w.write(t, "venv/pyvenv.cfg", "")
			w.write(t, "venv/lib/part", "of python\n")
			os.MkdirAll(w.dir+"/venv/bin", 0o755)
			os.Symlink("/bin/sh", w.dir+"/venv/bin/python")
			w.write(t, "disk/me/run.sh", "echo mine\n")
			w.write(t, "disk/me/.hidden/run.sh", "echo mine\n")
			w.write(t, "disk/me/.hidden/key", "a secret\n")
			w.write(t, "disk/me/own", "a secret\n")
			os.Symlink(w.dir+"/disk/me", w.dir+"/me")
			w.write(t, "shared/key", "one\n")
			w.write(t, "shared/other", "a secret\n")
			os.Chmod(w.dir+"/shared/key", 0o777)
			os.Symlink(w.dir+"/secret", w.deed+"/link")
			os.Symlink(w.dir+"/notes", w.dir+"/linked")
			at := func(names ...string) (paths []string) {
				for _, n := range names {
					paths = append(paths, w.dir+"/"+n)
				}
				return paths
			}
			config := w.config(l)
			config.Getenv = func(name string) string { return map[string]string{"HOME": w.dir + "/me"}[name] }
			r := Probe(config)
			for _, c := range []struct {
				show []string
				do   string
				want string
			}{
				{at("program/bin/run.sh"), "sh " + w.dir + "/program/bin/run.sh", "a part\n"},
				{at("alone.sh"), "sh " + w.dir + "/alone.sh; cat " + w.dir + "/beside", "alone\n"},
				{at("secret/one"), "cat " + w.dir + "/secret/one " + w.dir + "/secret/key", "one\n"},
				{at("server/node_modules/.bin/run"), "sh " + w.dir + "/server/node_modules/main/run.js; cat " + w.dir + "/server/key", "another package\n"},
				{at("venv/bin/python"), w.dir + "/venv/bin/python -c 'cat " + w.dir + "/venv/lib/part'", "of python\n"},
				{at("me/run.sh", "me"), "sh " + w.dir + "/me/run.sh; cat " + w.dir + "/disk/me/own", "mine\n"},
				{at("me/.hidden/run.sh"), "sh " + w.dir + "/disk/me/.hidden/run.sh; cat " + w.dir + "/disk/me/.hidden/key", "mine\n"},
				{at("shared/key"), "cat " + w.dir + "/shared/key " + w.dir + "/shared/other", "one\n"},
				{at("notes"), "cat " + w.dir + "/notes/a.txt", "a note\n"},
				{at("linked/a.txt"), "cat " + w.dir + "/linked/a.txt", "a note\n"},
				{at("linked/a.txt"), "echo x > " + w.dir + "/notes/b.txt && echo written; echo x > " + w.dir + "/new && echo written", ""},
				{at("state/key", "state", "root/other", "root/other/doc-main.md", "root", "."), "cat " + w.dir + "/state/key " + w.dir + "/root/other/doc-main.md " + w.dir + "/beside", ""},
				{at("root/book/deed/link", "root/book/deed/link/key"), "cat deed/link/key " + w.dir + "/secret/key", ""},
				{[]string{"/", "/root", "/home", "/nowhere", "relative"}, "cat " + w.dir + "/beside", ""},
			} {
				s := w.spec(c.do)
				s.Show = c.show
				if o := r.Command(t.Context(), s); string(o.Stdout.Text) != c.want {
					t.Errorf("%s, in %s: shown %v: %s: %q%s %v", l, parent, c.show, c.do, o.Stdout.Text, o.Stderr.Text, o.Err)
				}
			}
			if _, err := os.Stat(w.dir + "/notes/b.txt"); err == nil {
				t.Errorf("%s: written", l)
			}
		}
	}
}
