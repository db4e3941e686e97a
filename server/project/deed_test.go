package project

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

// yard is a machine in small: a store with the projects game and other, a state
// dir, and folders around them.
type yard struct {
	t   *testing.T
	top string
	s   *Store
	p   *Project
}

func newYard(t *testing.T) yard {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, d := range []string{"home/keys/state/home/game", "code/app", "data"} {
		must(t, os.MkdirAll(filepath.Join(top, d), 0o755))
	}
	must(t, os.Symlink(filepath.Join(top, "home/keys"), filepath.Join(top, "keys")))
	s, err := Open(filepath.Join(top, "data/vibey"), Options{State: filepath.Join(top, "keys/state")})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	must(t, s.Create("game", ""))
	must(t, s.Create("other", ""))
	must(t, os.MkdirAll(filepath.Join(s.path, "other/deed/src"), 0o755))
	must(t, os.MkdirAll(filepath.Join(s.path, "game/build"), 0o755))
	p, err := s.Project("game")
	must(t, err)
	return yard{t, top, s, p}
}

// link makes the deed of game a link to a path, relative to its folder or absolute.
func (y yard) link(to string) {
	y.t.Helper()
	must(y.t, os.RemoveAll(y.p.path(deedName)))
	must(y.t, os.Symlink(to, y.p.path(deedName)))
}

// A deed is neither the state dir, the projects' folder nor a project, holds
// none of them, and lies in none of them but where it is the project's own.
func TestDeedStandsApart(t *testing.T) {
	y := newYard(t)
	if dir, err := y.p.DeedDir(); err != nil || dir != y.p.path(deedName) {
		t.Fatalf("a plain deed: %s, %v", dir, err)
	}
	must(t, os.Symlink(filepath.Join(y.top, "home"), filepath.Join(y.top, "code/way")))
	for to, why := range map[string]string{
		"home/keys/state":           "keeps its keys",
		"keys/state":                "keeps its keys", // through a link above it
		"code/way/keys/state/home":  "keeps its keys",
		"keys/state/home/game":      "keeps its keys",
		"home/keys":                 "keeps its keys",
		"home":                      "keeps its keys",
		"data/vibey":                "projects' own folder",
		"data":                      "projects' own folder",
		"":                          "holds",
		"data/vibey/other":          "project other",
		"data/vibey/other/deed":     "deed of the project other",
		"data/vibey/other/deed/src": "deed of the project other",
		"data/vibey/game":           "project game",
		"data/vibey/game/build":     "project game",
	} {
		y.link(filepath.Join(y.top, to))
		for what, err := range map[string]error{"DeedDir": second(y.p.DeedDir()), "Create": y.s.Create("new", filepath.Join(y.top, to))} {
			kind := ErrLeads
			if what == "Create" {
				kind = ErrDeed
			}
			if !errors.Is(err, kind) || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "Link deed to") {
				t.Errorf("%s of %q: %v", what, to, err)
				continue
			}
			if strings.Contains(err.Error(), y.top) {
				t.Errorf("%s of %q names a path of the machine: %v", what, to, err)
			}
		}
	}
	for _, to := range []string{".", "..", "../other", "build", "/"} {
		y.link(to)
		if dir, err := y.p.DeedDir(); !errors.Is(err, ErrLeads) {
			t.Errorf("deed -> %s: %s, %v", to, dir, err)
		}
	}
	for to, want := range map[string]string{"code/app": "code/app", "code": "code", "code/app/.": "code/app"} {
		y.link(filepath.Join(y.top, to))
		if dir, err := y.p.DeedDir(); err != nil || dir != filepath.Join(y.top, want) {
			t.Errorf("deed -> %s: %s, %v", to, dir, err)
		}
	}
	for _, to := range []string{filepath.Join(y.top, "gone"), "deed"} {
		y.link(to)
		if _, err := y.p.DeedDir(); err == nil || errors.Is(err, ErrLeads) || strings.Contains(err.Error(), y.top) {
			t.Errorf("deed -> %s: %v", to, err)
		}
	}
}

func second(_ string, err error) error { return err }

