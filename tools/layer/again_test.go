package layer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Only a layer of which nothing is left for the next command serves again, and not unread.
func TestClear(t *testing.T) {
	for name, c := range map[string]struct {
		by    By
		leave func(up string) error
		want  bool
	}{
		"nothing":           {Overlay, func(string) error { return nil }, true},
		"the kernel's uuid": {Overlay, func(up string) error { return unix.Lsetxattr(up, "user.overlay.uuid", []byte("0123456789abcdef"), 0) }, true},
		"a file":            {Overlay, func(up string) error { return os.WriteFile(filepath.Join(up, "new"), nil, 0o644) }, false},
		"an attribute":      {Overlay, func(up string) error { return unix.Lsetxattr(up, "user.mine", []byte("x"), 0) }, false},
		"many attributes": {Overlay, func(up string) (err error) {
			for i := 0; i < 40 && err == nil; i++ { // their names are longer than what is asked for first
				err = unix.Lsetxattr(up, fmt.Sprintf("user.a-rather-long-name-%d", i), []byte("x"), 0)
			}
			return err
		}, false},
		"an impure folder":   {Overlay, func(up string) error { return unix.Lsetxattr(up, "user.overlay.impure", []byte("y"), 0) }, false},
		"nothing, in a copy": {Copy, func(string) error { return nil }, false},
	} {
		l, err := Make(filepath.Join(t.TempDir(), "layer"), t.TempDir(), c.by)
		if err != nil {
			t.Fatal(err)
		}
		l.Begin()
		if l.Clear() {
			t.Errorf("%s: cleared unread", name)
		}
		if _, err := l.Read(context.Background(), Options{}); err != nil {
			t.Fatal(err)
		}
		if err := c.leave(l.Up()); err != nil {
			t.Fatal(err)
		}
		if got := l.Clear(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if next, err := l.Again(); c.want && (err != nil || !next.Began.IsZero() || next.Clear()) {
			t.Errorf("%s: again: %v", name, err)
		}
	}
}
