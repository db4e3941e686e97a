package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// The new bytes of an effect that waits for a human lie in .kept: as long as a file
// <dialog>.<call>.held beside them says which they are they are not removed for newer ones, and
// they move with the project's folder. What is too much for that stays in its layer.

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
	Hashes []string     `json:"hashes"` // of what lies in .kept
	Bytes  int64        `json:"bytes"`
	Files  []heldFile   `json:"files,omitempty"` // by the changes of the effect
	Times  []layer.Time `json:"times,omitempty"`
}

// heldFile is what a change in an effect does not say.
type heldFile struct {
	Name []byte      `json:"name,omitempty"` // in the deed, where it is not UTF-8
	Mode fs.FileMode `json:"mode,omitempty"` // before
	New  int64       `json:"new,omitempty"`  // time of change, nanoseconds since 1970
	// Conflict: it was one when it was read. What a folder was before, its change can't say.
	Conflict bool `json:"conflict,omitempty"`
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

// Hold keeps what a command wrote until LetGo: in .kept, or, if it is too much for that, in its
// layer, which is moved to the state dir then. Too much are over 200 files or 4 MiB, a name that
// is not UTF-8, and what the command let nobody read. Every change must have its hashes.
func (p *Project) Hold(l *layer.Layer, r *layer.Reading, call Call) (inLayer bool, err error) {
	defer wrap(&err, "hold what call %s of %s changed", call.ID, call.Dialog)
	up, err := tree.OpenDir(l.Up())
	if err != nil {
		return false, err
	}
	defer up.Close()
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
	h, fits := toHold(r)
	others, err := p.heldIn(d)
	if err != nil {
		return false, err
	}
	total := h.Bytes
	for _, o := range others {
		total += o.Bytes
	}
	if inLayer = !fits || total > heldMost; inLayer {
		h.Hashes, h.Bytes = nil, 0
	}
	b, err := json.Marshal(h)
	if err == nil { // first: from then on nothing pushes the bytes out
		_, err = disk.Change(d.Root(), heldName(call), createMode, func(*os.File) ([]byte, error) { return b, nil })
	}
	for i := range r.Changes {
		if c := &r.Changes[i]; err == nil && !inLayer && c.Kind != effect.Deleted && c.Type != effect.Folder {
			err = p.holdOne(up, c)
		}
	}
	if err == nil && inLayer {
		err = p.HoldLayer(l, call, DeedLayer)
	}
	if err != nil {
		d.Root().Remove(heldName(call))
	}
	return inLayer, err
}

// toHold says what of a reading is held, and whether .kept may have it.
func toHold(r *layer.Reading) (h *heldEffect, fits bool) {
	h = &heldEffect{Files: make([]heldFile, len(r.Changes)), Times: r.Times}
	fits = true
	for i := range r.Changes {
		c := &r.Changes[i]
		h.Files[i] = heldFile{Mode: c.BeforeMode, New: c.Mtime, Conflict: c.Conflict && c.Kind != effect.Deleted && c.Type == effect.Folder}
		if !utf8.ValidString(c.Name) {
			h.Files[i].Name, fits = []byte(c.Name), false
		}
		perm := c.Perm()
		switch unread := c.Type != effect.Link && perm&0o400 == 0 || c.Type == effect.Folder && perm&0o100 == 0; {
		case c.Kind == effect.Deleted:
		case unread || c.Type != effect.Folder && c.After == "":
			fits = false
		case c.Type != effect.Folder:
			h.Hashes = append(h.Hashes, c.After)
			h.Bytes += c.Bytes
		}
	}
	return h, fits && len(h.Hashes) <= heldFiles && h.Bytes <= heldBytes
}

func (p *Project) holdOne(up *tree.Folder, c *layer.Change) error {
	at, err := up.Sub(path.Dir(c.Name))
	if err != nil {
		return err
	}
	defer at.Close()
	k, err := p.keepEntry(at, path.Base(c.Name), c.Type == effect.Link)
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

// keepEntry is keepFile of a folder's entry, of a link of its text.
func (p *Project) keepEntry(at *tree.Folder, base string, link bool) (*keeping, error) {
	if link {
		text := at.Readlink(base)
		return p.keep(int64(len(text)), func(k *keeping, temp string) (string, error) {
			return writeHashed(k.d.Root(), temp, strings.NewReader(text))
		})
	}
	f, err := at.Read(base)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return p.keepFile(at.Read, base, f)
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
	err := p.dropLayers(call)
	d, derr := p.own(keptName, false)
	if derr == nil {
		defer d.Close()
		d.Root().Remove(disk.TempName(heldName(call))) // of a Hold that a kill ended
		derr = d.Root().Remove(heldName(call))
	}
	return errors.Join(err, unlessNone(derr))
}

// Held returns what Hold keeps of a call, on this machine or in a copy of the project: the
// changes of its effect e, held against the deed as it is, and a layer that has them; see
// layer.Barred. The error is ErrUnkept where their bytes are gone.
func (p *Project) Held(ctx context.Context, e effect.Effect, call Call, inLayer bool) (l *layer.Layer, r *layer.Reading, err error) {
	defer wrap(&err, "what call %s of %s changed", call.ID, call.Dialog)
	if r, err = p.against(ctx, e, call); err != nil {
		return nil, nil, err
	}
	if !inLayer {
		l, err = p.layerOfKept(r, call)
	} else if l, err = p.HeldLayer(call, DeedLayer); errors.Is(err, fs.ErrNotExist) {
		err = ErrUnkept
	}
	return l, r, err
}

// against holds an effect that waits against the deed.
func (p *Project) against(ctx context.Context, e effect.Effect, call Call) (*layer.Reading, error) {
	deed, err := p.DeedDir()
	if err != nil {
		return nil, err
	}
	h := new(heldEffect) // without the file: of another copy of the project
	if d, err := p.own(keptName, false); err == nil {
		if was, err := readHeld(d, heldName(call)); err == nil && len(was.Files) == len(e.Changes) {
			h = was
		}
		d.Close()
	}
	r := &layer.Reading{Times: slices.DeleteFunc(h.Times, func(t layer.Time) bool { return !fs.ValidPath(string(t.Name)) })}
	for i, c := range e.Changes {
		name, ok := strings.CutPrefix(c.Path, deedPrefix)
		if !ok || !fs.ValidPath(name) || name == "." {
			return nil, fmt.Errorf("%q is no path in the deed", c.Path)
		}
		next := layer.Change{Change: c, Name: name}
		if len(h.Files) > 0 {
			f := h.Files[i]
			next.BeforeMode, next.Mtime = f.Mode, f.New
			if strings.ToValidUTF8(string(f.Name), "\uFFFD") == name {
				next.Name = string(f.Name)
			}
		}
		r.Changes = append(r.Changes, next)
	}
	err = layer.Against(ctx, deed, r.Changes)
	for i, f := range h.Files {
		r.Changes[i].Conflict = r.Changes[i].Conflict || f.Conflict
	}
	return r, err
}

// layerOfKept makes a layer of what .kept has, where HoldLayer would hold it.
func (p *Project) layerOfKept(r *layer.Reading, call Call) (*layer.Layer, error) {
	deed, err := p.DeedDir()
	if err != nil {
		return nil, err
	}
	l := &layer.Layer{Dir: p.triedLayer(call, DeedLayer), Deed: deed}
	dir, err := p.noteLayer(l, call, DeedLayer)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	a := newApplying(p, newJournal(p, l, r, call), false)
	defer a.close()
	if err = l.Drop(); err == nil { // of one that a kill ended
		err = os.MkdirAll(l.Up(), 0o700)
	}
	if err == nil {
		a.up, err = tree.OpenDir(l.Up())
	}
	if err == nil {
		err = a.fill(func(c *change) (io.ReadCloser, int64, error) {
			b, err := p.Kept(c.After)
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%s: %w", c.path(), ErrUnkept)
			}
			return io.NopCloser(bytes.NewReader(b)), c.New, err
		})
	}
	if err == nil {
		err = errors.Join(a.syncNew(), disk.Sync(dir)) // .kept outlives a power cut, and so must what a journal names instead
	}
	return l, err
}

// WouldConflict returns the paths of an effect, sorted, at which something else stands than
// the command saw. It changes nothing. It reads all files that the effect changes or deletes.
func (p *Project) WouldConflict(e effect.Effect) (paths []string, err error) {
	r, err := p.against(context.Background(), e, Call{})
	if err != nil {
		return nil, fmt.Errorf("look what stands in the deed: %w", err)
	}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Conflict {
			paths = append(paths, c.Path)
		}
	}
	return paths, nil
}
