package server

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"vibey/dialog/history"
	"vibey/server/turn"
)

// oneOf is an answer in the table of routes that has one of several types.
type oneOf []any

// shape returns the JSON Schema of v's type. Structs are put into defs under their
// names, and referred to.
func shape(v any, defs jsonschema.Definitions) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if types, ok := v.(oneOf); ok {
		for _, t := range types {
			s.OneOf = append(s.OneOf, shape(t, defs))
		}
		return s
	}
	s = reflector.Reflect(v)
	maps.Copy(defs, s.Definitions)
	s.Version, s.Definitions = "", nil
	return s
}

var reflector = jsonschema.Reflector{
	Anonymous: true, AllowAdditionalProperties: true,
	Namer: func(t reflect.Type) string {
		first := min(1, len(t.Name())) // a slice has no name
		return strings.ToUpper(t.Name()[:first]) + t.Name()[first:]
	},
	Mapper: func(t reflect.Type) *jsonschema.Schema {
		switch t {
		case reflect.TypeFor[history.RawJSON](), reflect.TypeFor[json.RawMessage]():
			return &jsonschema.Schema{Extras: map[string]any{"description": "any JSON"}} // a property's Description is overwritten
		case reflect.TypeFor[turn.On]():
			one := (&jsonschema.Reflector{Anonymous: true, DoNotReference: true}).Reflect(turn.Place{})
			one.Version = ""
			return &jsonschema.Schema{OneOf: []*jsonschema.Schema{one, {Type: "array", Items: one, MinItems: new(uint64(1)), MaxItems: new(uint64(turn.OnMost))}}}
		case reflect.TypeFor[turn.Prompt]():
			return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "object"}}}
		}
		return nil
	},
}
