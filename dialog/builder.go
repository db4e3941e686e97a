package dialog

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Builder folds a dialog's sections into a history, one after the other. A
// builder that is extended after each append gives the same as a fresh one.
type Builder struct {
	system string
	tools  []ToolSpec
	told   bool   // the System section was there
	items  []Item // stable
	seen   int    // sections folded

	provider, model string // of the next response
	asked           bool   // provider and model were taken from the header
	calls           []openCall
	texts           []string        // for the next user message, behind the results
	ids             map[string]bool // call ids in items
}

// openCall is a call of the last response, and its result once it came.
type openCall struct {
	id, wire, tool string
	result         *Item
}

// Extend folds the sections that came since the last time. d must be the
// dialog of the time before, appended to.
func (b *Builder) Extend(d *Dialog) {
	if !b.asked {
		b.provider, b.model, b.asked = d.Header.Provider, d.Header.Model, true
		b.items = make([]Item, 0, len(d.Sections)+4)
		b.ids = make(map[string]bool)
	}
	for ; b.seen < len(d.Sections); b.seen++ {
		if s := &d.Sections[b.seen]; !s.Torn {
			b.add(s)
		}
	}
}

// Target is the provider and model that the next request goes to.
func (b *Builder) Target() (provider, model string) { return b.provider, b.model }

// History is the request as it would be sent now. The items before Stable are
// shared with later results; the tail is of this one alone.
func (b *Builder) History() History {
	stable := len(b.items)
	items := b.flushed()
	return History{System: b.system, Tools: b.tools, Items: items, Stable: stable}
}

// Answered tells whether the history ends with the model's own text, so that
// there is nothing to ask it.
func (b *Builder) Answered() bool {
	return len(b.calls) == 0 && len(b.texts) == 0
}

func (b *Builder) add(s *Section) {
	switch s.Role {
	case System:
		b.tell(s)
	case User:
		if p := s.Meta.Get("Provider"); p != "" {
			b.provider = p
			b.model = s.Meta.Get("Model")
		} else if m := s.Meta.Get("Model"); m != "" {
			b.model = m
		}
		b.say(UserInput(s))
	case Note:
		if s.Meta.Get("To") == "model" {
			b.say(s.Text())
		}
	case Summary:
		b.say(s.Text())
	case ToolResult:
		b.answer(s)
	case Assistant:
		if text := s.Text(); strings.TrimSpace(text) != "" {
			b.emit(Item{Kind: AssistantText, Text: text})
		}
	case Reasoning:
		b.reason(s)
	case ToolRequest:
		b.call(s)
	}
}

// tell takes the system text and the tools; only the first of them counts.
func (b *Builder) tell(s *Section) {
	if b.told {
		return
	}
	b.told = true
	b.system = s.Payload(SystemMarkdown)
	var tools []ToolSpec
	if json.Unmarshal([]byte(s.Payload(ToolsJSON)), &tools) == nil {
		b.tools = tools
	}
}

func (b *Builder) say(text string) {
	if strings.TrimSpace(text) != "" {
		b.texts = append(b.texts, text)
	}
}

// emit adds what the model said, behind the user message that it answers.
func (b *Builder) emit(it Item) {
	if len(b.texts) > 0 || slices.ContainsFunc(b.calls, func(c openCall) bool { return c.result != nil }) {
		b.items = b.flushed()
		b.calls, b.texts = nil, nil
	}
	if len(b.items) == 0 {
		b.items = append(b.items, Item{Kind: UserText, Text: removedText})
	}
	b.items = append(b.items, it)
}

// flushed is the items with the results and texts that wait for the next
// message: every call answered, in the order of the requests, then the texts.
func (b *Builder) flushed() []Item {
	items := b.items
	for _, c := range b.calls {
		if c.result != nil {
			items = append(items, *c.result)
			continue
		}
		items = append(items, Item{Kind: ResultItem, CallID: c.wire, Tool: c.tool, Text: unansweredResult, Failed: true})
	}
	for _, t := range b.texts {
		items = append(items, Item{Kind: UserText, Text: t})
	}
	return items
}

func (b *Builder) reason(s *Section) {
	for _, p := range s.Payloads {
		api, ok := strings.CutPrefix(p.Type, "native/")
		if !ok {
			continue
		}
		if api, ok = strings.CutSuffix(api, "+json"); !ok || !IsObject(p.Text) {
			continue
		}
		b.emit(Item{
			Kind: ReasoningItem, Text: s.Payload(ReasoningMarkdown), Native: p.Text, API: api,
			Provider: b.provider, Model: b.model, Prefix: s.Meta.Get("Prefix"),
		})
	}
}

func (b *Builder) call(s *Section) {
	wire := s.ID
	if !ValidCallID(wire) || b.ids[wire] {
		wire = "call_s" + strconv.Itoa(b.seen)
	}
	args := s.Text()
	if !IsObject(args) {
		args = "{}"
	}
	tool := s.Tool()
	if !isToolName(tool) {
		tool = "invalid"
	}
	b.emit(Item{Kind: CallItem, CallID: wire, Tool: tool, Args: args})
	b.ids[wire] = true
	b.calls = append(b.calls, openCall{id: s.ID, wire: wire, tool: tool})
}

func (b *Builder) answer(s *Section) {
	for i := range b.calls {
		c := &b.calls[i]
		if c.id != s.ID || c.result != nil {
			continue
		}
		text := s.Text()
		if strings.TrimSpace(text) == "" {
			text = unansweredResult
		}
		c.result = &Item{Kind: ResultItem, CallID: c.wire, Tool: c.tool, Text: text, Failed: s.Meta.Get("Status") != CallApproved || !Succeeded(text)}
		return
	}
}

// Succeeded tells whether a result's JSON says "success": true.
func Succeeded(result string) bool {
	if strings.HasPrefix(result, `{"success":true`) { // as our tools begin
		return true
	}
	if strings.HasPrefix(result, `{"success":false`) {
		return false
	}
	var r struct {
		Success bool `json:"success"`
	}
	return json.Unmarshal([]byte(result), &r) == nil && r.Success
}

// UserInput is what the model reads of a User section: its markdown, or its
// JSON's text, or else the JSON as it is.
func UserInput(s *Section) string {
	var parts []string
	for _, p := range s.Payloads {
		text := p.Text
		if p.Type == InputJSON {
			var in struct {
				Text *string `json:"text"`
			}
			if json.Unmarshal([]byte(p.Text), &in) == nil && in.Text != nil {
				text = *in.Text
			}
		}
		parts = append(parts, text)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, "\n\n")
}
