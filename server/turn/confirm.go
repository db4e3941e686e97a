package turn

import (
	"errors"

	"vibey/dialog/grant"
	"vibey/server/project"
)

// Confirm seals the control block of doc-main.md, which a human read in the
// version with that ETag. From then on it holds in each new dialog, until the block
// is edited.
func (r *Runner) Confirm(p *project.Project, etag string) (project.File, error) {
	f, err := p.ReadFile(project.MainDoc)
	if err != nil {
		return project.File{}, err
	}
	if f.ETag != etag {
		return project.File{}, refuse(ErrStale, "%s has changed since you read it. Nothing was confirmed. Read it again", project.MainDoc)
	}
	if _, ok := grant.FindWish(f.Content); !ok {
		return project.File{}, refuse(ErrNothing, "%s has no control/v1 block to confirm", project.MainDoc)
	}
	id, err := p.EnsureID()
	if err != nil {
		return project.File{}, err
	}
	a := grant.Authority{Key: r.w.Key, Project: p.Name(), ProjectID: id}
	done, err := p.WriteFile(project.MainDoc, a.Confirm(f.Content), etag)
	if errors.Is(err, project.ErrConflict) {
		return project.File{}, refuse(ErrStale, "%s was changed at the same moment. Nothing was confirmed. Read it again", project.MainDoc)
	}
	return done, err
}
