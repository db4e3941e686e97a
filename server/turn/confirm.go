package turn

import (
	"errors"

	"vibey/dialog"
	"vibey/server/project"
)

// Confirm seals the control block of doc-main.md, which a human read in the
// version with that ETag. From then on it holds in each new dialog, until
// somebody edits it.
func (r *Runner) Confirm(name, etag string) (project.File, error) {
	p, err := r.w.Store.Project(name)
	if err != nil {
		return project.File{}, err
	}
	f, err := p.ReadFile(docMain)
	if err != nil {
		return project.File{}, err
	}
	if f.ETag != etag {
		return project.File{}, refuse(ErrStale, "%s has changed since you read it. Nothing was confirmed. Read it again", docMain)
	}
	if _, ok := dialog.FindWish(f.Content); !ok {
		return project.File{}, refuse(ErrNothing, "%s has no control/v1 block to confirm", docMain)
	}
	a := dialog.Authority{Key: r.w.Key, Project: name}
	done, err := p.WriteFile(docMain, a.Confirm(f.Content), etag)
	if errors.Is(err, project.ErrConflict) {
		return project.File{}, refuse(ErrStale, "%s was changed at the same moment. Nothing was confirmed. Read it again", docMain)
	}
	return done, err
}
