package turn

import (
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
)

// speak puts the prompt into the file: open calls are settled, but for what is approved
// where that runs next; the model is told what it was not told yet, then comes the User
// section, all in one append.
func (t *turn) speak(runs bool) error {
	if err := t.tellEffect(); err != nil {
		return err
	}
	settle := t.leavePrompt
	if runs {
		if err := t.partner.Drain(); err != nil {
			return err
		}
		settle = t.denyWaiting
	}
	if err := settle(); err != nil {
		return err
	}
	deed, err := t.deedText()
	if err != nil {
		return err
	}
	told, err := t.tell(deed)
	if err != nil {
		return err
	}
	told = append(told, t.tellInstructions(told, deed.instructions)...)
	told = append(told, t.tellCodebase(told, deed.codebase)...)
	told = append(told, t.tellPlan(told)...)
	told = append(told, t.attached(told)...)
	now := t.r.w.Now()
	meta := dialog.Fields{{Key: "By", Value: t.by}}.With("Intent", t.intent())
	if t.modelChanges() {
		meta = meta.With("Provider", t.in.Provider).With("Model", t.in.Model)
	}
	user := dialog.Section{
		Role: dialog.User, ID: t.dialog().NextID(dialog.User, now, 0), Time: dialog.Span(now, now),
		Meta: meta, Payloads: []dialog.Payload{t.in.Prompt.payload()},
	}
	return t.append(append(told, user)...)
}

// leavePrompt settles all open calls and ends what an agent is at, because the human goes
// on to another prompt.
func (t *turn) leavePrompt() error {
	if err := t.partner.Drain(); err != nil {
		return err
	}
	if err := t.dismiss(); err != nil {
		return err
	}
	return t.partner.Cancel()
}

// attached is what an editor put beside the prompt. It stands in a Note and not in the
// User section, whose words are its author's: they tell how much work is wanted, and
// confirm items of the plan.
func (t *turn) attached(told []dialog.Section) []dialog.Section {
	if t.in.Attached == "" {
		return nil
	}
	text := "[ATTACHED] The editor put these files beside the message that follows, as they are there now:\n\n" + t.in.Attached
	return t.tellAnew(told, "attached", text)
}

// modelChanges reports whether the prompt names another provider or model than the file.
func (t *turn) modelChanges() bool {
	p, m := t.dialog().Model()
	return t.in.Provider != "" && t.in.Provider != p || t.in.Model != "" && t.in.Model != m
}

// tell is what the model must be told before the prompt: the System section at
// the first one, later a Note where doc-main.md has changed since.
func (t *turn) tell(now deedText) ([]dialog.Section, error) {
	main, err := brief.MainDoc(t.in.Project)
	if err != nil {
		return nil, err
	}
	doc, hash := main.Content, main.Hash()
	d := t.dialog()
	secs, err := t.system(doc, hash, now)
	if err != nil {
		return nil, err
	}
	if known, told := toldDoc(d); told {
		if known == hash || len(secs) > 0 && secs[0].Meta.Get("Doc") == hash {
			return secs, nil
		}
		text := "[DOC CHANGED] " + project.MainDoc + " is now as follows; it replaces what you were told before.\n\n" + dialog.Unmarked(doc)
		if hash == "" {
			text = "[DOC CHANGED] " + project.MainDoc + " was deleted. What it said no longer holds."
		}
		secs = append(secs, t.newNote(notes(secs), "doc-change", "model", text, dialog.Field{Key: "Doc", Value: hash}))
		return t.tellProblems(secs, main.Garbled), nil
	}
	if auth, ok := t.wished(doc); ok {
		secs = append(secs, auth)
	}
	_, problems := dialog.ParseRules(doc, t.r.Names())
	return t.tellProblems(secs, append(main.Garbled, problems...)), nil
}

// tellProblems appends the Note about lines of doc-main.md that do not hold, if there are any.
func (t *turn) tellProblems(secs []dialog.Section, problems []dialog.SyntaxError) []dialog.Section {
	if len(problems) == 0 {
		return secs
	}
	return append(secs, t.newNote(notes(secs), "project", "human", projectProblems(problems)))
}

