package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// aFile is a file or folder as lstat tells of it.
type aFile struct {
	uid  uint32
	mode fs.FileMode
}

func (f aFile) Name() string       { return "" }
func (f aFile) Size() int64        { return 0 }
func (f aFile) Mode() fs.FileMode  { return f.mode }
func (f aFile) ModTime() time.Time { return time.Time{} }
func (f aFile) IsDir() bool        { return f.mode.IsDir() }
func (f aFile) Sys() any           { return &syscall.Stat_t{Uid: f.uid} }

const (
	us     = 1000
	theirs = 65534
	sticky = fs.ModeSticky
)

func TestWhoseFolderLeadsThere(t *testing.T) {
	for _, c := range []struct {
		what string
		at   aFile
		why  string
	}{
		{"ours", aFile{us, fs.ModeDir | 0o755}, ""},
		{"root's", aFile{0, fs.ModeDir | 0o755}, ""},
		{"/tmp", aFile{0, fs.ModeDir | sticky | 0o777}, ""},
		{"root's without the bit", aFile{0, fs.ModeDir | 0o777}, "chmod go-w"},
		{"of a group", aFile{us, fs.ModeDir | 0o775}, "chmod go-w"},
		{"sticky and ours", aFile{us, fs.ModeDir | sticky | 0o777}, "chmod go-w"},
		{"another's", aFile{theirs, fs.ModeDir | 0o700}, "another user (uid 65534)"},
		{"another's that is sticky", aFile{theirs, fs.ModeDir | sticky | 0o777}, "another user"},
		{"our link", aFile{us, fs.ModeSymlink | 0o777}, ""},
		{"another's link", aFile{theirs, fs.ModeSymlink | 0o777}, "another user"},
	} {
		err := checkAbove("/x y", c.at, us)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.what, err, c.why)
		}
	}
}

func TestPrivate(t *testing.T) {
	closes := func(f *aFile, mode fs.FileMode) error { f.mode = f.mode.Type() | mode; return nil }
	ignores := func(*aFile, fs.FileMode) error { return nil }
	refuses := func(*aFile, fs.FileMode) error { return &fs.PathError{Op: "chmod", Err: syscall.EPERM} }
	half := func(f *aFile, _ fs.FileMode) error { f.mode = 0o604; return nil }
	for _, c := range []struct {
		what  string
		file  aFile
		chmod func(*aFile, fs.FileMode) error
		stood fs.FileMode
		why   string
	}{
		{"closed", aFile{us, 0o600}, refuses, 0, ""},
		{"a program of ours", aFile{us, 0o700}, refuses, 0, ""},
		{"open", aFile{us, 0o666}, closes, 0o066, ""},
		{"an open folder", aFile{us, fs.ModeDir | 0o755}, closes, 0o055, ""},
		{"a disk without permissions", aFile{us, 0o777}, ignores, 0, "its disk keeps no permissions"},
		{"a disk that refuses", aFile{us, 0o777}, refuses, 0, "operation not permitted"},
		{"a disk that keeps half", aFile{us, 0o666}, half, 0, "can't be closed"},
		{"another's", aFile{theirs, 0o600}, closes, 0, "another user (uid 65534)"},
		{"root's", aFile{0, 0o600}, closes, 0, "another user (uid 0)"},
		{"another's and open", aFile{theirs, 0o666}, closes, 0, "another user"},
		{"a link", aFile{us, fs.ModeSymlink | 0o777}, closes, 0, "is a link"},
		{"a pipe", aFile{us, fs.ModeNamedPipe | 0o600}, closes, 0, "is a device, pipe or socket"},
	} {
		f := c.file
		stood, err := private("/s/x", us, func() (fs.FileInfo, error) { return f, nil }, func(m fs.FileMode) error { return c.chmod(&f, m) })
		if stood != c.stood || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %o, %v, want %o, %q", c.what, stood, err, c.stood, c.why)
		}
		if err == nil && f.mode&othersAll != 0 {
			t.Errorf("%s: left with %o", c.what, f.mode)
		}
	}
}

