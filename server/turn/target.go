package turn

import (
	"fmt"
	"io/fs"
	"sync"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/tools"
)

// targetText is the most of a target's text that is told: 5 MiB.
const targetText = 5 << 20

// looking is the Env with which the targets of a project's calls are looked at.
// No call is run with it.
func looking(p *project.Project) (tools.Env, error) {
	deed, err := p.DeedDir()
	if err != nil {
		return tools.Env{}, err
	}
	return tools.Env{Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: deed}, nil
}

// targets looks at the file that a call would write, as it stands now; false for a
// call that writes none of which anything may be told.
type targets func(tool, input string) (dialog.Target, bool)

// targetsOf returns the targets of a project's calls, in one look (tools.Look). The
// project is opened at the first call that asks. Where it or its deed can't be,
// nothing is told; no call could run there either.
func targetsOf(p *project.Project) targets {
	look := sync.OnceValues(func() (*tools.Look, error) {
		env, err := looking(p)
		return tools.NewLook(env), err
	})
	return func(tool, input string) (dialog.Target, bool) {
		l, err := look()
		if err != nil {
			return dialog.Target{}, false
		}
		return l.Target(tool, input)
	}
}

// wordOf is dialog.Policy's Target.
func wordOf(targets targets) func(tool, input string) string {
	return func(tool, input string) string {
		if t, ok := targets(tool, input); ok {
			return t.Word()
		}
		return ""
	}
}

// Target looks at the file that a call of a dialog would write, with its text
// where that is UTF-8 and at most 5 MiB; text is nil otherwise. ok is false for a
// call that writes no file of which something could be told. The error is
// fs.ErrNotExist where the dialog has no such call.
func (r *Runner) Target(p *project.Project, id, call string) (t dialog.Target, text *string, ok bool, err error) {
	file, err := p.ReadDialog(id)
	if err != nil {
		return t, nil, false, err
	}
	d := dialog.Parse(file.Text)
	i := d.Find(dialog.ToolRequest, call)
	if i < 0 {
		return t, nil, false, fmt.Errorf("call %s of %s: %w", call, id, fs.ErrNotExist)
	}
	env, err := looking(p)
	if err != nil {
		return t, nil, false, nil // as in targets: nothing is told
	}
	t, content, ok := tools.TargetContent(env, d.Sections[i].Tool(), d.Sections[i].Text())
	if ok && content != nil && len(content) <= targetText && utf8.Valid(content) {
		s := string(content)
		text = &s
	}
	return t, text, ok, nil
}
