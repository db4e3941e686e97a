package chat

import (
	"bytes"
	"encoding/json"
	"strings"

	"vibey/provider/wire"
)

// decode reads a chunk. Nearly all have the documented form; the others are
// read again, slowly: content as a list of parts (Mistral), arguments as an
// object instead of a string.
func decode(data []byte, c *chunk) error {
	err := json.Unmarshal(data, c)
	if !wire.Misfit(err) {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) != nil {
		return err
	}
	fixed, e := json.Marshal(straighten(tree))
	if e != nil {
		return err
	}
	*c = chunk{}
	return json.Unmarshal(fixed, c)
}

// straighten turns the known deviations into the documented form.
func straighten(tree any) any {
	switch t := tree.(type) {
	case map[string]any:
		for k, v := range t {
			switch v := v.(type) {
			case []any:
				if k == "content" {
					t[k] = joinParts(v)
					continue
				}
			case map[string]any:
				if k == "arguments" {
					b, _ := json.Marshal(v)
					t[k] = string(b)
					continue
				}
			}
			t[k] = straighten(v)
		}
	case []any:
		for i := range t {
			t[i] = straighten(t[i])
		}
	}
	return tree
}

// joinParts is the text of a list of parts.
func joinParts(parts []any) string {
	var b strings.Builder
	for _, p := range parts {
		if m, ok := p.(map[string]any); ok {
			if s, ok := m["text"].(string); ok {
				b.WriteString(s)
			}
		}
	}
	return b.String()
}
