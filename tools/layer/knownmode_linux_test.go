package layer

import (
	"os"
	"path/filepath"
	"testing"

	"vibey/dialog"
)

// Permissions that a human gave a file while a command wrote it are not lost for that its bytes
// are known: it is a conflict.
func TestKnownButChmod(t *testing.T) {
	for _, by := range []By{Copy, Overlay} {
		dir := t.TempDir()
		deed := filepath.Join(dir, "deed")
		at := filepath.Join(deed, "f")
		if err := os.Mkdir(deed, 0o755); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(at, []byte("a"), 0o644)
		l, err := Make(filepath.Join(dir, "layer"), deed, by)
		if err != nil {
			t.Fatal(err)
		}
		l.Begin()
		os.WriteFile(filepath.Join(l.Up(), "f"), []byte("b"), 0o644) // the command
		os.Chmod(at, 0o755)                                          // a human
		r := read(t, l, Options{Known: func(string) (string, bool) { return dialog.SHA256("a"), true }})
		if len(r.Changes) != 1 || !r.Changes[0].Conflict {
			t.Errorf("%s: %+v", by, r.Changes)
		}
	}
}
