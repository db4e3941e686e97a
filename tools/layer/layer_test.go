package layer

import (
	"os"
	"path/filepath"
	"testing"

	"vibey/tools/disk/tree"
)

// What was written before a layer began is earlier, and what is written then is not.
func TestBegin(t *testing.T) {
	deed := t.TempDir()
	l, err := Make(filepath.Join(t.TempDir(), "layer"), deed, Overlay)
	if err != nil {
		t.Fatal(err)
	}
	f := filepath.Join(deed, "f")
	write := func() int64 {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		stamp, err := tree.StampOf(f)
		if err != nil {
			t.Fatal(err)
		}
		return stamp.Ctime
	}
	for range 100 {
		before := write()
		l.Begin()
		if began := l.Began.UnixNano(); before >= began || write() < began {
			t.Fatalf("written %d ns after it began, and before that", before-began)
		}
	}
}
