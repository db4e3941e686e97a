package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The other user that the attacks are run as has a home of its own, and is in a
// group that may do what others may not.
const (
	otherUser  = 65534 // nobody: the programs of a system ask for a user's name
	otherGroup = 61235

	reportVariable  = "ATTACK_REPORT"  // where that user's run writes its rows
	machineVariable = "ATTACK_MACHINE" // the words of layOut
)

// machineDirs are where layOut puts a daemon's folder.
var machineDirs = []string{"/srv", "/var/lib", "/var/snap", "/opt", "/usr/local", "/mnt", "/etc"}

// layOut makes, as root, what the daemons of a machine have in such folders: in
// each a socket s with a program that listens and a file data, both for
// everybody, and a socket and a file for the other user's group alone. It returns
// the words for them.
func layOut(t *testing.T) (words []string) {
	for _, parent := range machineDirs {
		if os.Mkdir(parent, 0o755) == nil {
			t.Cleanup(func() { os.Remove(parent) })
		}
		dir := filepath.Join(parent, fmt.Sprintf("vibey-test-%d", os.Getpid()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if parent == "/mnt" && unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=755") == nil { // a disk of its own
			t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
		}
		listen(t, filepath.Join(dir, "s"))
		listen(t, filepath.Join(dir, "group"))
		err := errors.Join(
			os.WriteFile(filepath.Join(dir, "data"), []byte("data\n"), 0o644),
			os.WriteFile(filepath.Join(dir, "group-data"), []byte("data\n"), 0o640),
			os.Chmod(filepath.Join(dir, "group"), 0o660),
			os.Chown(filepath.Join(dir, "group"), 0, otherGroup),
			os.Chown(filepath.Join(dir, "group-data"), 0, otherGroup),
		)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, "{"+parent+"}", dir)
	}
	return words
}

// attackAsUser runs TestAttacks again, as the other user, and returns its rows.
func attackAsUser(t *testing.T, machine []string) (rows []row) {
	home, err := os.MkdirTemp("/home", "vibey-test-") // not in /tmp, which is private to a command
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	test, report := filepath.Join(home, "test"), filepath.Join(home, "report")
	self, err := os.ReadFile("/proc/self/exe")
	syscall.ForkLock.RLock() // a child forked now would hold the program open, and it could not start
	err = errors.Join(err, os.WriteFile(test, self, 0o755), os.Chown(home, otherUser, otherUser))
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(test, "-test.run=^TestAttacks$")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + defaultPath, "CI=" + os.Getenv("CI"), reportVariable + "=" + report, machineVariable + "=" + strings.Join(machine, " ")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser, Groups: []uint32{otherGroup}}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	b, err := os.ReadFile(report)
	if err := errors.Join(err, json.Unmarshal(b, &rows)); err != nil {
		t.Errorf("as another user, no rows: %v", err)
	}
	return rows
}
