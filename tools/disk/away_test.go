package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestPlace(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	do(os.MkdirAll(at("in/real"), 0o755), os.Mkdir(at("other"), 0o755), os.Symlink(at("in/real"), at("link")))
	root, err := os.OpenRoot(at("link"))
	do(err)
	defer root.Close()
	p, err := PlaceOf("the box", root, at("link"))
	do(err)
	stands := func(what string, want bool) {
		t.Helper()
		err := p.Stands()
		if (err == nil) != want || err != nil && !errors.Is(err, ErrAway) {
			t.Errorf("%s: %v", what, err)
		}
	}
	point := func(to string) { t.Helper(); do(os.Remove(at("link")), os.Symlink(at(to), at("link"))) }
	stands("at first", true)
	do(os.Rename(at("in"), at("moved")))
	stands("a folder above was moved", false)
	point("moved/real")
	stands("the link follows it, the real name does not", false)
	do(os.MkdirAll(at("in/real"), 0o755))
	stands("another has its name", false)
	do(os.RemoveAll(at("in")), os.Rename(at("moved"), at("in")))
	point("in/real")
	stands("all is back", true)
	point("other")
	stands("the link leads elsewhere", false)
	point("in/real")
	do(os.Remove(at("in/real")))
	stands("it was removed", false)
}
