package server

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"vibey/server/project"
)

// needsPace is the least time between two frames of a watch of all projects.
const needsPace = 200 * time.Millisecond

// needsFrame is what goes on in all projects, by name, with their titles. It is sent at once, and again
// if it changed.
type needsFrame struct {
	Type     string         `json:"type"` // "projects"
	Projects []projectNeeds `json:"projects"`
}

// followProjects sends what goes on in all projects until the stream ends. It counts
// again only in a project that the store reports a change of.
func (l *live) followProjects(key string) {
	changes, err := l.s.Store.WatchAll(l.ctx)
	if err != nil {
		l.fail(key, err)
		return
	}
	now, err := l.s.needs(l.ctx, true)
	if err != nil {
		l.fail(key, err)
		return
	}
	l.sendNeeds(key, now)
	last := time.Now()
	changed := map[string]bool{} // since then, by name; "" is all
	var due <-chan time.Time
	for {
		select {
		case c, ok := <-changes:
			if !ok {
				return
			}
			changed[c.Project] = true
			if due == nil {
				due = time.After(needsPace - time.Since(last))
			}
		case <-due:
			before := slices.Clone(now)
			now = l.recount(now, changed)
			if !slices.Equal(before, now) {
				l.sendNeeds(key, now)
			}
			clear(changed)
			last, due = time.Now(), nil
		}
	}
}

// recount returns all with the projects that changed counted again.
func (l *live) recount(all []projectNeeds, changed map[string]bool) []projectNeeds {
	if changed[""] {
		again, err := l.s.needs(l.ctx, true)
		if err == nil {
			return again
		}
		l.s.Log.Warn("what the projects need is not known", "err", err)
	}
	for name := range changed {
		if !project.ValidProject(name) {
			continue
		}
		one, err := l.s.projectNeeds(name)
		i, there := slices.BinarySearchFunc(all, name, func(n projectNeeds, name string) int { return strings.Compare(n.Name, name) })
		switch gone := errors.Is(err, fs.ErrNotExist); {
		case gone && there:
			all = slices.Delete(all, i, i+1)
		case gone:
		case err != nil:
			l.s.Log.Warn("what a project needs is not known", "project", name, "err", err)
		case there:
			all[i] = one
		default:
			all = slices.Insert(all, i, one)
		}
	}
	return all
}

func (l *live) sendNeeds(key string, all []projectNeeds) {
	frame, err := json.Marshal(needsFrame{"projects", all})
	if err != nil {
		l.fail(key, err)
		return
	}
	l.send(key, frame)
}
