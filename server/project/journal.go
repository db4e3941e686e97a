package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/layer"
)

// A journal of an Apply lies in the folder of journals in the state dir from before the first
// path of the deed changes until EndApply. The program that applies has its lock: a journal
// without one is what a kill left.

// journalsName is the folder of journals in the state dir.
const journalsName = "applying"

// layerSuffix is what a layer's name has behind its journal's.
const layerSuffix = ".layer"

// journal is all that is needed to finish an Apply, and to make the call's result then.
type journal struct {
	Root    []byte      `json:"root"` // the folder of projects: a path need not be UTF-8
	Project string      `json:"project"`
	Call    Call        `json:"call"`
	Layer   layer.Layer `json:"layer"`
	Staged  bool        `json:"staged"` // they lie in the deed, in the folder that stage names
	Changes []entry     `json:"changes"`
	Times   []entry     `json:"times,omitempty"`
}

// entry is a layer.Change in a journal, with what stood there when Apply began.
type entry struct {
	Name       []byte      `json:"n"`           // in the deed
	Path       string      `json:"p,omitempty"` // where it is not that of Name
	Kind       effect.Kind `json:"k,omitempty"`
	Type       effect.Type `json:"t,omitempty"`
	Before     string      `json:"b,omitempty"`
	After      string      `json:"a,omitempty"`
	Mode       string      `json:"m,omitempty"`
	BeforeMode fs.FileMode `json:"bm,omitempty"`
	Conflict   bool        `json:"c,omitempty"`
	Keep       bool        `json:"keep,omitempty"` // what stands there goes into .kept
	Stood      tree.Kind   `json:"is,omitempty"`
	Inode      uint64      `json:"ino,omitempty"`
	Size       int64       `json:"size,omitempty"`
	Mtime      int64       `json:"mtime,omitempty"`
	Ctime      int64       `json:"ctime,omitempty"`
	New        int64       `json:"new,omitempty"` // the time of change that it gets
}

func newJournal(p *Project, l *layer.Layer, r *layer.Reading, call Call) *journal {
	j := &journal{Root: []byte(p.store.path), Project: p.name, Call: call, Layer: *l, Changes: make([]entry, len(r.Changes))}
	listed := 0
	for i, c := range r.Changes {
		st := c.Stood
		j.Changes[i] = entry{
			Name: []byte(c.Name), Kind: c.Kind, Type: c.Type, Before: c.Before, After: c.After, Mode: c.Mode,
			BeforeMode: c.BeforeMode, Conflict: c.Conflict, New: c.Mtime,
			Stood: st.Kind(), Inode: st.Inode, Size: st.Size, Mtime: st.Mtime, Ctime: st.Ctime,
		}
		if c.Listed() && listed < ApplyKeeps {
			listed++
			j.Changes[i].Keep = c.Kind != effect.Added && st.Kind() != tree.DirKind && (c.Before == "" || c.Before != c.After)
		}
		if c.Path != deedPrefix+c.Name {
			j.Changes[i].Path = c.Path
		}
	}
	for _, t := range r.Times {
		j.Times = append(j.Times, entry{Name: t.Name, Kind: effect.Changed, Mtime: t.Was, New: t.New})
	}
	return j
}

func (e *entry) name() string { return string(e.Name) }

func (e *entry) path() string {
	if e.Path != "" {
		return e.Path
	}
	return deedPrefix + e.name()
}

// perm is what chmod(2) takes for Mode.
func (e *entry) perm() uint32 {
	return (&effect.Change{Mode: e.Mode}).Perm() & 0o7777
}

// changesType reports whether a folder comes in the place of what is none, or the other way.
func (e *entry) changesType() bool { return (e.Stood == tree.DirKind) != (e.Type == effect.Folder) }

// prefix begins the names of the journals of a dialog.
func (p *Project) prefix(dialogID string) string {
	return dialog.SHA256(p.store.path + "\x00" + p.name)[:16] + "+" + dialogID + "+"
}

func (p *Project) journalName(c Call) string { return p.prefix(c.Dialog) + c.ID + ".json" }

// journals are those of a state dir, and the locks of those that this program applies.
type journals struct {
	mu   sync.Mutex
	held map[string]*holding
}

