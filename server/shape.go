package server

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"vibey/dialog/history"
	"vibey/server/project"
	"vibey/server/turn"
)

// shape returns the JSON Schema of a Go type in JSON. Structs are put into defs
// under their names, and referred to.
func shape(t reflect.Type, defs map[string]any) map[string]any {
	switch t {
	case reflect.TypeFor[history.RawJSON](), reflect.TypeFor[json.RawMessage]():
		return map[string]any{"description": "any JSON"}
	case reflect.TypeFor[projectList]():
		return oneOf(defs, reflect.TypeFor[[]string](), reflect.TypeFor[[]project.Titled](), reflect.TypeFor[[]projectNeeds]())
	case reflect.TypeFor[fileList]():
		return oneOf(defs, reflect.TypeFor[[]string](), reflect.TypeFor[[]project.Titled]())
	case reflect.TypeFor[turn.Prompt]():
		return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "object"}}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shape(t.Elem(), defs)
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": shape(t.Elem(), defs)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": shape(t.Elem(), defs)}
	case reflect.Struct:
		return structShape(t, defs)
	}
	panic(fmt.Sprintf("server: no shape for %s in JSON", t)) // a type in the table of routes: every test of openapi.json fails
}

func oneOf(defs map[string]any, types ...reflect.Type) map[string]any {
	all := make([]any, len(types))
	for i, t := range types {
		all[i] = shape(t, defs)
	}
	return map[string]any{"oneOf": all}
}

func structShape(t reflect.Type, defs map[string]any) map[string]any {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	ref := map[string]any{"$ref": "#/components/schemas/" + name}
	if _, ok := defs[name]; ok {
		return ref
	}
	defs[name] = nil // stops the recursion of a type that holds itself
	properties, required := map[string]any{}, []string{}
	for _, f := range jsonFields(t) {
		properties[f.name] = shape(f.typ, defs)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	def := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		def["required"] = required
	}
	defs[name] = def
	return ref
}

// jsonField is one member of a struct in JSON.
type jsonField struct {
	name     string
	typ      reflect.Type
	optional bool
}

// jsonFields returns a struct's members, those of embedded structs among them.
func jsonFields(t reflect.Type) []jsonField {
	var out []jsonField
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			out = append(out, jsonFields(f.Type)...)
		case tag != "" && tag != "-":
			out = append(out, jsonField{tag, f.Type, strings.Contains(options, "omitempty")})
		}
	}
	return out
}
