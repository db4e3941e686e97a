package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vibey/dialog"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/layer"
)

// The layers of a tried command whose effect waits lie in a folder of the state dir, where
// they survive this program, as far as Hold does not hold their bytes. That of its deed is
// DeedLayer, that of its HOME HomeLayer.
const (
	DeedLayer = "deed"
	HomeLayer = "home"
)

// triedName is their folder.
const triedName = "tried"

// heldLayer is what stands beside a layer.
type heldLayer struct {
	Root    []byte      `json:"root"`
	Project string      `json:"project"`
	Call    Call        `json:"call"`
	Layer   layer.Layer `json:"layer"` // Dir is where it was made
}

// triedLayer is where a layer of a call lies.
func (p *Project) triedLayer(call Call, of string) string {
	return filepath.Join(p.store.o.State, triedName, p.prefix(call.Dialog)+call.ID+"."+of)
}

// HoldLayer keeps a layer of a tried command until LetGo. The layer is moved.
func (p *Project) HoldLayer(l *layer.Layer, call Call, of string) (err error) {
	defer wrap(&err, "hold what call %s of %s wrote", call.ID, call.Dialog)
	dir, err := p.noteLayer(l, call, of)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err = os.Rename(l.Dir, p.triedLayer(call, of)); err == nil {
		err = disk.Sync(dir)
	}
	return err
}

// noteLayer writes what stands beside a layer, and opens the folder of both.
func (p *Project) noteLayer(l *layer.Layer, call Call, of string) (dir *os.Root, err error) {
	if p.store.o.State == "" {
		return nil, errors.New("there is no state dir")
	}
	at := p.triedLayer(call, of)
	b, err := json.Marshal(heldLayer{[]byte(p.store.path), p.name, call, *l})
	if err == nil {
		err = disk.MakeIn(filepath.Dir(at))
	}
	if err != nil {
		return nil, err
	}
	if dir, err = os.OpenRoot(filepath.Dir(at)); err != nil {
		return nil, err
	}
	if _, err = disk.Change(dir, filepath.Base(at)+".json", 0o600, func(*os.File) ([]byte, error) { return b, nil }); err != nil {
		dir.Close()
	}
	return dir, err
}

// HeldLayer returns a layer that HoldLayer holds. The error is fs.ErrNotExist for none, as on
// another machine.
func (p *Project) HeldLayer(call Call, of string) (*layer.Layer, error) {
	at := p.triedLayer(call, of)
	b, err := os.ReadFile(at + ".json")
	if err != nil {
		return nil, fmt.Errorf("what call %s of %s wrote: %w", call.ID, call.Dialog, disk.Cause(err))
	}
	var h heldLayer
	if err := json.Unmarshal(b, &h); err != nil {
		return nil, err
	}
	h.Layer.Dir = at
	_, err = os.Lstat(at)
	return &h.Layer, disk.Cause(err)
}

// HeldBytes returns what the layer of a tried command that waits has at a path, "deed/a": the
// bytes of a file, of one over most bytes the first most+1, or the target of a link.
func (p *Project) HeldBytes(call Call, path string, most int) ([]byte, error) {
	l, err := p.HeldLayer(call, DeedLayer)
	if err != nil {
		return nil, err
	}
	up, err := tree.OpenDir(l.Up())
	if err != nil {
		return nil, disk.Cause(err)
	}
	defer up.Close()
	name := strings.TrimPrefix(path, deedPrefix)
	if st, err := up.Stat(name); err == nil && st.Kind() == tree.LinkKind {
		return []byte(up.Readlink(name)), nil
	}
	f, err := up.Read(name)
	if err != nil {
		return nil, disk.Cause(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(most)+1))
}

// dropLayers removes what HoldLayer holds of a call.
func (p *Project) dropLayers(call Call) (err error) {
	if p.store.o.State == "" {
		return nil
	}
	for _, of := range []string{DeedLayer, HomeLayer} {
		at := p.triedLayer(call, of)
		err = errors.Join(err, (&layer.Layer{Dir: at}).Drop())
		os.Remove(at + ".json")
		os.Remove(filepath.Join(filepath.Dir(at), disk.TempName(filepath.Base(at)+".json")))
	}
	return err
}

// sweepTried lets go of what is held of calls that are over: a kill came before that.
func (s *Store) sweepTried() {
	names, _ := fs.Glob(os.DirFS(s.path), "*/"+keptName+"/*"+heldSuffix)
	for _, name := range names {
		if p, err := s.Project(strings.Split(name, "/")[0]); err == nil {
			p.sweepCall(heldCall(path.Base(name)))
		}
	}
	dir := filepath.Join(s.o.State, triedName)
	names, _ = fs.Glob(os.DirFS(dir), "*.json")
	for _, name := range names {
		var h heldLayer
		name = filepath.Join(dir, name)
		if b, err := os.ReadFile(name); err != nil || json.Unmarshal(b, &h) != nil || string(h.Root) != s.path {
			continue
		}
		if p, err := s.Project(h.Project); err == nil {
			p.sweepCall(h.Call)
		} else if errors.Is(err, fs.ErrNotExist) {
			(&layer.Layer{Dir: strings.TrimSuffix(name, ".json")}).Drop()
			os.Remove(name)
		}
	}
}

func (p *Project) sweepCall(call Call) {
	if gone, answered := p.over(call); gone || answered {
		p.LetGo(call)
	}
}

// over reports whether nothing will be made any more of what a call wrote: its dialog is gone,
// or has its result.
func (p *Project) over(call Call) (gone, answered bool) {
	file, err := p.ReadDialog(call.Dialog)
	return errors.Is(err, fs.ErrNotExist), err == nil && dialog.Parse(file.Text).Find(dialog.ToolResult, call.ID) >= 0
}