// holding is the lock of a journal.
type holding struct {
	dir  *os.Root // for the lock
	lock *disk.Held
	busy chan struct{} // closed when the Apply ends that runs; nil when none does
}

// journalDir opens the folder of journals. The error is fs.ErrNotExist if there is none.
func (s *Store) journalDir(create bool) (dir *os.Root, err error) {
	if s.o.State == "" {
		return nil, fmt.Errorf("there is no state dir: %w", fs.ErrNotExist)
	}
	at := filepath.Join(s.o.State, journalsName)
	if create {
		err = disk.MakeIn(at)
	}
	if err == nil {
		dir, err = os.OpenRoot(at)
	}
	return dir, err
}

// unlessNone is err, but for that of what is not there.
func unlessNone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// hold takes the lock of a journal. The error is ErrBusy where it is applied in this moment by
// another program, or here and that is not waited for.
func (s *Store) hold(dir *os.Root, name string, waits bool) (err error) {
	s.journals.mu.Lock()
	defer s.journals.mu.Unlock()
	h := s.journals.held[name]
	for ; waits && h != nil && h.busy != nil; h = s.journals.held[name] {
		busy := h.busy
		s.journals.mu.Unlock()
		<-busy
		s.journals.mu.Lock()
	}
	if h == nil {
		if h, err = s.lockJournal(dir, name); err != nil {
			return err
		}
		if s.journals.held == nil {
			s.journals.held = map[string]*holding{}
		}
		s.journals.held[name] = h
	}
	if h.busy != nil {
		return fmt.Errorf("%w: what a command changed is being put into the deed", ErrBusy)
	}
	h.busy = make(chan struct{})
	return nil
}

func (s *Store) lockJournal(dir *os.Root, name string) (h *holding, err error) {
	h = new(holding)
	if h.dir, err = dir.OpenRoot("."); err != nil {
		return nil, err
	}
	if h.lock, err = tryLock(disk.Locks{Dir: h.dir, By: s.o.As}, name); err != nil {
		h.dir.Close()
	}
	if held, ok := errors.AsType[*disk.HeldError](err); ok {
		return nil, fmt.Errorf("%w: %s puts what a command changed into the deed", ErrBusy, holder(held.By))
	}
	return h, err
}

// rest ends what hold began. Where keeps, this program keeps the lock.
func (s *Store) rest(name string, keeps bool) {
	s.journals.mu.Lock()
	defer s.journals.mu.Unlock()
	h := s.journals.held[name]
	if h == nil {
		return
	}
	if h.busy != nil {
		close(h.busy)
		h.busy = nil
	}
	if !keeps {
		s.letGo(name, h)
	}
}

// restAll lets go of the journals that this program keeps and is not at work on.
func (s *Store) restAll() {
	s.journals.mu.Lock()
	defer s.journals.mu.Unlock()
	for name, h := range s.journals.held {
		if h.busy == nil {
			s.letGo(name, h)
		}
	}
}

// letGo lets go of a journal. The caller must hold journals.mu.
func (s *Store) letGo(name string, h *holding) {
	delete(s.journals.held, name)
	h.lock.Release()
	h.dir.Close()
}

func (j *journal) write(dir *os.Root, name string) error {
	b, err := json.Marshal(j)
	if err == nil {
		_, err = disk.Change(dir, name, 0o600, func(*os.File) ([]byte, error) { return b, nil })
	}
	if err != nil {
		return fmt.Errorf("write down what is to be applied: %w", err)
	}
	return nil
}

// drop drops the layer of a journal that is over, where it lies beside it.
func (j *journal) drop(dir *os.Root) error {
	if filepath.Dir(j.Layer.Dir) != dir.Name() {
		return nil
	}
	return j.Layer.Drop()
}

func readJournal(dir *os.Root, name string) (*journal, error) {
	b, err := dir.ReadFile(name)
	if err != nil {
		return nil, err
	}
	j := new(journal)
	if err := json.Unmarshal(b, j); err != nil {
		return nil, fmt.Errorf("the journal %s: %w", name, err)
	}
	return j, nil
}

// Unfinished returns the calls of a dialog whose changes were being put into the deed, and
// for which no EndApply was called.
func (p *Project) Unfinished(dialogID string) (calls []string) {
	dir, err := p.store.journalDir(false)
	if err != nil {
		return nil
	}
	defer dir.Close()
	for _, name := range journalNames(dir) {
		if rest, ok := strings.CutPrefix(name, p.prefix(dialogID)); ok {
			calls = append(calls, strings.TrimSuffix(rest, ".json"))
		}
	}
	return calls
}

