package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/server/project"
)

// verdict is one state while it is held against the promises.
type verdict struct {
	h      *holder
	s      *state
	root   string
	p      *project.Project
	broken []string
}

func (v *verdict) say(format string, args ...any) {
	v.broken = append(v.broken, fmt.Sprintf(format, args...))
}

// project opens the project, or makes it if no client was sent that it exists.
func (v *verdict) project(store *project.Store) bool {
	p, err := store.Project(projectName)
	if errors.Is(err, fs.ErrNotExist) && !v.s.told.project {
		if err := store.Create(projectName, ""); err != nil {
			v.say("the project can't be made: %v", err)
		}
		return false
	}
	if err != nil {
		v.say("the project that was told of is gone: %v", err)
		return false
	}
	v.p = p
	return true
}

// files holds each document and each file that a tool told of against what is
// there: what was told last, or what came after it.
func (v *verdict) files() {
	for name, told := range v.s.told.files {
		versions := v.s.told.versions[name]
		from := slices.Index(versions, told)
		if from < 0 {
			v.say("%s was told to be %.12s, which it never was", name, told)
			continue
		}
		is := ""
		if text, ok := v.s.tree[name]; ok {
			is = dialog.SHA256(text)
		}
		if !slices.Contains(versions[from:], is) {
			v.say("%s is %.12q, and not what was told (%.12s) or came after", name, is, told)
		}
	}
	if v.s.told.project {
		if _, err := v.p.DeedDir(); err != nil {
			v.say("%v", err)
		}
	}
}

// dialogs starts on every dialog that is there, and looks for those that were
// told of. What touches one first is by turns the list, a reader, a writer.
func (v *verdict) dialogs() {
	before := map[string]string{}
	for name, text := range v.s.tree {
		if id, _, ok := dialog.ParseName(filepath.Base(name)); ok && strings.HasPrefix(name, projectName+"/") {
			if _, twice := before[id]; twice {
				v.say("two files of the dialog %s", id)
			}
			before[id] = text
		}
	}
	for _, s := range v.s.told.sections {
		if _, ok := before[s.dialog]; !ok {
			v.say("the dialog %s that was told of is gone", s.dialog)
			return
		}
	}
	if v.h.n%3 == 0 {
		if _, err := v.p.Dialogs(); err != nil {
			v.say("the list: %v", err)
		}
	}
	for id, text := range before {
		if v.h.n%3 == 1 {
			if _, err := v.p.ReadDialog(id); err != nil {
				v.say("reading %s: %v", id, err)
			}
		}
		v.dialog(id, text)
	}
}
