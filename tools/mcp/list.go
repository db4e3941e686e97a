package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
)

// listTools asks a server for all of its tools, a page after the other.
func listTools(ctx context.Context, server string, session *sdk.ClientSession) (Listing, error) {
	l, size, more := Listing{Server: server}, 0, ""
	for page := 0; page < pagesMost; page++ {
		got, err := session.ListTools(context.WithValue(ctx, listing{}, true), &sdk.ListToolsParams{Cursor: more})
		if err != nil {
			return Listing{}, err
		}
		for _, t := range got.Tools {
			l.take(t, &size)
		}
		for _, why := range leftOf(got.Meta) {
			l.leave("%s", why)
		}
		if more = got.NextCursor; more == "" || l.full() {
			break
		}
	}
	if more != "" && !l.full() {
		l.leave("it lists its tools in more than %d pages; what follows is left out", pagesMost)
	}
	slices.SortFunc(l.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return l, nil
}

// leftMost is how many sentences tell of tools that are left out.
const leftMost = 20

// full reports whether nothing more is read of a list: it has all the tools that one may
// have, and more were told of than are told.
func (l *Listing) full() bool { return len(l.Tools) == toolsMost && len(l.Left) > leftMost }

// leave adds a sentence to Left, each one once.
func (l *Listing) leave(format string, a ...any) {
	why := fmt.Sprintf(format, a...)
	if slices.Contains(l.Left, why) {
		return
	}
	if len(l.Left) < leftMost {
		l.Left = append(l.Left, why)
	} else if len(l.Left) == leftMost {
		l.Left = append(l.Left, "more tools are left out")
	}
}

// take adds a tool to the list, or says why it is left out. size is the bytes of the list.
func (l *Listing) take(t *sdk.Tool, size *int) {
	if l.full() {
		return
	}
	if t == nil || t.Name == "" {
		l.leave("a tool without a name is left out")
		return
	}
	name := clip(t.Name, 60)
	schema, err := schemaOf(t.InputSchema)
	tool := Tool{Name: t.Name, Description: description(t), Schema: schema, ReadOnly: t.Annotations != nil && t.Annotations.ReadOnlyHint}
	spec := history.ToolSpec{Name: "mcp", Description: tool.Description, Schema: schema}
	bytes := len(tool.Name) + len(clip(tool.Description, descriptionMost)) + len(schema)
	switch {
	case slices.ContainsFunc(l.Tools, func(o Tool) bool { return o.Name == t.Name }):
		l.leave("the tool %q is listed twice; the first one counts", name)
	case err != nil:
		l.leave("the tool %q is left out: %v", name, err)
	case !spec.Valid():
		l.leave("the tool %q is left out: its input schema is none that providers take", name)
	case len(l.Tools) == toolsMost, *size+bytes > listMost:
		l.leave("the tool %q is left out: a server may have %d tools, and %d KiB of what is told of them", name, toolsMost, listMost>>10)
	default:
		*size += bytes
		l.Tools = append(l.Tools, tool)
	}
}

// description is what a tool says of itself, or else its title.
func description(t *sdk.Tool) string {
	text := cmp.Or(strings.TrimSpace(t.Description), strings.TrimSpace(t.Title))
	if text == "" && t.Annotations != nil {
		text = strings.TrimSpace(t.Annotations.Title)
	}
	return clip(strings.ReplaceAll(text, "\x00", "\uFFFD"), wordsRead)
}

// clip returns s as valid text of at most n characters, and a mark where it was longer.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// schemaOf returns a tool's input schema as every provider takes it: an object with
// properties, without the line that names a version, and without choices at its top,
// for which the Messages API refuses the whole request ("input_schema does not support
// oneOf, allOf, or anyOf at the top level").
func schemaOf(told any) (history.RawJSON, error) {
	schema, ok := told.(map[string]any)
	if !ok {
		return "", fmt.Errorf("its input schema is no object")
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "not", "enum", "$ref"} {
		if _, has := schema[key]; has {
			return "", fmt.Errorf("its input schema has %q at its top, which providers refuse", key)
		}
	}
	delete(schema, "$schema")
	if _, has := schema["type"]; !has {
		schema["type"] = "object"
	}
	if _, has := schema["properties"]; !has {
		schema["properties"] = map[string]any{}
	}
	text, err := jsontext.Marshal(schema)
	if err != nil {
		return "", fmt.Errorf("its input schema can't be written down")
	}
	if len(text) > schemaMost {
		return "", fmt.Errorf("its input schema has %d bytes, more than %d", len(text), schemaMost)
	}
	return history.RawJSON(text), nil
}

func (l Listing) has(tool string) bool {
	return slices.ContainsFunc(l.Tools, func(t Tool) bool { return t.Name == tool })
}

// Masked returns the list as it is told: without secrets, and with each description cut
// to 2,000 characters behind that, so that no part of one stays. A tool whose schema is
// none any more without them, as where a secret is a word of JSON Schema, is left out.
func (l Listing) Masked(mask func(string) string) Listing {
	tools := l.Tools
	l.Tools, l.Left = nil, slices.Clone(l.Left)
	for _, t := range tools {
		t.Description, t.Schema = clip(mask(t.Description), descriptionMost), history.RawJSON(mask(string(t.Schema)))
		if (history.ToolSpec{Name: "mcp", Description: t.Description, Schema: t.Schema}).Valid() {
			l.Tools = append(l.Tools, t)
		} else {
			l.leave("the tool %q is left out: a secret stands in its input schema, which is none without it", clip(t.Name, 60))
		}
	}
	return l
}

// Hash is by what a list is known again, however its tools are named to a model.
func (l Listing) Hash() string {
	h := sha256.New()
	for _, t := range l.Tools {
		fmt.Fprintf(h, "%q %q %q %t\n", t.Name, t.Description, t.Schema, t.ReadOnly)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ListingOf returns the list of a server as a dialog's model was told of it.
func ListingOf(server string, specs []history.ToolSpec) Listing {
	l := Listing{Server: server}
	for _, s := range specs {
		if s.Server == server && Named(s) {
			l.Tools = append(l.Tools, Tool{s.Tool, s.Description, s.Schema, s.ReadOnly})
		}
	}
	slices.SortFunc(l.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return l
}

// Changes says how a list differs from an earlier one, in a few words; "" where it does
// not.
func (l Listing) Changes(since Listing) string {
	was := map[string]Tool{}
	for _, t := range since.Tools {
		was[t.Name] = t
	}
	var added, changed, gone []string
	for _, t := range l.Tools {
		if old, ok := was[t.Name]; !ok {
			added = append(added, t.Name)
		} else if old != t {
			changed = append(changed, t.Name)
		}
		delete(was, t.Name)
	}
	for _, t := range since.Tools {
		if _, ok := was[t.Name]; ok {
			gone = append(gone, t.Name)
		}
	}
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"new", added}, {"changed", changed}, {"gone", gone}} {
		if len(p.names) > 0 {
			parts = append(parts, p.what+": "+quoted(p.names))
		}
	}
	return strings.Join(parts, "; ")
}

// quoted lists a few names as code.
func quoted(names []string) string {
	const most = 10
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, "`"+clip(Shown(n), 60)+"`")
	}
	if more := len(names) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}
