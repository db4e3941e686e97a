package instructions

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"vibey/tools/caught"
)

// tellsOnly are the members of a skill's front matter that are known to grant nothing
// (agentskills.io/specification, 2025-12).
var tellsOnly = []string{"name", "description", "license", "version", "metadata", "compatibility"}

// Grants reports whether a skill, by the text of its file, may allow its agent tools or
// have commands started: whether its front matter says anything but what is known to
// grant nothing, or can't be read.
func Grants(skill []byte) bool {
	text := strings.ReplaceAll(string(bytes.TrimPrefix(skill, []byte("\uFEFF"))), "\r\n", "\n")
	if !strings.HasPrefix(strings.TrimSpace(text), "---") {
		return false
	}
	front := frontMatter(text)
	if strings.TrimSpace(front) == "" || len(front) > headMost {
		return true
	}
	said := map[string]any{}
	if caught.Do(func() error { return yaml.Unmarshal([]byte(front), &said) }) != nil { // anybody's text
		return true
	}
	for key := range said {
		if !slices.Contains(tellsOnly, key) {
			return true
		}
	}
	return false
}
