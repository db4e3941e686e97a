package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog/change"
	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/layer"
	"vibey/tools/sandbox"
)

// conflict is a path that was changed in the deed after a command had begun to see it.
type conflict struct {
	Path string `json:"path"`
}

// put puts into the deed what a command wrote to its layer, and tells of it in the result.
// The error is why that is done only in part.
func (env Env) put(ctx context.Context, out sandbox.Outcome, body *ran) error {
	if body.over(out) {
		return nil
	}
	r, err := out.Layer.Read(ctx, env.reads(out.Layer.Deed, listLimit))
	if err != nil {
		body.notPut(err)
		return nil
	}
	body.Refused = r.Refused
	body.list(out.Layer, r)
	Result{body: body}.masked(env) // a journal keeps it
	say, err := json.Marshal(body)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	conflicts, err := env.Apply(ctx, out.Layer, r, say)
	if _, begun := errors.AsType[interface {
		error
		Begun()
	}](err); begun {
		return err
	}
	if err != nil {
		body.notPut(err)
		body.Changed, body.More, body.Made = changes{}, 0, nil
	}
	body.conflict(conflicts)
	return nil
}

// notPut tells in a result why nothing of what its command wrote was put into the deed.
func (b *ran) notPut(err error) {
	b.Error = strings.TrimSpace(b.Error + " What it wrote was not put into deed/, nothing of it: " + disk.Words(err) + ".")
}

// over reports whether a command wrote more than it may: nothing of that counts, and the result
// says how much it was.
func (b *ran) over(out sandbox.Outcome) bool {
	if out.Exceeded != sandbox.OverLayer {
		return false
	}
	for _, l := range []*layer.Layer{out.Layer, out.Home} {
		if l == nil {
			continue
		}
		if err := l.Over(); err != nil {
			b.notPut(err)
		}
	}
	return true
}

// reads are the rules by which what a command wrote counts, read with the hashes of so many
// changes.
func (env Env) reads(deed string, hash int) layer.Options {
	return layer.Options{Hash: hash, Human: env.Sandbox.Human(), Known: env.Hash, LinkOK: func(name, target string) bool {
		if disk.Climbs(target) {
			return false
		}
		at := target
		if !path.IsAbs(at) {
			at = filepath.Join(deed, path.Dir(name), at)
		}
		at = filepath.Clean(at)
		return at == env.ProjectDir || strings.HasPrefix(at, env.ProjectDir+"/") || env.Sandbox.Shows(at)
	}}
}

// list puts into a result what a reading says of files, links and new folders outside of git's.
func (b *ran) list(l *layer.Layer, r *layer.Reading) {
	for _, c := range r.Changes {
		switch {
		case c.Kind == effect.Added && c.Type == effect.Folder && !c.Git && !c.Conflict:
			if len(b.Made) < listLimit && !slices.ContainsFunc(b.Made, func(above string) bool { return strings.HasPrefix(c.Path, above+"/") }) {
				b.Made = append(b.Made, c.Path)
			}
		case !c.Listed() || c.Conflict:
		case len(b.Changed.files) == listLimit:
			b.More++
		default:
			b.Changed.files = append(b.Changed.files, fileOf(l, c))
		}
	}
}

// fileOf is a change as results tell it.
func fileOf(l *layer.Layer, c layer.Change) change.FileHash {
	f := change.FileHash{Path: c.Path, Replaced: &c.Before}
	if c.Kind == effect.Deleted || c.Type == effect.Folder { // a folder in the place of a file
		f.Deleted = true
	} else if c.Type == effect.Link {
		f.Link = linkIn(l.Up(), c)
	} else {
		f.SHA256 = c.After
	}
	if c.Stood.Kind() == tree.LinkKind {
		f.ReplacedLink = cmp.Or(linkIn(l.Deed, c), "\uFFFD")
	}
	var was, is uint32
	if c.Stood.Kind() == tree.FileKind {
		was = uint32(c.BeforeMode.Perm())
	}
	if c.Kind != effect.Deleted && c.Type == effect.File {
		is = c.Perm()
	}
	f.ReplacedMode, f.Mode = octals(was, is)
	return f
}

// linkIn returns where a link in a folder leads, "" where that can't be read.
func linkIn(dir string, c layer.Change) string {
	to, _ := os.Readlink(filepath.Join(dir, c.Name))
	return strings.ToValidUTF8(to, "\uFFFD")
}

// octals are FileHash.ReplacedMode and Mode; 0 is of what is no file.
func octals(before, after uint32) (replaced, mode string) {
	switch {
	case before == after:
	case before != 0 && after != 0:
		return change.Octal(before), change.Octal(after)
	case before != 0 && !change.NewPerm(before):
		return change.Octal(before), ""
	case after != 0 && !change.NewPerm(after):
		return "", change.Octal(after)
	}
	return "", ""
}

// conflict tells in a result which paths kept what stood there.
func (b *ran) conflict(paths []string) {
	if len(paths) == 0 {
		return
	}
	for _, p := range paths {
		b.Conflicts = append(b.Conflicts, conflict{p})
	}
	b.Changed.files = slices.DeleteFunc(b.Changed.files, func(f change.FileHash) bool { return slices.Contains(paths, f.Path) })
	b.Made = slices.DeleteFunc(b.Made, func(made string) bool { return slices.Contains(paths, made) })
	b.Error = strings.TrimSpace(b.Error + " Somebody else changed what it changed, after it began: what is named in conflicts stands in deed/ as they left it, and all else is as the command left it. Read these files anew before you go on.")
}

// Finished is the result of a command whose changes were put into the deed after a kill: say
// is what Env.Apply was given.
func Finished(say json.RawMessage, conflicts []string) Result {
	var body ran
	if err := json.Unmarshal(say, &body); err != nil {
		return failed(ExecError, "the server ended while what this command changed was put into deed/. All of it is there now. Look at it before you go on.")
	}
	body.conflict(conflicts)
	body.Success = body.Error == ""
	return Result{Success: body.Success, Sandbox: body.Sandbox, body: &body}.sealed()
}
