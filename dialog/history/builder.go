package history

import (
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/jsontext"
)

// Builder folds a dialog's sections into a history, one after the other. A
// builder that is extended after each append gives the same as a fresh one.
type Builder struct {
	system  string
	byTags  bool // system says how to call by tags
	tools   []ToolSpec
	whole   bool            // a whole System section was there
	called  map[string]bool // names of tools that were called
	names   []string        // the same, in the order in which they came
	items   []Item          // stable
	given   int             // how much of items' array a History given out can see
	seen    int             // sections folded
	version int             // of the dialog's index when it was folded
	covers  []Cover         // the ranges that are left out and do not end before seen
	summed  int             // of how many Summaries and undoings of one covers was made; with another all is folded anew
	shown   shown           // the pictures of the whole dialog

	provider, model string // of the next response
	begun           bool   // provider and model were taken from the header
	tags            tags
	calls           []openCall
	answers         int              // how many of calls are answered
	byID            map[string][]int // the unanswered of many calls
	thoughts        []Item           // reasoning that no text or call has followed yet
	scratch         []Item
	words           []Item          // for the next user message, behind the results: texts and pictures
	made            map[string]bool // call ids that wireID made up
}

// Extend folds the sections that d got since the last call. d must be the dialog
// of that call; it may only have been appended to.
func (b *Builder) Extend(d *dialog.Dialog) {
	// Anew where a section that was folded may have become torn, or is covered now.
	// A Note may withdraw pictures that were sent.
	if n := len(d.Summaries()); b.version != d.Version() || b.summed != n || withdraws(d.Sections[min(b.seen, len(d.Sections)):]) {
		*b = Builder{version: d.Version(), summed: n, covers: Covers(d), shown: showing(d)}
	}
	if !b.begun {
		b.provider, b.model, b.begun = dialog.Readable(d.Header.Provider), dialog.Readable(d.Header.Model), true
		b.items = make([]Item, 0, len(d.Sections))
	}
	for ; b.seen < len(d.Sections); b.seen++ {
		if s := &d.Sections[b.seen]; !s.Torn {
			b.fold(d, s)
		}
	}
}

// fold takes in section b.seen. The Summary of a covered range is added at the range's
// beginning, and not where it stands in the file. Of the range itself only the system text, the tools
// and the model are taken. A Summary that names no range that can
// be found is a text like any other, at its own place.
func (b *Builder) fold(d *dialog.Dialog, s *dialog.Section) {
	for len(b.covers) > 0 && b.covers[0].To < b.seen {
		b.covers = b.covers[1:]
	}
	if len(b.covers) == 0 || b.seen < b.covers[0].From {
		if _, ranged := Covered(d, b.seen); !ranged {
			b.add(d, s)
		}
		return
	}
	if c := b.covers[0]; b.seen == c.From {
		b.addText(d.Sections[c.By].Text())
	}
	switch s.Role {
	case dialog.System:
		b.takeSystem(s)
	case dialog.User:
		b.chooseModel(s)
	case dialog.Note:
		if s.Kind() == ToolsNote { // how calls are written
			b.add(d, s)
		}
	}
}

// Model returns the provider and the model that the next request goes to.
func (b *Builder) Model() (provider, model string) { return b.provider, b.model }

// History is the request as it would be sent now. It stays as it is when the
// builder is extended; Items share memory with those of earlier and later ones.
func (b *Builder) History() History {
	items := b.flushed()
	b.items, b.given = items[:len(b.items)], max(b.given, len(items))
	return History{System: b.system, ByTags: b.byTags, Tools: b.offered(), Items: slices.Clip(items), Stable: len(b.items)}
}

// offered returns the tools of the System section, and behind them every other
// tool that was called before it: damage or an edit leaves such calls, and a
// provider refuses a call of a tool that it is not offered. A call behind the
// System section of a tool that it lacks is sent as invalidTool, so that the list
// does not change any more.
func (b *Builder) offered() []ToolSpec {
	tools := slices.Clip(b.tools)
	for _, name := range b.names {
		if name == invalidTool && len(b.tools)+len(b.names) > 1 || b.offers(name) {
			continue
		}
		tools = append(tools, ToolSpec{Name: name, Description: "This tool is not there any more.", Schema: `{"type":"object","properties":{}}`})
	}
	return tools
}

func (b *Builder) offers(name string) bool {
	return slices.ContainsFunc(b.tools, func(t ToolSpec) bool { return t.Name == name })
}

// invalidTool is the name under which a call is sent whose tool we do not have.
const invalidTool = "invalid"

// Answered reports whether the history ends with the model's own text, so that a
// request would have nothing new for it.
func (b *Builder) Answered() bool {
	return len(b.calls) == 0 && len(b.words) == 0
}

