package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// foldings are disks that fold names, each with the commands that make one in the file $1
// and mount it on the folder $2.
var foldings = []struct{ name, make string }{
	// The loop device goes with the disk.
	{"exfat", `mkfs.exfat "$1" && at=$(losetup --find --show "$1") && mount.exfat-fuse "$at" "$2"; done=$?; losetup -d "$at"; exit $done`},
	// It lists small letters, whatever it was given.
	{"ntfs", `mkntfs -F -Q "$1" && lowntfs-3g -o ignore_case "$1" "$2"`},
}

// OnFolding runs a test once on each kind of disk that folds names, as those of macOS and
// Windows do: its temporary folders lie there. A kind that this machine can't mount is left
// out, as by Lacks.
func OnFolding(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	for _, f := range foldings {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			file, at := filepath.Join(dir, "disk"), filepath.Join(dir, "at")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(file, 64<<20); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(at, 0o700); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("sh", "-c", f.make, "sh", file, at).CombinedOutput(); err != nil {
				t.Logf("%v\n%s", err, out)
				Lacks(t, Folding)
			}
			t.Cleanup(func() {
				if out, err := exec.Command("umount", "-l", at).CombinedOutput(); err != nil { // a folder may be held open until it is collected
					t.Errorf("umount: %v\n%s", err, out)
				}
			})
			t.Setenv("TMPDIR", at)
			t.Run("on it", test) // its own temporary folders are removed before the disk goes
		})
	}
}
