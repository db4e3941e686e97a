package family

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
)

// Ancestry is the family and the depth of the dialog id with that header. A root
// begins a family. A header that has lost its depth or family counts as the deepest, so
// that damage raises no ceiling.
func Ancestry(h dialog.Header, id string) (family string, depth int) {
	if !h.Launched() {
		return id, 0
	}
	depth, err := strconv.Atoi(h.Meta.Get("Depth"))
	if err != nil || depth < 1 || h.Damaged {
		depth = Deepest
	}
	if family = h.Meta.Get("Family"); !dialog.ValidID(family) {
		return id, Deepest
	}
	return family, depth
}

// Families counts families by the dialogs' files. It keeps what it has read of each, so
// that a launch reads those alone that changed since the last one.
type Families struct {
	mu    sync.Mutex
	known map[string]map[string]kin // by project, then by dialog
	gates map[hub.Key]*gate         // of the families that are entered, by their roots
}

// gate lets one at a time count a family and add to it. It is there while users > 0.
type gate struct {
	full  chan struct{} // of one entry: full while a caller has entered
	users int
}

// Enter waits until no other counts that family in order to add to it. The caller must
// call leave.
func (x *Families) Enter(project, family string) (leave func()) {
	key := hub.Key{Project: project, Dialog: family}
	x.mu.Lock()
	g := x.gates[key]
	if g == nil {
		if x.gates == nil {
			x.gates = map[hub.Key]*gate{}
		}
		g = &gate{full: make(chan struct{}, 1)}
		x.gates[key] = g
	}
	g.users++
	x.mu.Unlock()
	g.full <- struct{}{}
	return func() {
		<-g.full
		x.mu.Lock()
		defer x.mu.Unlock()
		if g.users--; g.users == 0 {
			delete(x.gates, key)
		}
	}
}

// Forget drops what is known of a project that is being deleted.
func (x *Families) Forget(project string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.known, project)
}

// kin is what a dialog's file said of its family when it was read.
type kin struct {
	file     string
	mtime    time.Time
	family   string // as its header names it, "" for one that is no id
	launched bool
	tokens   int64       // that it has used
	from     string      // the dialog that launched it, "" if that is not known
	end      dialog.Mail // about its end, without its words; From is "" if it has not ended
}

// of reports whether the dialog id belongs to a family. A launched one that has
// lost its family counts in each that may have launched it.
func (m kin) of(id, family string) bool {
	return id == family || m.family == family || m.launched && m.family == "" && !older(id, family)
}

// older reports whether a dialog was begun before the root of a family.
func older(id, family string) bool { return id < family && id[:15] != family[:15] }

// Room refuses a launch that would take a family over one of its ceilings; most is
// how many of it may work at a time.
func (x *Families) Room(p *project.Project, family string, most int) error {
	n, err := x.count(p, family)
	switch {
	case err != nil:
		return err
	case n.all >= All:
		return errors.New("this family has " + strconv.Itoa(n.all) + " dialogs, the most it may have: go on in one of them, or tell the human")
	case n.live >= most:
		return errors.New(strconv.Itoa(n.live) + " dialogs of this family work at the same time, the most that may: wait until one is done, then launch again")
	}
	return n.spent()
}

// MayWork refuses another turn of a dialog that is there if that would take its family over
// a ceiling.
func (x *Families) MayWork(p *project.Project, family string, most int) error {
	n, err := x.count(p, family)
	switch {
	case err != nil:
		return err
	case n.live >= most:
		return errors.New(strconv.Itoa(n.live) + " dialogs of this family work at the same time, the most that may")
	}
	return n.spent()
}

// counted is what a family amounts to.
type counted struct {
	live, all int
	tokens    int64
}

func (n counted) spent() error {
	if n.tokens >= tokensMost {
		return errors.New("this family has used " + strconv.FormatInt(n.tokens, 10) + " tokens, the most it may: tell the human")
	}
	return nil
}

func (x *Families) count(p *project.Project, family string) (n counted, err error) {
	all, err := x.members(p, family)
	if err != nil {
		return n, err
	}
	used := dialog.Resources{}
	for id, m := range all {
		if !m.of(id, family) {
			continue
		}
		n.all++
		used = used.Plus(dialog.Resources{Total: m.tokens})
		if _, st, _ := dialog.ParseName(m.file); st == dialog.Active {
			n.live++
		}
	}
	n.tokens = used.Total
	return n, nil
}

// EndsMost is how many bytes of last words one request has of all ends at once: of a
// whole family that would be 500 KB, more than some models read.
const EndsMost = 4 * dialog.MailMost

// Unsent returns the ends of the dialogs that dialog id of a family has launched and of
// which d, its text, has no mail: those that are done, and those whose last turn broke off.
func (x *Families) Unsent(p *project.Project, family, id string, d *dialog.Dialog) (unsent []dialog.Mail, err error) {
	all, err := x.members(p, family)
	if err != nil {
		return nil, err
	}
	var ends []dialog.Mail // without their words
	for _, m := range all {
		if m.from == id && m.end.From != "" {
			ends = append(ends, m.end)
		}
	}
	slices.SortFunc(ends, func(a, b dialog.Mail) int { return strings.Compare(a.From, b.From) })
	for _, m := range ends[:min(len(ends), All)] {
		if d.HasID(m.ID()) {
			continue
		}
		file, err := p.ReadDialog(m.From)
		if err != nil {
			continue // it was deleted
		}
		if m, ok := endInText(file.Parse(), m.From, file.Status); ok && !d.HasID(m.ID()) {
			unsent = append(unsent, m)
		}
	}
	for i := range unsent {
		unsent[i].Most = EndsMost / len(unsent)
	}
	return unsent, nil
}

// members returns what the dialogs say that are as old as the root of a family or
// younger. No lock is held while they are read.
func (x *Families) members(p *project.Project, family string) (map[string]kin, error) {
	infos, err := p.Dialogs()
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	old := x.known[p.Name()]
	x.mu.Unlock()
	now := make(map[string]kin, len(old))
	for i := range infos {
		info := &infos[i]
		m, known := old[info.ID]
		switch {
		case known && m.file == info.Filename && m.mtime.Equal(info.ModTime):
		case older(info.ID, family):
			continue
		default:
			if t, err := p.ReadDialog(info.ID); err == nil {
				m = kinOf(t, info)
			} else {
				m = kin{file: info.Filename, launched: true} // what can't be read counts in each family
			}
		}
		now[info.ID] = m
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known == nil {
		x.known = map[string]map[string]kin{}
	}
	x.known[p.Name()] = now
	return now, nil
}

func kinOf(t project.DialogText, info *project.DialogInfo) kin {
	d := dialog.Parse(t.Text)
	var g dialog.Digest
	g.Extend(d)
	m := kin{file: info.Filename, mtime: info.ModTime, launched: d.Header.Launched(), tokens: g.Own.Total}
	if named := d.Header.Meta.Get("Family"); dialog.ValidID(named) {
		m.family = named
	}
	if m.launched {
		m.from = strings.Clone(d.Header.Meta.Get("From"))
		if end, ok := endInText(d, info.ID, t.Status); ok {
			m.end = dialog.Mail{From: info.ID, Mark: strings.Clone(end.Mark), End: end.End}
		}
	}
	return m
}
