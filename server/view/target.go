package view

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/tools"
)

// targetText is the most of a target's text that is returned: 5 MiB.
const targetText = 5 << 20

// lookEnv is the Env with which the targets of a project's calls are looked at.
// No call is run with it. A deed that is missing, as after a copy by a program that carries
// no empty folders, is made by the turn that needs it: a look tells what can be told without.
func lookEnv(p *project.Project) (tools.Env, error) {
	deed, err := p.DeedDir()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tools.Env{}, err
	}
	return tools.Env{Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: deed}, nil
}

// Targets looks at the file that a call would write, as it stands now; false for a
// call that writes none that may be shown.
type Targets func(tool, input string) (grant.Target, bool)

// TargetsOf returns the targets of a project's calls, in one look (tools.Look). Where named
// is not nil they tell too whether they are Stale by what it has (tools.Env.Hash). The
// project is opened at the first call that asks. If it or its deed can't be opened, no
// target is known; no call could run there either.
func TargetsOf(p *project.Project, named func(path string) (sha string, ok bool)) Targets {
	look := sync.OnceValues(func() (*tools.Look, error) {
		env, err := lookEnv(p)
		env.Hash = named
		return tools.NewLook(env), err
	})
	return func(tool, input string) (grant.Target, bool) {
		l, err := look()
		if err != nil {
			return grant.Target{}, false
		}
		return l.Target(tool, input)
	}
}

// Word is grant.Policy's Target.
func (t Targets) Word(tool, input string) string {
	if target, ok := t(tool, input); ok {
		return target.Word()
	}
	return ""
}

// TargetOf looks at the file that a call of a dialog would write, with its text
// if that is UTF-8 and at most 5 MiB; text is nil otherwise. ok is false for a
// call that writes no file that may be shown. The error is
// fs.ErrNotExist if the dialog has no such call.
func TargetOf(p *project.Project, id, call string) (t grant.Target, text *string, ok bool, err error) {
	file, err := p.ReadDialog(id)
	if err != nil {
		return t, nil, false, err
	}
	d := dialog.Parse(file.Text)
	i := d.Find(dialog.ToolRequest, call)
	if i < 0 {
		return t, nil, false, fmt.Errorf("call %s of %s: %w", call, id, fs.ErrNotExist)
	}
	env, err := lookEnv(p)
	if err != nil {
		return t, nil, false, nil // as in TargetsOf
	}
	t, content, ok := tools.TargetContent(env, d.Sections[i].Tool(), d.Sections[i].Text())
	if ok && content != nil && len(content) <= targetText && utf8.Valid(content) {
		s := string(content)
		text = &s
	}
	return t, text, ok, nil
}
