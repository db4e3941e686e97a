package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// Under another umask, with a PATH that has a folder that can't be read, with settings
// of git's in the environment, the tests have what they count on, and Go its caches.
func TestSet(t *testing.T) {
	goenv := func() string {
		out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	cache := goenv()
	for _, name := range []string{"HOME", "PATH", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"} {
		t.Setenv(name, os.Getenv(name)) // so that it is restored
	}
	shut := t.TempDir()
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	os.Setenv("PATH", shut+"::bin:"+path)
	os.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	os.Setenv("XDG_CONFIG_HOME", shut)
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	restore, err := Set()
	if err != nil {
		t.Fatal(err)
	}
	if got := os.Getenv("PATH"); os.Getuid() != 0 && got != path || !strings.HasSuffix(got, path) || strings.Contains(got, "::") || strings.Contains(got, ":bin:") {
		t.Errorf("PATH is %s", got)
	}
	if now := syscall.Umask(0o022); now != 0o022 {
		t.Errorf("umask %o", now)
	}
	if who, err := exec.Command("git", "config", "user.name").Output(); err != nil || string(who) != "Test Human\n" {
		t.Errorf("git's human is %q, %v", who, err)
	}
	if now := goenv(); now != cache {
		t.Errorf("Go's caches moved:\n%sto\n%s", cache, now)
	}
	home := os.Getenv("HOME")
	if restore(); home == "" {
		t.Error("no HOME")
	} else if _, err := os.Stat(filepath.Join(home, ".gitconfig")); err == nil {
		t.Errorf("%s is left", home)
	}
}

// What Lacks and Long say is read back, and other words are neither.
func TestReason(t *testing.T) {
	for said, want := range map[string]Need{
		"a_test.go:7: " + lacks + string(Bubblewrap) + "\n--- SKIP": Bubblewrap,
		"a_test.go:7: " + long + "\n":                               "",
		"no chromium here\n":                                        "",
	} {
		if n, isLong := Reason(said); n != want || isLong != strings.Contains(said, long) {
			t.Errorf("%q: %q, %v", said, n, isLong)
		}
	}
}
