package history

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/jsontext"
)

// readTools reads the tools/json of a System section. ok is false where a
// provider would refuse what stands there, as after damage: there is a tool, each
// has a name of its own and a JSON Schema of an object, and all of it is UTF-8.
// The caller must not change the tools, which others may have too.
func readTools(text string) (tools []ToolSpec, ok bool) {
	if len(text) > readMax {
		return decodeTools(text)
	}
	toolsRead.Lock()
	defer toolsRead.Unlock()
	r, known := toolsRead.of[text]
	if !known {
		text = strings.Clone(text) // the dialog's text may be large
		r.tools, r.ok = decodeTools(text)
		if toolsRead.of == nil || len(toolsRead.of) >= readMost {
			toolsRead.of = map[string]readResult{}
		}
		toolsRead.of[text] = r
	}
	return r.tools, r.ok
}

// toolsRead keeps what readTools returned for the last texts, a function of the text
// alone: nearly all dialogs have one of a few of some 6 KB, and to read that took 57 %
// of a listing of 2,250 dialogs of 19 KB.
var toolsRead struct {
	sync.Mutex
	of map[string]readResult
}

type readResult struct {
	tools []ToolSpec
	ok    bool
}

const (
	readMost = 16       // texts that are kept
	readMax  = 64 << 10 // bytes of each
)

func decodeTools(text string) (tools []ToolSpec, ok bool) {
	if b := []byte(text); !jsontext.Valid(b, jsontext.MaxDepth) || json.Unmarshal(b, &tools) != nil || len(tools) == 0 {
		return nil, false
	}
	seen := make(map[string]bool, len(tools))
	for _, t := range tools {
		if seen[t.Name] || !t.Valid() {
			return nil, false
		}
		seen[t.Name] = true
	}
	return tools, true
}

// listDepth is how deep a schema stands in a list of tools: in the list and in its tool.
const listDepth = 2

// Valid reports whether a provider takes the tool: its name, and its schema, which is
// one of an object. A list of valid tools with different names is read back whole.
func (t ToolSpec) Valid() bool {
	b := []byte(t.Schema)
	var schema map[string]json.RawMessage
	return dialog.ValidCallID(t.Name) && utf8.ValidString(t.Description) && jsontext.Valid(b, jsontext.MaxDepth-listDepth) && json.Unmarshal(b, &schema) == nil &&
		string(schema["type"]) == `"object"` && schema["properties"] != nil && soundSchema(b)
}

// schemaTypes are the names that "type" may have in a JSON Schema.
var schemaTypes = map[string]bool{
	"object": true, "array": true, "string": true, "number": true, "integer": true, "boolean": true, "null": true,
}

// soundSchema reports whether the keywords that a schema is made of have values
// of their kind. What it does not know it lets pass, as JSON Schema does.
func soundSchema(text []byte) bool {
	var b bool
	if json.Unmarshal(text, &b) == nil {
		return string(text) != "null"
	}
	var schema map[string]json.RawMessage
	if json.Unmarshal(text, &schema) != nil || schema == nil {
		return false
	}
	for key, value := range schema {
		if !soundKeyword(key, value) {
			return false
		}
	}
	if string(schema["type"]) == `"array"` && schema["items"] == nil {
		return false
	}
	return requiredAreThere(schema)
}

// requiredAreThere reports whether each name in "required" is that of a property.
func requiredAreThere(schema map[string]json.RawMessage) bool {
	if schema["required"] == nil || schema["properties"] == nil {
		return true
	}
	var properties map[string]json.RawMessage
	names, _ := stringList(schema["required"])
	return json.Unmarshal(schema["properties"], &properties) == nil && !slices.ContainsFunc(names, func(n string) bool { return properties[n] == nil })
}

// isPropertyName reports whether Anthropic takes name as a property's:
// ^[a-zA-Z0-9_.-]{1,64}$.
func isPropertyName(name string) bool {
	return name != "" && len(name) <= 64 && dialog.IsMadeOf(name, "_.-")
}

func soundKeyword(key string, value json.RawMessage) bool {
	switch key {
	case "type":
		var one string
		if json.Unmarshal(value, &one) == nil {
			return schemaTypes[one]
		}
		many, ok := stringList(value)
		return ok && len(many) > 0 && !slices.ContainsFunc(many, func(t string) bool { return !schemaTypes[t] })
	case "properties", "patternProperties", "$defs", "definitions":
		var of map[string]json.RawMessage
		if json.Unmarshal(value, &of) != nil || of == nil {
			return false
		}
		for name, s := range of {
			if key == "properties" && !isPropertyName(name) || !soundSchema(s) {
				return false
			}
		}
		return true
	case "items", "additionalProperties", "not":
		return soundSchema(value)
	case "anyOf", "oneOf", "allOf":
		var of []json.RawMessage
		return json.Unmarshal(value, &of) == nil && len(of) > 0 && !slices.ContainsFunc(of, func(s json.RawMessage) bool { return !soundSchema(s) })
	case "required":
		names, ok := stringList(value)
		return ok && len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names)
	case "enum":
		var of []json.RawMessage
		return json.Unmarshal(value, &of) == nil && len(of) > 0
	case "description", "title", "pattern", "format":
		return len(value) > 0 && value[0] == '"'
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		var n uint64
		return json.Unmarshal(value, &n) == nil && string(value) != "null"
	case "minimum", "maximum":
		var n float64
		return json.Unmarshal(value, &n) == nil && string(value) != "null"
	}
	return true
}

// stringList reads a JSON array of strings.
func stringList(value json.RawMessage) (list []string, ok bool) {
	var all []*string // nil for a null
	if json.Unmarshal(value, &all) != nil || all == nil || slices.Contains(all, nil) {
		return nil, false
	}
	for _, s := range all {
		list = append(list, *s)
	}
	return list, true
}

// ToolSpec is one tool as it is described to a model. Schema is a JSON Schema object.
type ToolSpec struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Schema      RawJSON `json:"input_schema"`

	// Of a tool of an MCP server: the server's name, what the server calls the tool, and
	// whether it says that the tool changes nothing. No provider is sent these: they keep
	// in the text what a call needs. "" and false for all other tools.
	Server   string `json:"server,omitempty"`
	Tool     string `json:"tool,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
}

// RawJSON is JSON kept as its bytes, in memory as in the file.
type RawJSON string

// MarshalJSON gives the bytes back.
func (r RawJSON) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return []byte(r), nil
}

// UnmarshalJSON keeps the bytes.
func (r *RawJSON) UnmarshalJSON(b []byte) error { *r = RawJSON(b); return nil }
