package turn

import (
	"errors"
	"slices"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/server/turn/brief"
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
	if _, ok := dialog.FindWish(f.Content); !ok {
		return project.File{}, refuse(ErrNothing, "%s has no control/v1 block to confirm", project.MainDoc)
	}
	id, err := p.EnsureID()
	if err != nil {
		return project.File{}, err
	}
	a := dialog.Authority{Key: r.w.Key, Project: p.Name(), ProjectID: id}
	done, err := p.WriteFile(project.MainDoc, a.Confirm(f.Content), etag)
	if errors.Is(err, project.ErrConflict) {
		return project.File{}, refuse(ErrStale, "%s was changed at the same moment. Nothing was confirmed. Read it again", project.MainDoc)
	}
	return done, err
}

// voidsMark returns the func that a file tool calls before it writes a doc
// (tools.Env.Bringing). Where the doc would gain a confirmation that it did not
// have, the project gets another id first: that mark is void then, with all made
// before it, and what was approved is written to the byte all the same.
func (t *turn) voidsMark(p *project.Project) func(doc string, old, new []byte) error {
	return func(_ string, old, new []byte) error {
		id, err := p.ID()
		if err != nil || id == "" {
			return err
		}
		a := dialog.Authority{Key: t.r.w.Key, Project: p.Name(), ProjectID: id}
		if !a.Brings(brief.Readable(string(old)), brief.Readable(string(new))) {
			return nil
		}
		return p.RenewID()
	}
}

// untold returns the func that lists the secrets which no result may hold: the
// keys, and the marks of confirmed wishes in doc-main.md, now and when the call
// began.
func (t *turn) untold(p *project.Project) func() []string {
	before := p.Marks()
	return func() []string { return slices.Concat(t.r.w.Secrets(), before, p.Marks()) }
}