func (b *Builder) add(d *dialog.Dialog, s *dialog.Section) {
	switch s.Role {
	case dialog.System:
		b.takeSystem(s)
	case dialog.User:
		b.chooseModel(s)
		b.addPictures(s)
		b.addText(dialog.UserMessage(s))
	case dialog.Note:
		if s.Meta.Get("To") == "model" {
			b.tags.note(s)
			b.addText(s.Text())
		}
	case dialog.Summary:
		b.addText(s.Text())
	case dialog.ToolResult:
		b.answer(s)
	case dialog.Assistant:
		if !dialog.IsBlank(s.Text()) {
			b.emit(Item{Kind: AssistantText, Text: s.Text()})
		}
	case dialog.Reasoning:
		b.reason(s)
	case dialog.ToolRequest:
		b.call(d, s)
	}
}

// chooseModel takes the provider and model that a User section names.
func (b *Builder) chooseModel(s *dialog.Section) {
	provider, model := b.Model()
	if p := s.Meta.Get("Provider"); p != "" {
		b.provider, b.model = dialog.Readable(p), dialog.Readable(s.Meta.Get("Model"))
	} else if m := s.Meta.Get("Model"); m != "" {
		b.model = dialog.Readable(m)
	}
	if b.provider != provider || b.model != model {
		b.tags.otherModel()
	}
}

// takeSystem takes the system text and the tools of the System section that counts; see
// System.
func (b *Builder) takeSystem(s *dialog.Section) {
	if b.whole {
		return
	}
	text := s.Payload(dialog.SystemMarkdown)
	if tools, ok := readTools(s.Payload(dialog.ToolsJSON)); ok && !dialog.IsBlank(text) {
		b.system, b.byTags, b.tools, b.whole = text, callsByTags(s), tools, true
	} else if b.system == "" && !dialog.IsBlank(text) {
		b.system, b.byTags = text, callsByTags(s)
	}
}

func (b *Builder) addText(text string) {
	if !dialog.IsBlank(text) {
		b.words = append(b.words, Item{Kind: UserText, Text: text})
	}
}

// endMessage ends the user's message, if results or texts wait for it: items of the
// model follow.
func (b *Builder) endMessage() {
	if len(b.words) > 0 || b.answers > 0 {
		b.items = b.flushed()
		b.calls, b.words, b.answers, b.byID = b.calls[:0], b.words[:0], 0, nil
		b.thoughts = b.thoughts[:0] // providers refuse reasoning at the end of a run
	}
}

// emit adds a text or a call of the model behind the reasoning that led to it.
func (b *Builder) emit(it Item) {
	b.endMessage()
	if len(b.items) < b.given { // the model went on over results that were missing
		b.move(1)
	}
	if len(b.items) == 0 {
		b.items = append(b.items, Item{Kind: UserText, Text: removedText})
	}
	b.items = append(append(b.items, b.thoughts...), it)
	b.thoughts = b.thoughts[:0]
}

func (b *Builder) reason(s *dialog.Section) {
	text := s.Payload(dialog.ReasoningMarkdown)
	for _, p := range s.Payloads {
		api, ok := strings.CutPrefix(p.Type, "native/")
		if !ok {
			continue
		}
		if api, ok = strings.CutSuffix(api, "+json"); !ok || !jsontext.IsObject(p.Text) {
			continue
		}
		b.endMessage()
		b.thoughts = append(b.thoughts, Item{
			Kind: ReasoningItem, Text: text, Native: p.Text, API: api,
			Provider: b.provider, Model: b.model, Prefix: s.Meta.Get("Prefix"),
		})
	}
}

func (b *Builder) call(d *dialog.Dialog, s *dialog.Section) {
	args := "{}"
	if jsontext.IsObject(s.Text()) {
		args = s.Text()
	}
	tool := s.Tool()
	if !dialog.ValidToolName(tool) || b.whole && !b.offers(tool) {
		tool = invalidTool
	}
	if !b.whole && !b.called[tool] {
		if b.called == nil {
			b.called = make(map[string]bool)
		}
		b.called[tool], b.names = true, append(b.names, tool)
	}
	wire := b.wireID(d, s)
	b.emit(Item{Kind: CallItem, CallID: wire, Tool: tool, Args: args})
	b.calls = append(b.calls, openCall{id: s.ID, wire: wire, tool: tool})
	b.byID = nil
}

// wireID returns the id under which a provider gets the call in section b.seen:
// the call's own if it is valid and no earlier call has it, else one made of the
// section's index.
func (b *Builder) wireID(d *dialog.Dialog, s *dialog.Section) string {
	if d.Find(dialog.ToolRequest, s.ID) == b.seen && dialog.ValidCallID(s.ID) && !b.made[s.ID] {
		return s.ID
	}
	id := "call_s" + strconv.Itoa(b.seen)
	for b.made[id] || d.Requested(id, b.seen) {
		id += "x"
	}
	if b.made == nil {
		b.made = make(map[string]bool)
	}
	b.made[id] = true
	return id
}
