package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestMount(t *testing.T) {
	const table = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:33 / /mnt/my\040disk rw - exfat /dev/sdb1 rw
41 22 0:34 / /mnt rw master:2 - tmpfs tmpfs rw
42 41 0:35 / /mnt/x rw - nfs4 host:/export rw,vers=4
43 41 0:36 / /mnt/x rw - fuse.sshfs you@host:/ rw
odd
`
	for path, want := range map[string]string{
		"/":              "ext4, /dev/sda1 at /",
		"/home/x":        "ext4, /dev/sda1 at /",
		"/mnt/my disk/a": "exfat, /dev/sdb1 at /mnt/my disk",
		"/mnt/x":         "fuse.sshfs, you@host:/ at /mnt/x",
		"/mnt/xy":        "tmpfs, tmpfs at /mnt",
	} {
		if got := mountIn(table, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if Mount("/") == "" {
		t.Error("the system does not tell what / is")
	}
}

// What a model is told of an error names no path of the machine.
func TestWords(t *testing.T) {
	path := &fs.PathError{Op: "open", Path: "/home/x/.state", Err: syscall.EIO}
	link := &os.LinkError{Op: "link", Old: "/home/x/a", New: "/home/x/b", Err: syscall.EPERM}
	err := fmt.Errorf("it was not begun: %w", errors.Join(fmt.Errorf("no file: %w", path), link))
	if got := Words(err); strings.Contains(got, "/home") || got != "it was not begun: no file: input/output error\noperation not permitted" {
		t.Errorf("%q", got)
	}
}
