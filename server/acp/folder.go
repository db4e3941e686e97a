package acp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"vibey/dialog"
	"vibey/server/project"
)

// projectOf returns the project in which a new session with that working folder begins:
// the one that the human named at the start, else the one whose deed is the folder, else
// a new one whose deed is linked there. What the folder holds is not read.
func (a *Agent) projectOf(cwd string) (*project.Project, error) {
	a.making.Lock()
	defer a.making.Unlock()
	p, err := a.findProject(cwd)
	if p != nil || err != nil {
		return p, err
	}
	name, err := a.make(cwd)
	if errors.Is(err, project.ErrDeed) {
		if p, _ := a.findProject(cwd); p != nil { // another process has made it at the same moment
			return p, nil
		}
		return nil, badParams("%v. Nothing was done. Open another folder, or start vibey acp with -p PROJECT", errors.Unwrap(err)) // without the name that it would have had
	}
	if err != nil {
		return nil, fmt.Errorf("a project for this folder: %w", err)
	}
	return a.Store.Project(a.Store.Listed(name))
}

// findProject is projectOf without making one: nil if there is none.
func (a *Agent) findProject(cwd string) (*project.Project, error) {
	if !filepath.IsAbs(cwd) {
		return nil, badParams("cwd is %q; it has to be an absolute path. Nothing was done", dialog.Cut(cwd, 200))
	}
	if a.Project != "" {
		return a.Store.Project(a.Project)
	}
	at, err := os.Stat(cwd)
	if err != nil || !at.IsDir() {
		return nil, badParams("cwd is no folder that can be opened. Nothing was done")
	}
	all, err := a.Store.All()
	if err != nil {
		return nil, err
	}
	var found *project.Project
	for _, p := range all {
		there, err := os.Stat(deedOf(p))
		if err != nil || !os.SameFile(at, there) {
			continue
		}
		if _, err := p.DeedDir(); err != nil { // it looks at all other projects, so it comes last
			continue // none that agents may write
		}
		if found != nil {
			return nil, badParams("this folder is the deed of two projects, %s and %s. Nothing was done. Say which one with vibey acp -p", found.Name(), p.Name())
		}
		found = p
	}
	return found, nil
}

// deedOf is where a project's deed is, whether or not agents may write there.
func deedOf(p *project.Project) string { return filepath.Join(p.Root().Name(), "deed") }

// namesTried is how many names of a new project are tried: game, game-2 and so on.
const namesTried = 100

// make makes a project whose deed is the folder, named after it.
func (a *Agent) make(cwd string) (name string, err error) {
	deed, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return "", badParams("cwd is no folder that can be opened. Nothing was done")
	}
	base := filepath.Base(deed)
	if !project.ValidProject(base) {
		base = dialog.Slug(base)
	}
	for n := 1; n <= namesTried; n++ {
		name = base
		if n > 1 {
			tail := "-" + strconv.Itoa(n)
			name = base[:min(len(base), 100-len(tail))] + tail
		}
		if err = a.Store.Create(name, deed); !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return name, err
}
