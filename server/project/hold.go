package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/server/project/folder"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/layer"
)

// The new bytes of an effect that waits for a human lie in .kept, beside a file <dialog>.<call>.held
// that says which they are: as long as it is there they are not removed for newer ones, and
// they move with the project's folder.

const (
	heldSuffix = ".held"
	// What of one effect is held at most.
	heldFiles = 200
	heldBytes = 4 << 20
	// heldMost is how many bytes are held of all effects of a project: what calls replace finds
	// room beside them.
	heldMost = keptMost / 2
	// heldTextMost is how many bytes a .held file in a snapshot has at most.
	heldTextMost = 64 << 20
)

// heldEffect is what a .held file says.
type heldEffect struct {
	Hashes []string            `json:"hashes"`
	Bytes  int64               `json:"bytes"`
	Files  map[string]heldFile `json:"files,omitempty"` // by name in the deed
	Times  []layer.Time        `json:"times,omitempty"`
}

// heldFile is what an effect does not say of a file.
type heldFile struct {
	Mode fs.FileMode `json:"mode,omitempty"` // before
	New  int64       `json:"new,omitempty"`  // time of change, nanoseconds since 1970
}

func heldName(c Call) string { return c.Dialog + "." + c.ID + heldSuffix }

// isHeld reports whether a name can be that of a call of a dialog.
func isHeld(name string) bool {
	return strings.HasSuffix(name, heldSuffix) && !strings.Contains(name, "/") && dialog.ValidID(heldCall(name).Dialog)
}

// heldCall is of which call a file with such a name is.
func heldCall(name string) Call {
	id, call, _ := strings.Cut(strings.TrimSuffix(name, heldSuffix), ".") // the ids of dialogs have no dot
	return Call{Dialog: id, ID: call}
}

// Hold puts what a command wrote into .kept, where it stays until LetGo. It returns false,
// and has written nothing, for what is too much: over 200 files or 4 MiB, or a name that is
// not UTF-8, or what the command let nobody read. Such an effect can only be applied from its layer. Every change must have its
// hashes.
func (p *Project) Hold(l *layer.Layer, r *layer.Reading, call Call) (held bool, err error) {
	defer wrap(&err, "hold what call %s of %s changed", call.ID, call.Dialog)
	h, ok := toHold(r)
	if !ok {
		return false, nil
	}
	up, err := tree.OpenDir(l.Up())
	if err != nil {
		return false, err
	}
	defer up.Close()
	h.stamp(r, up)
	unlock, err := p.lock()
	if err != nil {
		return false, err
	}
	defer unlock()
	d, err := p.own(keptName, true)
	if err != nil {
		return false, err
	}
	defer d.Close()
	others, err := p.heldIn(d)
	total := h.Bytes
	for _, o := range others {
		total += o.Bytes
	}
	if err != nil || total > heldMost {
		return false, err
	}
	if err = p.putHeld(d, up, r, h, heldName(call)); err != nil {
		d.Root().Remove(heldName(call))
	}
	return err == nil, err
}

// toHold says what of a reading is held, and whether that may be.
func toHold(r *layer.Reading) (h *heldEffect, ok bool) {
	h = &heldEffect{Files: map[string]heldFile{}, Times: r.Times}
	for i := range r.Changes {
		c := &r.Changes[i]
		if !utf8.ValidString(c.Name) {
			return nil, false
		}
		if c.Kind == effect.Deleted {
			continue
		}
		if perm := c.Perm(); c.Type != effect.Link && perm&0o400 == 0 || c.Type == effect.Folder && perm&0o100 == 0 {
			return nil, false
		}
		if c.Type == effect.Folder {
			continue
		}
		if c.After == "" {
			return nil, false
		}
		h.Hashes = append(h.Hashes, c.After)
		h.Bytes += c.Bytes
	}
	return h, len(h.Hashes) <= heldFiles && h.Bytes <= heldBytes
}

// stamp adds what an effect does not say.
func (h *heldEffect) stamp(r *layer.Reading, up *tree.Folder) {
	for i := range r.Changes {
		c := &r.Changes[i]
		f := heldFile{Mode: c.BeforeMode}
		if st, err := up.Stat(c.Name); err == nil && c.Type == effect.File {
			f.New = st.Mtime
		}
		h.Files[c.Name] = f
	}
}

// putHeld writes what is held. The caller must hold the lock.
func (p *Project) putHeld(d *folder.Folder, up *tree.Folder, r *layer.Reading, h *heldEffect, name string) error {
	b, err := json.Marshal(h)
	if err == nil { // first: from then on nothing pushes the bytes out
		_, err = disk.Change(d.Root(), name, createMode, func(*os.File) ([]byte, error) { return b, nil })
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		if err == nil && c.Kind != effect.Deleted && c.Type != effect.Folder {
			err = p.holdOne(up, c)
		}
	}
	return err
}