// A deed that is reached through another project's is refused, also after that
// project's agent has put a link on the way; and so is one through which another's is
// reached. Two projects may share a folder.
func TestDeedThroughAnotherDeed(t *testing.T) {
	y := newYard(t)
	app := filepath.Join(y.top, "code/app")
	must(t, os.MkdirAll(filepath.Join(app, "docs"), 0o755))
	must(t, y.s.Create("outer", app))
	refused := func(when string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "the project outer") && !strings.Contains(err.Error(), "the project game") || strings.Contains(err.Error(), y.top) {
			t.Errorf("%s: %v", when, err)
		}
	}
	for _, to := range []string{app + "/docs", app + "/docs/../docs", app + "/docs/../../app"} {
		y.link(to)
		refused(to, second(y.p.DeedDir()))
		refused(to, y.s.Create("new", to))
	}
	y.link(app + "/docs")
	must(t, os.Rename(app+"/docs", app+"/old"))
	must(t, os.Mkdir(filepath.Join(y.top, "private"), 0o755))
	must(t, os.Symlink(filepath.Join(y.top, "private"), app+"/docs"))
	refused("a link on the way", second(y.p.DeedDir()))

	y.link(app)
	if _, err := y.p.DeedDir(); err != nil {
		t.Errorf("the same folder: %v", err)
	}
	y.link(filepath.Join(y.top, "private"))
	must(t, os.MkdirAll(filepath.Join(y.top, "code/lib/sub"), 0o755))
	y.link(filepath.Join(y.top, "code/lib/sub"))
	refused("a folder that holds another's", y.s.Create("new", y.top+"/code/lib"))
}

// One folder under two paths is one folder.
func TestDeedUnderAnotherName(t *testing.T) {
	y := newYard(t)
	mnt, tried := filepath.Join(y.top, "mnt"), false
	must(t, os.Mkdir(mnt, 0o755))
	bind := func(from, to string) func() {
		if err := unix.Mount(from, to, "", unix.MS_BIND, ""); err != nil {
			if tried {
				t.Fatal(err)
			}
			testenv.Lacks(t, testenv.Root)
		}
		tried = true
		return func() { must(t, unix.Unmount(to, unix.MNT_DETACH)) }
	}
	y.link(mnt)
	for _, from := range []string{"home/keys/state", "home", "data/vibey", "data", "data/vibey/other", "data/vibey/other/deed", "data/vibey/game"} {
		undo := bind(filepath.Join(y.top, from), mnt)
		dir, err := y.p.DeedDir()
		undo()
		if !errors.Is(err, ErrLeads) {
			t.Errorf("deed -> mount of %s: %s, %v", from, dir, err)
		}
	}
	must(t, os.Remove(y.p.path(deedName)))
	must(t, os.Mkdir(y.p.path(deedName), 0o755))
	for _, from := range []string{"home/keys/state", "home", "data", "data/vibey/other", "data/vibey/other/deed"} {
		undo := bind(filepath.Join(y.top, from), y.p.path(deedName))
		dir, err := y.p.DeedDir()
		undo()
		if !errors.Is(err, ErrLeads) {
			t.Errorf("%s mounted over deed: %s, %v", from, dir, err)
		}
	}
	if _, err := y.p.DeedDir(); err != nil {
		t.Error(err)
	}
}

// A snapshot takes nothing from where a deed must not lead, and says so rather
// than leaving it out; what was written by hand can be saved all the same.
func TestSnapshotOfADeedThatLeadsAway(t *testing.T) {
	y := newYard(t)
	y.link(filepath.Join(y.top, "home/keys/state"))
	var b bytes.Buffer
	if _, err := y.p.Snapshot(&b, ScopeAll); !errors.Is(err, ErrLeads) || b.Len() != 0 {
		t.Errorf("%v after %d bytes", err, b.Len())
	}
	must(t, os.Remove(y.p.path("build")))
	for _, scope := range []Scope{ScopeDocs, ScopeDialogs} {
		b.Reset()
		whole(t)(y.p.Snapshot(&b, scope))
	}
	must(t, os.Remove(y.p.path(deedName))) // gone is not elsewhere: the text can be saved
	b.Reset()
	whole(t)(y.p.Snapshot(&b, ScopeAll))
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	if len(z.File) != 1 {
		t.Errorf("%d entries", len(z.File))
	}
	if _, err := y.p.DeedDir(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A deed whose folder is missing, such as one on a disk that is not mounted, is
// reported as left out, and not dropped from the snapshot without a word.
func TestSnapshotWithoutTheDeedsFolder(t *testing.T) {
	p := testProject(t)
	elsewhere := t.TempDir()
	must(t, os.Remove(p.path(deedName)))
	must(t, os.Symlink(filepath.Join(elsewhere, "gone"), p.path(deedName)))
	var b bytes.Buffer
	leftOut, err := p.Snapshot(&b, ScopeAll)
	must(t, err)
	if len(leftOut) != 1 || leftOut[0].File != deedName || strings.Contains(leftOut[0].Why, elsewhere) {
		t.Errorf("left out: %q", leftOut)
	}
	whole(t)(p.Snapshot(&b, ScopeDialogs))
}

// What the system shows of itself is no deed: the environment of other programs stands
// there.
func TestDeedIsNotTheKernels(t *testing.T) {
	y := newYard(t)
	for _, to := range []string{"/proc", "/proc/self", "/sys"} {
		y.link(to)
		if _, err := y.p.DeedDir(); !errors.Is(err, ErrLeads) {
			t.Errorf("%s: %v", to, err)
		}
	}
}
