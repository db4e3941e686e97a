package hub

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"vibey/dialog/effect"
	"vibey/dialog/grant"
)

// Effect is what a tried command did, as it waits for a human.
type Effect struct {
	effect.Effect
	Held     bool   `json:"held,omitempty"` // its bytes lie on the machine where it ran, and not in the project
	ExitCode int    `json:"exitCode"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

// EffectOf is what waits of a call, nil for one that has not run.
func EffectOf(c *grant.Call) *Effect {
	if c.Effect == nil {
		return nil
	}
	return &Effect{c.Effect.Effect, c.Effect.Held, c.Effect.ExitCode, c.Effect.Stdout, c.Effect.Stderr}
}

// Word is how an approval names the effect; "" for none.
func (e *Effect) Word() string {
	if e == nil {
		return ""
	}
	return e.SHA256
}

// Lines says each change in a line, such as "added deed/a, 12 bytes".
func (e *Effect) Lines() []string {
	lines := make([]string, len(e.Changes))
	for i, c := range e.Changes {
		lines[i] = string(c.Kind) + " " + OneLine(c.Path)
		switch {
		case c.Type == effect.File && c.Kind != effect.Deleted:
			lines[i] += fmt.Sprintf(", %d bytes", c.Bytes)
		case c.Type != effect.File:
			lines[i] += ", a " + string(c.Type)
		}
		if c.Mode != "" && c.Mode != "644" && c.Mode != "664" && c.Type == effect.File {
			lines[i] += ", mode " + c.Mode
		}
	}
	return lines
}

// OneLine is a path as it stands in a line, whatever it is called.
func OneLine(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}