func journalNames(dir *os.Root) []string {
	names, _ := fs.Glob(dir.FS(), "*.json")
	return slices.DeleteFunc(names, disk.IsTemp)
}

// FinishApply ends an Apply that a kill or an error ended, and returns what it would have.
// found is false if there is none. It waits for one that runs here, as at a start. The error is
// as of Apply; ErrBusy where another program's runs.
func (p *Project) FinishApply(call Call) (done Applied, found bool, err error) {
	return p.finish(call, true)
}

// finish is FinishApply; inTurn is false for what waits for nobody, and leaves the journal to
// others.
func (p *Project) finish(call Call, inTurn bool) (done Applied, found bool, err error) {
	dir, err := p.store.journalDir(false)
	if err != nil {
		return Applied{}, false, unlessNone(err)
	}
	defer dir.Close()
	name := p.journalName(call)
	if _, err := dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return Applied{}, false, nil
	}
	if err := p.store.hold(dir, name, inTurn); err != nil {
		return Applied{}, true, err
	}
	defer func() { p.store.rest(name, inTurn && err == nil) }()
	j, err := readJournal(dir, name)
	if err != nil {
		return Applied{}, !errors.Is(err, fs.ErrNotExist), err
	}
	a := newApplying(p, j, true)
	defer a.close()
	if err = a.open(); err != nil {
		return Applied{}, true, fmt.Errorf("the rest of what the command changed was not applied: %w", err)
	}
	if a.up == nil { // it ended, and then the layer was dropped
		return a.result(), true, nil
	}
	done, err = a.apply(dir, name)
	return done, true, err
}

// FinishApplies ends what killed programs were putting into deeds of this store's projects, and
// removes what no dialog waits with any more.
// The journals stay until their dialogs have the results. It is called at a program's start.
func (s *Store) FinishApplies() {
	defer s.sweepTried() // then: what is to be finished may come from there
	dir, err := s.journalDir(false)
	if err != nil {
		return
	}
	defer dir.Close()
	for _, name := range journalNames(dir) {
		j, err := readJournal(dir, name)
		if err == nil && string(j.Root) == s.path {
			err = s.finishApply(j)
		}
		if err != nil && !errors.Is(err, ErrBusy) {
			s.o.Log.Warn("what a command changed could not be put into the deed", slog.String("journal", name), "err", err)
		}
	}
	sweepLayers(dir)
	disk.Locks{Dir: dir}.Sweep()
}

// sweepLayers removes layers that never had a journal.
func sweepLayers(dir *os.Root) {
	left, _ := fs.Glob(dir.FS(), "*.json"+layerSuffix)
	for _, at := range left {
		name := strings.TrimSuffix(at, layerSuffix)
		if _, err := dir.Lstat(name); errors.Is(err, fs.ErrNotExist) && !(disk.Locks{Dir: dir}).Taken(name) {
			(&layer.Layer{Dir: filepath.Join(dir.Name(), at)}).Drop()
		}
	}
}

func (s *Store) finishApply(j *journal) error {
	p, err := s.Project(j.Project)
	if err != nil {
		return err
	}
	gone, answered := p.over(j.Call)
	if !answered { // else all of it is in the deed, and what was done there since is a human's
		if _, _, err = p.finish(j.Call, false); err != nil {
			return err
		}
	}
	if gone || answered {
		return p.EndApply(j.Call)
	}
	return nil
}

// EndApply is called when the dialog has the call's result: the journal of its Apply goes,
// and with it what was copied for it. That there is none is no error.
func (p *Project) EndApply(call Call) error {
	name := p.journalName(call)
	defer p.store.rest(name, false)
	dir, err := p.store.journalDir(false)
	if err != nil {
		return unlessNone(err)
	}
	defer dir.Close()
	dir.Remove(disk.TempName(name)) // of a write that a kill ended
	j, err := readJournal(dir, name)
	if err == nil && j.Staged {
		err = p.unstage(j)
	}
	if err == nil {
		err = j.drop(dir)
	}
	return errors.Join(unlessNone(err), unlessNone(dir.Remove(name)))
}
