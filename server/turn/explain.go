package turn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/project"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
	"vibey/server/view"
	"vibey/tools/disk"
)

// Explanation is what the next request of a dialog would be, and why.
type Explanation struct {
	view.State
	Rules    grant.Rules
	Control  []InForce            // what a human said for good in this dialog
	Problems []dialog.SyntaxError // lines of doc-main.md that are no rules
	Budget   governor.Budget
	Phase    governor.Phase
	Stopped  string // why the governor stopped the last turn, "" if it did not

	// Why is the reason if no request can follow yet, and what comes first; "" if one can.
	Why string
	// Continues: a human's Continue comes first.
	Continues bool
	Notes     []governor.Note // appended first
	Summed    string          // the sections for which a Summary is made first, "" for none
	NoTools   bool
	API       string
	Prefix    string
	Body      []byte // of the request, as it is sent
}

// Explain returns the request that this dialog would send next, as its file stands. It
// asks no provider and writes nothing, but for the repair of what a kill left.
func (r *Runner) Explain(p *project.Project, id string) (Explanation, error) {
	v, err := r.View(p, id)
	if err == nil && v.Size != int64(len(v.Text)) { // the request has what a reader is not shown
		var f project.File
		f, err = p.ReadFile(v.Filename)
		v.Dialog = dialog.Parse(f.Content)
	}
	if err != nil {
		return Explanation{}, err
	}
	doc, err := p.LeadingDoc()
	if err != nil {
		return Explanation{}, err
	}
	x := Explanation{State: v.State, Control: inForce(&v, grant.Of(v.Dialog, r.Authority(p.Name(), id)))}
	x.Rules, x.Problems = grant.ParseRules(doc.Content, r.Names())
	j := r.Judge(v.Dialog, x.Rules)
	j.Extend(v.Dialog)
	x.Budget, x.Phase, x.Stopped = j.Budget(), j.Phase(), j.Stopped()
	if x.Why = notYet(v.Dialog, r.Decide(p, id, v.Dialog)); x.Why == "" {
		x.follow(r, p, v.Dialog, j)
	}
	return x, nil
}

// InForce is a line of control text that holds, and the line of the dialog's file in which it
// stands, from 1 on.
type InForce struct {
	Line int
	Text string
}

// inForce returns the rules of a dialog in the order of its file.
func inForce(v *view.View, g grant.Grants) (out []InForce) {
	rules := maps.Clone(g.Rules)
	if g.Network {
		rules[grant.Network] = grant.Allow
	}
	file := strings.Split(v.Text, "\n")
	for subject, verb := range rules {
		said := InForce{Text: string(verb) + " " + subject}
		says := func(line string) bool { return reads(line, said.Text) }
		for _, i := range slices.Backward(v.Dialog.Authorizations()) {
			if from := v.Dialog.Line(i); from > 0 && slices.ContainsFunc(strings.Split(v.Dialog.Sections[i].Text(), "\n"), says) {
				said.Line = from + slices.IndexFunc(file[from-1:], says)
				break
			}
		}
		out = append(out, said)
	}
	slices.SortFunc(out, func(a, b InForce) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Text, b.Text)) })
	return out
}

// reads reports whether a line of control text says the same as one that is stored.
func reads(line, stored string) bool {
	lines, _ := grant.ParseControl(line)
	return len(lines) == 1 && lines[0].String() == stored
}

// notYet returns what has to come before a request, or "".
func notYet(d *dialog.Dialog, calls []grant.Call) string {
	_, whole := history.System(d)
	switch {
	case !d.HasPrompt():
		return "it has no message yet: the system text and the tools are written with the first one"
	case len(calls) > 0 && calls[0].Verdict == grant.Wait:
		return "a call waits for a human; its result goes out with the next request"
	case len(calls) > 0:
		return "calls are decided that have no result yet; Continue runs them first"
	case !whole:
		return "its system text is damaged, and is written anew first"
	}
	return ""
}

// follow finds out what is sent, and what is appended to d for it, in memory alone.
func (x *Explanation) follow(r *Runner, project *project.Project, d *dialog.Dialog, j *governor.Judge) {
	var b history.Builder
	b.Extend(d)
	add := func(notes []governor.Note) {
		x.Notes = append(x.Notes, notes...)
		for _, n := range notes {
			d.Append(record.Judged(d, r.w.Now(), 0, n))
		}
		b.Extend(d)
		j.Extend(d)
	}
	x.Continues = j.Stands()
	add(record.Continued(j, b.Answered()))
	next := j.Next()
	add(next.Notes)
	x.NoTools = next.NoTools
	name, model := b.Model()
	if window := cmp.Or(x.Rules.Window, provider.Known(model).Window); governor.Full(d, window) {
		sums := governor.Compact(d, governor.Room{Window: window, TooLong: governor.TooLong(d)})
		var covers []string
		for i, s := range governor.Summaries(d, r.w.Now(), sums) {
			covers = append(covers, sums[i].Covers)
			d.Append(s)
		}
		x.Summed = strings.Join(covers, ", ")
		b.Extend(d)
	}
	if b.Answered() {
		add([]governor.Note{{Kind: "nudge", To: "model", Text: record.Continue}})
	}
	p, ok := r.w.Provider(name)
	if !ok {
		x.Why = "the provider \"" + name + "\" is not configured here, so its request can't be written"
		return
	}
	// Whether another model sees is asked of its server, which is not asked here.
	pictures, err := look(project, b.History().Items, name, model, func() bool { return true })
	if err != nil {
		x.Why = "its pictures can't be read: " + disk.Words(err)
		return
	}
	if n, ok := pictures.note(); ok {
		add([]governor.Note{n})
	}
	h, instead := brief.Tagged(&b, p)
	if instead != nil {
		p = instead
	} else {
		if brief.NativeAgain(&b, p) {
			add([]governor.Note{{Kind: history.ToolsNote, To: "model", Text: brief.NativeText, Meta: dialog.Fields{{Key: "Calls", Value: history.CallsNative}}}})
		}
		h = b.History()
	}
	x.API = p.API()
	w, ok := p.(provider.Writer)
	if p.API() == acp.API {
		x.Why = "an agent over ACP keeps its own conversation: it is sent the message, and not the dialog"
		return
	}
	if !ok {
		x.Why = "the provider \"" + name + "\" sends no request: it plays a recording"
		return
	}
	x.Body, x.Prefix = w.Request(&provider.Request{Provider: name, Model: model, History: h, Pictures: pictures.bytes, NoTools: x.NoTools, CacheKey: d.Header.CacheKey(x.DialogID)})
}