// system is the System section, where the file has no whole one. Where damage
// left a text the model is told that again, with the tools of today.
func (t *turn) system(doc, hash string, of deedText) ([]dialog.Section, error) {
	d := t.dialog()
	text, whole := d.Told()
	agent := t.speaksToAgent()
	if whole || agent && text != "" {
		return nil, nil
	}
	deed, plan := record.Hash(of.codebase), t.plan()
	planned, instructed := hashOf(plan), hashOf(of.instructions)
	if known, told := toldDoc(d); text == "" {
		text = systemText(briefing{t.in.Project.Name(), dialog.Unmarked(doc), of.instructions, of.codebase, plan, agent})
	} else {
		if told {
			hash = dialog.Clean(known, 100)
		}
		deed, _ = toldHash(d.Sections, "codebase", "Codebase")
		planned, _ = toldHash(d.Sections, "plan", "Plan")
		instructed, _ = toldHash(d.Sections, "codebase", instructionsKey)
		if d.TellsTags() { // with the tools of then
			text, _ = provider.CutInstructions(text)
		}
	}
	rules, _ := dialog.ParseRules(doc, t.r.Names())
	set, left, err := t.offer(rules, doc)
	if err != nil {
		return nil, err
	}
	text, calls := t.tellCalls(text, set)
	if agent {
		set = []dialog.ToolSpec{} // it has its own
	}
	specs, err := toolsJSON(set)
	if err != nil {
		return nil, err
	}
	now := t.r.w.Now()
	return append([]dialog.Section{{
		Role: dialog.System, ID: d.NextID(dialog.System, now, 0), Time: dialog.Span(now, now),
		Meta:     dialog.Fields{{Key: "Doc", Value: hash}}.With("Codebase", dialog.Clean(deed, 100)).With("Plan", dialog.Clean(planned, 100)).With(instructionsKey, dialog.Clean(instructed, 100)).With("Calls", calls),
		Payloads: []dialog.Payload{{Type: dialog.SystemMarkdown, Text: text}, {Type: dialog.ToolsJSON, Text: specs}},
	}}, t.leftOut(left)...), nil
}

// tellSystem puts the System section into a file that has no whole one, before
// the model is asked without a prompt.
func (t *turn) tellSystem() error {
	if _, whole := t.dialog().Told(); whole {
		return nil
	}
	doc, hash, err := t.doc()
	if err != nil {
		return err
	}
	deed, err := t.deedText()
	if err != nil {
		return err
	}
	secs, err := t.system(doc, hash, deed)
	if err != nil {
		return err
	}
	return t.append(secs...)
}

// projectProblems returns the text of the Note about rules that do not hold.
func projectProblems(problems []dialog.SyntaxError) string {
	var b strings.Builder
	b.WriteString("These lines of " + project.MainDoc + " do not hold as they are written:\n")
	const most = 20
	for _, p := range dialog.FirstProblems(problems, most) {
		b.WriteString("\n- line " + strconv.Itoa(p.Line) + ": " + p.Text)
	}
	return b.String()
}

// wished is the Authorization that a confirmed wish of doc-main.md gives each
// new dialog. It is the first one: it does not come back behind what a human
// took back.
func (t *turn) wished(doc string) (dialog.Section, bool) {
	w, ok := dialog.FindWish(doc)
	if !ok || t.dialog().Count(dialog.Authorization) > 0 {
		return dialog.Section{}, false
	}
	a := dialog.Authority{Key: t.r.w.Key, Project: t.in.Project.Name()}
	a.ProjectID, _ = t.in.Project.ID() // without one nothing is confirmed
	if !a.Confirmed(w) {
		return dialog.Section{}, false
	}
	effective, _, _, _ := dialog.Effective(t.dialog(), dialog.Grants{}, w.Text, nil, dialog.Policy{})
	if effective == "" {
		return dialog.Section{}, false
	}
	return t.authorization("project", effective), true
}

// doc reads doc-main.md; a project without one has no text and no hash. The hash
// is over what a model is told of it, which a confirmation of its wish does not
// change.
func (t *turn) doc() (text, hash string, err error) {
	f, err := brief.MainDoc(t.in.Project)
	return f.Content, f.Hash(), err
}

// toldDoc is the hash of the doc-main.md that the model was told last.
func toldDoc(d *dialog.Dialog) (hash string, told bool) {
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		if s.Torn {
			continue
		}
		if s.Role == dialog.System || s.Role == dialog.Note && s.Kind() == "doc-change" && s.Meta.Has("Doc") {
			return s.Meta.Get("Doc"), true
		}
	}
	return "", false
}
