package providertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"vibey/provider"
)

// Validate tells what a strict provider would refuse in a request body, or nil.
// api is "messages", "responses", "chat" or "tags". It holds the form against the
// documented one (no unknown field passes), and the conversation against the
// rules all of them share: it begins with a user's text; texts are not blank;
// every call has a well-formed id of its own, a tool that was offered (or
// "invalid") and one JSON object as arguments; all its results follow at once,
// in the order of the calls; the model is not asked to follow itself.
func Validate(api string, body []byte) error {
	c, err := read(api, body)
	if err != nil {
		return err
	}
	return c.check()
}

// Request is the body that p sends for r.
func Request(p provider.Writer, r *provider.Request) []byte {
	body, _ := p.Request(r)
	return body
}

// part is one piece of a conversation, whatever the API calls it.
type part struct {
	kind string // user, text, reasoning, call, result
	text string // the text, the readable reasoning, the arguments, the result
	id   string // of a call or a result
	name string // of a call
	sign string // of reasoning: what the provider signed it with
}

// model reports whether the part came from the model.
func (p part) model() bool { return p.kind == "text" || p.kind == "reasoning" || p.kind == "call" }

// conversation is a request, read.
type conversation struct {
	model, system string
	tools         map[string]bool
	toolsText     string
	mute          bool // tool_choice is none
	parts         []part
	bytes         int
}

func read(api string, body []byte) (*conversation, error) {
	c := &conversation{tools: map[string]bool{}, bytes: len(body)}
	if !utf8.Valid(body) {
		return nil, fmt.Errorf("%s: not UTF-8", api)
	}
	if err := soundJSON(body); err != nil {
		return nil, fmt.Errorf("%s: %w", api, err)
	}
	var err error
	switch api {
	case "messages":
		err = c.readMessages(body)
	case "responses":
		err = c.readResponses(body)
	case "chat":
		err = c.readChat(body)
	case "tags":
		if err = c.readChat(body); err == nil {
			err = c.onlyTexts()
		}
	default:
		err = fmt.Errorf("no such api: %q", api)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", api, err)
	}
	return c, nil
}