// stateOf makes a state dir with a file under each of these names.
func stateOf(t *testing.T, names ...string) *state {
	t.Helper()
	s := newState(t)
	for _, name := range names {
		if err := errors.Join(os.MkdirAll(filepath.Dir(s.path(name)), 0o700), os.WriteFile(s.path(name), []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// inState are names of what a state dir holds, or will in a later version.
var inState = []string{
	"key", "token", keysFile, "agents", mcpFile, "providers", "rules", "devices", addressFile,
	"codes/0a", standing + "/x", "commands/x", homes + "/game", disk0,
}

const disk0 = ".vibey-0.tmp"

func TestNoOtherUserIsBelieved(t *testing.T) {
	s := stateOf(t, inState...)
	if _, err := lookStateAs(os.Geteuid()+1, s.dir, "", nil); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("another's state dir: %v", err)
	}
	if os.Geteuid() != 0 {
		return // to give a file away takes root; TestPrivate has the rule
	}
	for _, name := range append(inState, "codes", homes, ".") {
		if err := os.Lchown(s.path(name), theirs, -1); err != nil {
			t.Fatal(err)
		}
		_, err := lookState(s.dir, "", nil)
		if err == nil || !strings.Contains(err.Error(), s.path(name)+" belongs to another user (uid 65534)") {
			t.Errorf("another's %s: %v", name, err)
		}
		if f, err := s.open(name); err == nil { // put there behind the start
			f.Close()
			t.Errorf("another's %s is opened", name)
		}
		if err := os.Lchown(s.path(name), 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := lookState(s.dir, "", nil); err != nil {
		t.Error(err)
	}
}

func TestNoLinkIsFollowed(t *testing.T) {
	for _, name := range inState {
		s := stateOf(t, inState...)
		elsewhere := filepath.Join(t.TempDir(), "x")
		if err := errors.Join(os.WriteFile(elsewhere, bytes.Repeat([]byte("k"), keySize), 0o600), os.Remove(s.path(name)), os.Symlink(elsewhere, s.path(name))); err != nil {
			t.Fatal(err)
		}
		if _, err := lookState(s.dir, "", nil); err == nil || !strings.Contains(err.Error(), s.path(name)+" is a link") {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := s.read(name); err == nil {
			t.Errorf("%s: read as %q", name, b)
		}
	}
}

// A code that another user put into the folder lets nobody in.
func TestCodeOfAnother(t *testing.T) {
	s := newState(t)
	code, err := s.newCode(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s.user++
	if s.redeem(code, time.Now()) {
		t.Error("it worked")
	}
	s.user--
	if !s.redeem(code, time.Now()) {
		t.Error("ours did not")
	}
}

// What is ours is closed, and of keys it is told what they let others do.
func TestOpenStateIsClosed(t *testing.T) {
	s := stateOf(t, append(inState, homes+"/book/deep/file", homes+"/game2/file")...)
	for name, mode := range map[string]fs.FileMode{
		".": 0o755, "key": 0o666, "token": 0o640, keysFile: 0o604, "agents": 0o666, "codes": 0o777, "codes/0a": 0o644,
		homes: 0o750, homes + "/book": 0o777, homes + "/book/deep": 0o777, homes + "/book/deep/file": 0o644, homes + "/game2/file": 0o644,
	} {
		if err := os.Chmod(s.path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	if _, err := lookState(s.dir, "", func(text string) { told = append(told, strings.ReplaceAll(text, s.dir, "STATE")) }); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"read and change STATE/key until now", "read STATE/keys.json until now", "read STATE/token until now"} {
		if len(told) != 3 || !strings.Contains(told[i], want) {
			t.Fatalf("told %q, want %q", told, want)
		}
	}
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if open := info.Mode()&othersAll != 0; open != strings.HasSuffix(path, "game2/file") { // whose folders others could not enter
			t.Errorf("%s has %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := lookState(s.dir, "", func(text string) { t.Error("told again:", text) }); err != nil {
		t.Error(err)
	}
}

// What leads to the state dir is looked at from the home on, or from the root of the disk.
func TestWhatLeadsToTheState(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"open/home/.local", "open/safe", "safe", "mine"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(at("open"), 0o777), os.Symlink(at("safe"), at("open/link")), os.Symlink(at("open/home"), at("mine/home")), os.Symlink(at("safe"), at("mine/safe"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		state, home string
		taken       bool
	}{
		{"safe/state", "", true},
		{"safe/a/b/state", "", true},
		{"mine/safe/state", "", true}, // by our own link
		{"open/state", "", false},
		{"open/safe/state", "", false},
		{"open/home/.local/state", "", false},
		{"open/home/.local/state", "open/home", true}, // what is above a home is the system's
		{"open/home/.local/state", "mine/home", true}, // a home may be a link
		{"mine/home/.local/state", "mine/home", true},
		{"open/home/.local/state", "open", false},
		{"open/link/state", "", false},
		{"open/link/state", "safe", false}, // others decide where the link leads
		{"safe/state", "open/home", true},
	} {
		t.Setenv("HOME", at("none"))
		if c.home != "" {
			t.Setenv("HOME", at(c.home))
		}
		s, err := openState(at(c.state), "", nil)
		if (err == nil) != c.taken || err != nil && !strings.Contains(err.Error(), "other users may write in "+at("open")) {
			t.Errorf("%s with the home %s: %v", c.state, c.home, err)
		}
		if _, err := os.Lstat(at(c.state)); (err == nil) != c.taken {
			t.Errorf("%s: made or not made: %v", c.state, err)
		}
		if s != nil {
			os.RemoveAll(s.dir)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	for _, gives := range []string{"safe", "mine/safe", "mine"} {
		if err := os.Lchown(at(gives), theirs, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := openState(at("mine/safe/state"), "", nil); err == nil || !strings.Contains(err.Error(), at(gives)+" belongs to another user") {
			t.Errorf("another's %s: %v", gives, err)
		}
		if err := os.Lchown(at(gives), 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// Without a home nothing is put where other users can write.
func TestNoHomeNoDefaultState(t *testing.T) {
	for _, c := range []struct{ home, xdg, want string }{
		{"/home/me", "", "/home/me/.local/state/vibey"},
		{"/home/me", "/x", "/x/vibey"},
		{"", "/x", "/x/vibey"},
		{"/home/me", "x", "/home/me/.local/state/vibey"},
		{"", "", ""},
		{"", "x", ""},
		{"me", "", ""},
	} {
		t.Setenv("HOME", c.home)
		t.Setenv("XDG_STATE_HOME", c.xdg)
		got, err := stateFlag{}.stateDir()
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !(errors.As(err, new(unable)) && strings.Contains(err.Error(), "--state")) {
			t.Errorf("HOME=%s XDG_STATE_HOME=%s: %q, %v", c.home, c.xdg, got, err)
		}
	}
}
