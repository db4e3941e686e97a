// Package brief makes what a model reads before a prompt: the System section at the
// first one, and later Notes of what has changed since. It reads doc-main.md, the plan and
// the deed, appends nothing, and owns the hashes that show which text a model has read already.
//
// Begin with Sources, whose Prompt and System make the sections. Servers and Ledger are folds over
// the sections of a dialog: of failures of MCP servers, and of the hashes of files. Extract asks a model
// what a turn brought for the plan.
package brief

import (
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/server/project"
	"vibey/tools/codebase"
)

// Sources is what the brief of one dialog depends on.
type Sources struct {
	Project *project.Project
	Dialog  *dialog.Dialog
	Now     func() time.Time
	Known   grant.Known     // the names that doc-main.md may use
	Deeds   *codebase.Cache // of summaries of deeds
	Agent   bool            // an agent over ACP is prompted, which has its own tools and rules
	Tags    provider.Tagged // of the next request, nil for native calls
	// Offer returns the tools that doc-main.md gives a new dialog, and what is left out of
	// them, in sentences.
	Offer func(rules grant.Rules, doc string) (specs []history.ToolSpec, left []string, err error)
	// Wish returns the Authorization that a confirmed wish of doc-main.md gives a new dialog.
	Wish func(doc string) (dialog.Section, bool)
}

// Prompt returns what stands before the User section of the next prompt. attached is what
// an editor put beside it, "" for nothing: that stands in a Note and not in the User
// section, whose words are its author's. They show how much work is wanted, and confirm
// items of the plan.
func (b *Sources) Prompt(attached string) ([]dialog.Section, error) {
	deed, err := readDeed(b.Project, b.Deeds)
	if err != nil {
		return nil, err
	}
	x := &draft{d: b.Dialog, now: b.Now}
	if err := b.addMainDoc(x, deed); err != nil {
		return nil, err
	}
	x.addInstructions(deed.instructions)
	x.addCodebase(deed.codebase)
	x.addPlan(readPlan(b.Project))
	if attached != "" {
		x.note("attached", "model", "[ATTACHED] The editor put these files beside the message that follows, as they are there now:\n\n"+attached)
	}
	return x.secs, nil
}

// System returns the System section, if the file has no whole one.
func (b *Sources) System() ([]dialog.Section, error) {
	if _, whole := history.System(b.Dialog); whole {
		return nil, nil
	}
	doc, err := b.Project.LeadingDoc()
	if err != nil {
		return nil, err
	}
	deed, err := readDeed(b.Project, b.Deeds)
	if err != nil {
		return nil, err
	}
	x := &draft{d: b.Dialog, now: b.Now}
	err = b.addSystem(x, doc.Content, doc.Hash(), deed)
	return x.secs, err
}

// addMainDoc adds the System section at the first prompt, later a Note if doc-main.md has
// changed.
func (b *Sources) addMainDoc(x *draft, now deedText) error {
	main, err := b.Project.LeadingDoc()
	if err != nil {
		return err
	}
	doc, hash := main.Content, main.Hash()
	if err := b.addSystem(x, doc, hash, now); err != nil {
		return err
	}
	if known, ok := lastDoc(b.Dialog); ok {
		if known == hash || len(x.secs) > 0 && x.secs[0].Meta.Get("Doc") == hash {
			return nil
		}
		text := "[DOC CHANGED] " + project.MainDoc + " is now as follows; it replaces what you were told before.\n\n" + grant.Unmarked(doc)
		if hash == "" {
			text = "[DOC CHANGED] " + project.MainDoc + " was deleted. What it said no longer holds."
		}
		x.note("doc-change", "model", text, dialog.Field{Key: "Doc", Value: hash})
		x.addProblems(main.Garbled)
		return nil
	}
	if auth, ok := b.Wish(doc); ok {
		x.secs = append(x.secs, auth)
	}
	_, problems := grant.ParseRules(doc, b.Known)
	x.addProblems(append(main.Garbled, problems...))
	return nil
}

// addSystem adds the System section, if the file has no whole one. A text that damage left is
// repeated, with the tools of today.
func (b *Sources) addSystem(x *draft, doc, hash string, of deedText) error {
	d := b.Dialog
	text, whole := history.System(d)
	if whole || b.Agent && text != "" {
		return nil
	}
	deed, plan := dialog.SHA256(of.codebase), readPlan(b.Project)
	planned, instructed := hashOf(plan), hashOf(of.instructions)
	if known, ok := lastDoc(d); text == "" {
		text = systemText(briefing{b.Project.Name(), grant.Unmarked(doc), of.instructions, of.codebase, plan, b.Agent})
	} else {
		if ok {
			hash = dialog.Clean(known, 100)
		}
		deed, _ = lastHash(d.Sections, "codebase", "Codebase")
		planned, _ = lastHash(d.Sections, "plan", "Plan")
		instructed, _ = lastHash(d.Sections, "codebase", instructionsKey)
		if history.CallsByTags(d) { // with the tools of then
			text, _ = provider.CutInstructions(text)
		}
	}
	rules, _ := grant.ParseRules(doc, b.Known)
	set, left, err := b.Offer(rules, doc)
	if err != nil {
		return err
	}
	calls := ""
	if b.Tags != nil { // the words are stored, so that another version of the program sends an old dialog the same
		text, calls = text+"\n\n"+b.Tags.Instructions(set), history.CallsTags
	}
	if b.Agent {
		set = []history.ToolSpec{} // it has its own
	}
	specs, err := jsontext.Marshal(set)
	if err != nil {
		return err
	}
	now := b.Now()
	x.secs = append(x.secs, dialog.Section{
		Role: dialog.System, ID: d.NextID(dialog.System, now, 0), Time: dialog.Span(now, now),
		Meta:     dialog.Fields{{Key: "Doc", Value: hash}}.With("Codebase", dialog.Clean(deed, 100)).With("Plan", dialog.Clean(planned, 100)).With(instructionsKey, dialog.Clean(instructed, 100)).With("Calls", calls),
		Payloads: []dialog.Payload{{Type: dialog.SystemMarkdown, Text: text}, {Type: dialog.ToolsJSON, Text: string(specs)}},
	})
	x.addLeftOut(left)
	return nil
}