// pairs are the escapes of JSON that no half of a surrogate pair is a part of, and
// halves what is left of them.
var (
	pairs  = regexp.MustCompile(`\\[^u]|(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	halves = regexp.MustCompile(`(?i)\\ud[89a-f]`)
)

// soundJSON refuses what encoding/json lets pass and the parsers of providers do
// not. Anthropic: "The request body is not valid JSON: no low surrogate in string".
// More than 128 levels are too deep for serde_json.
func soundJSON(b []byte) error {
	if bytes.Contains(b, []byte(`\u`)) && halves.Match(pairs.ReplaceAll(b, nil)) {
		return errors.New("no low surrogate in string")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return nil // decode tells of it
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > 128 {
				return errors.New("recursion limit exceeded")
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// decode reads one JSON value strictly.
func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// schema is what of a JSON Schema is held against what providers take.
type schema struct {
	Type       any
	Properties map[string]schema
	Items      *schema
	Required   []string
}

// tool takes up one offered tool.
func (c *conversation) tool(name string, input json.RawMessage) error {
	var s schema
	if err := json.Unmarshal(input, &s); err != nil || s.Type != "object" {
		return fmt.Errorf("tool %q: its schema is not that of an object", name)
	}
	if s.Properties == nil { // OpenAI's words
		return fmt.Errorf("tool %q: object schema missing properties", name)
	}
	if !callID.MatchString(name) || c.tools[name] {
		return fmt.Errorf("tool %q: no name, or one that is taken", name)
	}
	if err := s.sound(); err != nil {
		return fmt.Errorf("tool %q: %w", name, err)
	}
	c.tools[name] = true
	c.toolsText += name + "\n" + string(input) + "\n"
	return nil
}

// sound holds the types that a schema names against those of JSON Schema, as
// OpenAI and Anthropic do, and its properties against what Anthropic takes for
// their keys: one that is none makes the request ill-formed.
func (s schema) sound() error {
	if s.Type == "array" && s.Items == nil {
		return errors.New("array schema missing items")
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok && s.Properties != nil {
			return fmt.Errorf("required names %q, which is no property", name)
		}
	}
	names, many := s.Type.([]any)
	if !many && s.Type != nil {
		names = []any{s.Type}
	}
	for _, n := range names {
		switch n {
		case "object", "array", "string", "number", "integer", "boolean", "null":
		default:
			return fmt.Errorf("a schema of type %v", n)
		}
	}
	for name, p := range s.Properties {
		if !propertyKey.MatchString(name) {
			return fmt.Errorf("property keys should match pattern %s: %q", propertyKey, name)
		}
		if err := p.sound(); err != nil {
			return err
		}
	}
	if s.Items != nil {
		return s.Items.sound()
	}
	return nil
}

// propertyKey is from Anthropic's refusal: "Property keys should match pattern".
var propertyKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

var callID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check holds the parts against the rules that all APIs share.
func (c *conversation) check() error {
	if c.model == "" {
		return errors.New("no model is named")
	}
	if len(c.parts) == 0 || c.parts[0].kind != "user" {
		return errors.New("the conversation does not begin with a user's text")
	}
	if c.parts[len(c.parts)-1].model() {
		return errors.New("the conversation ends with the model's own words")
	}
	var open []string // calls without a result yet, in order
	seen := map[string]bool{}
	answering := false
	for i, p := range c.parts {
		var err error
		switch {
		case p.kind == "call":
			if answering {
				return fmt.Errorf("part %d: a call stands among the results of others", i)
			}
			err = c.checkCall(p, seen)
			open = append(open, p.id)
		case p.kind == "result":
			if len(open) == 0 || open[0] != p.id {
				return fmt.Errorf("part %d: the result of %q is not the next one due (%q)", i, p.id, open)
			}
			open = open[1:]
			answering = len(open) > 0
		case p.kind == "user" && len(open) > 0:
			return fmt.Errorf("part %d: the user speaks before the results of %q", i, open)
		case answering:
			return fmt.Errorf("part %d: the model speaks before the results of %q", i, open)
		case p.kind == "reasoning":
			if next := c.parts[i+1]; !next.model() {
				err = errors.New("reasoning without what follows from it")
			}
		default:
			if strings.TrimSpace(p.text) == "" {
				err = errors.New("blank text")
			}
		}
		if err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %q have no result", open)
	}
	return nil
}

// onlyTexts refuses what a server without tools does not know.
func (c *conversation) onlyTexts() error {
	if c.toolsText != "" {
		return errors.New("tools are offered to a server that has none")
	}
	for i, p := range c.parts {
		if p.kind != "user" && p.kind != "text" {
			return fmt.Errorf("part %d: a %s for a server without tools", i, p.kind)
		}
	}
	return nil
}

func (c *conversation) checkCall(p part, seen map[string]bool) error {
	if !callID.MatchString(p.id) {
		return fmt.Errorf("the call id %q is not well-formed", p.id)
	}
	if seen[p.id] {
		return fmt.Errorf("the call id %q is there twice", p.id)
	}
	seen[p.id] = true
	if !c.tools[p.name] && p.name != "invalid" {
		return fmt.Errorf("call %s: no tool %q was offered", p.id, p.name)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(p.text), &object); err != nil || object == nil {
		return fmt.Errorf("call %s: the arguments are not one JSON object: %.60q", p.id, p.text)
	}
	if err := soundJSON([]byte(p.text)); err != nil {
		return fmt.Errorf("call %s: %w", p.id, err)
	}
	return nil
}

// request is what the mock needs to know of one.
type request struct {
	model     string
	first     string // the first user text
	responses int    // of the model, in the history
	bytes     int
	mute      bool   // no tool may be called: a recovery round
	tools     bool   // some are offered
	bound     string // a hash of all that a signature is bound to
}

// survey reads a request, and holds the reasoning in it against the signatures
// that the mock gave: like the strictest provider, it wants each block back
// where it stood, behind an unchanged beginning.
func survey(api string, body []byte) (request, error) {
	c, err := read(api, body)
	if err != nil {
		return request{}, err
	}
	q := request{model: c.model, bytes: c.bytes, tools: len(c.tools) > 0, mute: c.mute}
	h := sha256.New()
	fmt.Fprintf(h, "%q%q", c.system, c.toolsText)
	said := false
	for i, p := range c.parts {
		if p.kind == "user" && q.first == "" {
			q.first = p.text
		}
		if honest := p.kind == "text" && p.text == Honestly; p.model() && !said && !honest {
			q.responses++
		}
		said = p.model()
		bound := hex.EncodeToString(h.Sum(nil))
		if strings.HasPrefix(p.sign, "sig_") && p.sign != sign(bound, p.text) {
			return q, fmt.Errorf("part %d: invalid signature: the reasoning is not where it was, or what stands before it has changed", i)
		}
		fmt.Fprintf(h, "%q%q%q%q%q", p.kind, p.text, p.id, p.name, p.sign)
	}
	q.bound = hex.EncodeToString(h.Sum(nil))
	return q, nil
}

// signature signs a reply's reasoning, bound to the request.
func signature(p *Reply, q request) string { return sign(q.bound, p.Reasoning) }

func sign(bound, text string) string {
	sum := sha256.Sum256([]byte(bound + "\n" + text))
	return "sig_" + hex.EncodeToString(sum[:12])
}
