package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vibey/dialog"
)

// A lock that a program which is not ours has taken, in whose file a killed one of ours left
// its name.
func TestHolderIsAnotherProgram(t *testing.T) {
	root := t.TempDir()
	store, err := Open(root, Options{As: "vibey run"})
	if err == nil {
		err = store.Create("p", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p, _ := store.Project("p")
	f, err := p.NewDialog("x", time.Now(), dialog.Header{Provider: "p", Model: "m", Status: dialog.Waiting}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := f.ID()
	f.Close()
	name := filepath.Join(root, ".locks", "p+"+id)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("vibey run"), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("flock", name, "sh", "-c", "echo held; read x")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.OpenDialog(id); !errors.Is(err, ErrBusy) || HolderOf(err) != "another program" {
		t.Errorf("%v", err)
	}
}
