package tools

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vibey/tools/disk/tree"
)

type listFilesInput struct {
	Path        string `json:"path,omitempty"`
	Depth       int    `json:"depth,omitempty" jsonschema:"minimum=1,maximum=64"`
	Description string `json:"description,omitempty"`
}

const (
	listMost  = 500 // names in one result, some 5,000 tokens
	listDepth = 3   // levels, unless the call says another number
)

// fileList is the body of the result of list_files.
type fileList struct {
	Success bool     `json:"success"`
	Path    string   `json:"path"`
	Files   []string `json:"files" mask:"text"` // paths in the project; a folder's ends in "/"
	Omitted int      `json:"omitted,omitempty"`
	Note    string   `json:"note,omitempty"`
}

func (l *fileList) add(name string) {
	if len(l.Files) < listMost {
		l.Files = append(l.Files, strings.ToValidUTF8(name, "\uFFFD"))
	} else {
		l.Omitted++
	}
}

func listFiles(ctx context.Context, env Env, in listFilesInput) Result {
	p, err := findAny(env, in.Path)
	if err != nil {
		return readFailure(in.Path, err)
	}
	defer p.close()
	if p.base != "" {
		return p.noFolder(in.Path)
	}
	depth := in.Depth
	if depth == 0 {
		depth = listDepth
	}
	body := &fileList{Success: true, Path: p.name, Files: []string{}}
	whole := true
	if p.name == "." {
		whole, err = body.addProject(ctx, env, depth)
		if err != nil {
			return readFailure(in.Path, err)
		}
	} else {
		whole = body.addBelow(ctx, p, depth)
	}
	if ctx.Err() != nil {
		return interrupted()
	}
	slices.Sort(body.Files)
	if !whole {
		body.Note = fmt.Sprintf("There is more than was counted: one call looks at %d entries at most, and some folders may not be readable. Name a folder nearer to what you look for.", walkLimit)
	}
	return Result{Success: true, body: body}
}

// noFolder is the failure of a call that wants a folder, and names something else.
func (p *place) noFolder(given string) Result {
	if _, err := p.lstat(); err != nil {
		return readFailure(given, err)
	}
	return failed(ExecError, "'%s' is a file, not a folder. Read it with read_file.", clip(given, 300))
}

// addProject adds the docs, what the deed holds, and the dialogs, the newest of
// them first where not all find room.
func (l *fileList) addProject(ctx context.Context, env Env, depth int) (whole bool, err error) {
	docs, dialogs, err := topFiles(env.Project)
	if err != nil {
		return false, err
	}
	for _, d := range docs {
		l.add(d)
	}
	whole = true
	if fi, err := env.Project.Lstat("deed"); err == nil && (fi.IsDir() || fi.Mode()&fs.ModeSymlink != 0) {
		l.add("deed/")
		if depth > 1 {
			p, err := findAny(env, "deed")
			if err != nil {
				return false, err
			}
			defer p.close()
			whole = l.addBelow(ctx, p, depth-1)
		}
	}
	slices.Reverse(dialogs) // their names begin with a time
	for _, d := range dialogs {
		l.add(d)
	}
	return whole, nil
}

// addBelow adds what lies in the folder p.
func (l *fileList) addBelow(ctx context.Context, p *place, depth int) (whole bool) {
	return walkFrom(p.dir, depth, walkLimit, func(e entry) bool {
		name := path.Join(p.name, e.path)
		if e.kind == tree.DirKind {
			name += "/"
		}
		l.add(name)
		return ctx.Err() == nil
	})
}
