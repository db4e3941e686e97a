package server

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/invopop/jsonschema"

	"vibey/dialog/jsontext"
)

// problemDetails is the form of every refusal. Yours, Current and ETag are set if a write
// lost a race; Current and ETag are null then if the file is gone.
type problemDetails struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Instance is the urn:uuid of a 500, which its line in the log has too.
	Instance string   `json:"instance,omitempty"`
	Yours    *string  `json:"yours,omitempty"`
	Current  **string `json:"current,omitempty"`
	ETag     **string `json:"etag,omitempty"`
}

func (s *server) getOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	b, err := jsontext.Marshal(openAPI(s.Version, s.routes))
	if err != nil {
		return err
	}
	writeBytes(w, http.StatusOK, append(bytes.ReplaceAll(b, []byte("#/$defs/"), []byte("#/components/schemas/")), '\n'))
	return nil
}

// openAPI returns the table of routes as OpenAPI 3.1, with references to #/$defs.
func openAPI(version string, routes []route) map[string]any {
	defs := jsonschema.Definitions{}
	paths := map[string]map[string]any{}
	for i := range routes {
		r := &routes[i]
		if r.hidden {
			continue
		}
		path := strings.ReplaceAll(r.path, ":.+", "")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(r.method)] = r.operation(defs)
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Vibey", "version": version,
			"description": "Every body is JSON in UTF-8, at most 16 MiB, but for files that are added; every refusal is application/problem+json.",
		},
		"security": []any{map[string]any{"bearer": []string{}}},
		"paths":    paths,
		"components": map[string]any{
			"schemas":         defs,
			"securitySchemes": map[string]any{"bearer": map[string]any{"type": "http", "scheme": "bearer"}},
		},
	}
}

var pathParameter = regexp.MustCompile(`\{(\w+)`)

func (r *route) operation(defs jsonschema.Definitions) map[string]any {
	op := map[string]any{"summary": r.summary, "responses": r.responses(defs)}
	if r.open {
		op["security"] = []any{}
	}
	var params []any
	for _, m := range pathParameter.FindAllStringSubmatch(r.path, -1) {
		params = append(params, parameter(m[1], "path"))
	}
	for _, q := range r.query {
		params = append(params, parameter(q, "query"))
	}
	if params != nil {
		op["parameters"] = params
	}
	content := map[string]any{}
	if r.body != nil {
		content["application/json"] = media(r.body, defs)
	}
	for _, t := range r.takes {
		content[t] = map[string]any{}
	}
	if len(content) > 0 {
		op["requestBody"] = map[string]any{"required": true, "content": content}
	}
	return op
}

func (r *route) responses(defs jsonschema.Definitions) map[string]any {
	content := map[string]any{}
	if r.answer != nil {
		content["application/json"] = media(r.answer, defs)
	}
	for _, t := range r.gives {
		content[t] = map[string]any{}
	}
	all := map[string]any{"default": map[string]any{
		"description": "Why not: what happened, what is safe, what to do.",
		"content":     map[string]any{"application/problem+json": media(problemDetails{}, defs)},
	}}
	if r.made != nil {
		all["201"] = map[string]any{"description": "Made.", "content": map[string]any{"application/json": media(r.made, defs)}}
		if len(content) == 0 {
			return all
		}
	}
	if len(content) == 0 && r.path != "/openapi.json" {
		all["204"] = map[string]any{"description": "Done."}
		return all
	}
	all["200"] = map[string]any{"description": "Done.", "content": content}
	return all
}

func parameter(name, in string) map[string]any {
	return map[string]any{"name": name, "in": in, "required": in == "path", "schema": map[string]any{"type": "string"}}
}

func media(v any, defs jsonschema.Definitions) map[string]any {
	return map[string]any{"schema": shape(v, defs)}
}
