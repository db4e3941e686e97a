package layer

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// play is one command of a test: a script of the shell, or random steps.
type play struct {
	Layer  *Layer // nil: in Deed itself
	Deed   []byte // a path of any bytes, which no JSON string is
	Script string
	Seed   int64
	Tame   bool
}

// TestMain is also the process that mounts layers and runs commands, in a namespace of its
// own: many of them in one process, since a start takes longer than most commands.
func TestMain(m *testing.M) {
	if in := os.Getenv("LAYER_PLAYS"); in != "" {
		if err := playAll(in); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testenv.Main(m))
}

func playAll(in string) error {
	b, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	var plays []play
	if err := json.Unmarshal(b, &plays); err != nil {
		return err
	}
	unix.Umask(0o022)
	for _, p := range plays {
		if err := p.run(); err != nil {
			return err
		}
	}
	return nil
}

// mount covers the deed with the layer, as the sandbox does.
func (p play) mount() error {
	if p.Layer == nil {
		return nil
	}
	deed := string(p.Deed)
	if p.Layer.By == Copy {
		return unix.Mount(p.Layer.Up(), deed, "", unix.MS_BIND, "")
	}
	escape := strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`)
	return unix.Mount("overlay", deed, "overlay", 0, "userxattr,volatile,lowerdir="+escape.Replace(deed)+
		",upperdir="+escape.Replace(p.Layer.Up())+",workdir="+escape.Replace(filepath.Join(p.Layer.Dir, "work")))
}

func (p play) run() error {
	if err := p.mount(); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := os.Chdir(string(p.Deed)); err != nil {
		return err
	}
	if p.Script != "" {
		cmd := exec.Command("sh", "-ec", p.Script)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", p.Script, err, out)
		}
	} else {
		steps(p.Seed, p.Tame)
	}
	return os.Chdir("/") // what is mounted goes with the process: an unmount takes 40 ms
}

// playInside runs plays where they may mount.
func playInside(t *testing.T, plays ...play) {
	t.Helper()
	b, err := json.Marshal(plays)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(t.TempDir(), "plays")
	if err := os.WriteFile(in, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "LAYER_PLAYS="+in)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	said := strings.TrimSpace(string(out))
	refused := slices.ContainsFunc([]error{unix.EPERM, unix.EACCES, unix.ENODEV}, func(e error) bool { return strings.HasSuffix(said, e.Error()) })
	if said == "" || strings.HasPrefix(said, "mount:") && refused { // no namespace was given, or no mount; all else is a fault
		t.Logf("%v %s", err, out)
		testenv.Lacks(t, testenv.Overlay)
	}
	t.Fatalf("%v\n%s", err, out)
}

// makers runs a test with each maker.
func makers(t *testing.T, test func(t *testing.T, by By)) {
	for _, by := range []By{Overlay, Copy} {
		t.Run(string(by), func(t *testing.T) { test(t, by) })
	}
}

// ground is a deed below a layer.
type ground struct {
	*testing.T
	deed string
	by   By
}

// newGround has the deed that a script makes.
func newGround(t *testing.T, by By, script string) *ground {
	t.Helper()
	g := &ground{t, filepath.Join(t.TempDir(), "deed"), by}
	if err := os.Mkdir(g.deed, 0o755); err != nil {
		t.Fatal(err)
	}
	g.sh(script)
	return g
}

// sh runs a script of another writer in the deed.
func (g *ground) sh(script string) {
	g.Helper()
	cmd := exec.Command("sh", "-ec", "umask 022\n"+script)
	cmd.Dir = g.deed
	if out, err := cmd.CombinedOutput(); err != nil {
		g.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// begin makes a layer, later than all that was written before.
func (g *ground) begin() *Layer {
	g.Helper()
	l, err := Make(filepath.Join(g.TempDir(), "layer"), g.deed, g.by)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() {
		if err := l.Drop(); err != nil {
			g.Error(err)
		}
	})
	time.Sleep(10 * time.Millisecond) // for kernels whose stamps are that coarse
	l.Begin()
	return l
}

// run begins a layer and runs a script in it.
func (g *ground) run(script string) *Layer {
	g.Helper()
	l := g.begin()
	playInside(g.T, play{Layer: l, Deed: []byte(g.deed), Script: script})
	return l
}

// fill makes small files in folders.
func fill(t testing.TB, top string, folders, files int) {
	t.Helper()
	for i := range folders {
		dir := filepath.Join(top, fmt.Sprint("d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for j := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("f", j)), []byte("some bytes"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