func (p *Project) holdOne(up *tree.Folder, c *layer.Change) error {
	at, err := up.Sub(path.Dir(c.Name))
	if err != nil {
		return err
	}
	defer at.Close()
	var k *keeping
	if base := path.Base(c.Name); c.Type == effect.Link {
		k, err = p.keepText(at.Readlink(base))
	} else {
		var f *os.File
		if f, err = at.Read(base); err != nil {
			return err
		}
		defer f.Close()
		k, err = p.keepFile(at.Read, base, f)
	}
	if err != nil {
		return err
	}
	err = k.wait()
	k.end(err)
	if err == nil && k.name != c.After {
		err = fmt.Errorf("%s was written after it was read", c.Path)
	}
	return err
}

// keepText keeps a text, such as a link's target.
func (p *Project) keepText(text string) (*keeping, error) {
	return p.keep(int64(len(text)), func(k *keeping, temp string) (string, error) {
		return writeHashed(k.d.Root(), temp, strings.NewReader(text))
	})
}

// heldIn returns what is held of all effects. What a dialog that is gone had is let go of.
func (p *Project) heldIn(d *folder.Folder) (all []*heldEffect, err error) {
	files, err := plainFiles(d, isHeld)
	for _, f := range files {
		if _, err := p.find(heldCall(f.name).Dialog); errors.Is(err, fs.ErrNotExist) {
			d.Root().Remove(f.name)
		} else if h, err := readHeld(d, f.name); err == nil {
			all = append(all, h)
		}
	}
	return all, err
}

func readHeld(d *folder.Folder, name string) (*heldEffect, error) {
	text, _, err := d.ReadPlain(name)
	if err != nil {
		return nil, err
	}
	h := new(heldEffect)
	return h, json.Unmarshal([]byte(text), h)
}

// LetGo is called when it is decided what Hold held: its bytes may make room for others.
// That nothing is held is no error.
func (p *Project) LetGo(call Call) error {
	d, err := p.own(keptName, false)
	if err == nil {
		defer d.Close()
		d.Root().Remove(disk.TempName(heldName(call))) // of a Hold that a kill ended
		err = d.Root().Remove(heldName(call))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, p.dropLayers(call))
}

// ApplyHeld is Apply of an effect whose bytes Hold has put into .kept, on this machine or on
// another. A path must have, by its bytes, what the effect says that the command saw. The
// caller has compared the hash of e with what was allowed.
func (p *Project) ApplyHeld(ctx context.Context, e effect.Effect, call Call) (Applied, error) {
	j, err := p.heldJournal(e, call)
	if err != nil {
		return Applied{}, fmt.Errorf("nothing was applied: %w", err)
	}
	return p.begin(ctx, j)
}

func (p *Project) heldJournal(e effect.Effect, call Call) (*journal, error) {
	deed, err := p.DeedDir()
	if err != nil {
		return nil, err
	}
	h := new(heldEffect)
	if d, err := p.own(keptName, false); err == nil {
		if was, err := readHeld(d, heldName(call)); err == nil {
			h = was // without it: of another copy of the project
		}
		d.Close()
	}
	r := &layer.Reading{Times: slices.DeleteFunc(h.Times, func(t layer.Time) bool { return !fs.ValidPath(string(t.Name)) })}
	for _, c := range e.Changes {
		name, ok := strings.CutPrefix(c.Path, deedPrefix)
		if !ok || !fs.ValidPath(name) || name == "." {
			return nil, fmt.Errorf("%q is no path in the deed", c.Path)
		}
		r.Changes = append(r.Changes, layer.Change{Change: c, Name: name, BeforeMode: h.Files[name].Mode})
	}
	j := newJournal(p, &layer.Layer{Deed: deed}, r, call)
	for i := range j.Changes {
		j.Changes[i].New = h.Files[j.Changes[i].name()].New
	}
	return j, nil
}

// WouldConflict returns the paths of an effect, sorted, at which something else stands than
// the command saw. It changes nothing. It reads all files that the effect changes or deletes.
func (p *Project) WouldConflict(e effect.Effect) ([]string, error) {
	j, err := p.heldJournal(e, Call{})
	if err != nil {
		return nil, err
	}
	a := newApplying(p, j, false)
	defer a.close()
	if err = a.open(); err == nil {
		err = a.plan()
	}
	if err != nil {
		return nil, fmt.Errorf("look what stands in the deed: %w", err)
	}
	made := map[string]*change{} // folders that come with the effect
	for _, c := range a.changes {
		if c.Type == effect.Folder && (c.Kind == effect.Added || c.Kind == effect.Changed && c.changesType()) {
			made[c.name()] = c
		}
		if c.Kind != effect.Added {
			continue
		}
		if above := made[path.Dir(c.name())]; above != nil && above.conflict {
			c.conflict = true
		} else if at, base, err := a.parent(c.name()); err == nil {
			st, err := at.Stat(base)
			c.conflict = err == nil && (c.Type != effect.Folder || st.Kind() != tree.DirKind)
			at.Close()
		} else {
			c.conflict = above == nil
		}
	}
	return a.result().Conflicts, nil
}
