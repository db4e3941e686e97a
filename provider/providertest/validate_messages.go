package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
)

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// block is any content block of Anthropic's that we may send.
type block struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text"`
	Thinking     *string         `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      *string         `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl *cacheControl   `json:"cache_control"`
	Source       *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

type messagesBody struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	Thinking  *struct {
		Type    string `json:"type"`
		Budget  int    `json:"budget_tokens"`
		Display string `json:"display"`
	} `json:"thinking"`
	System []block `json:"system"`
	Tools  []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
	} `json:"tool_choice"`
	Messages []struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	} `json:"messages"`
}

func (c *conversation) readMessages(body []byte) error {
	var b messagesBody
	if err := decode(body, &b); err != nil {
		return err
	}
	c.model = b.Model
	if b.MaxTokens < 1 || !b.Stream {
		return errors.New("max_tokens or stream is missing")
	}
	if b.ToolChoice != nil && len(b.Tools) == 0 {
		return errors.New("tool_choice without tools")
	}
	c.mute = b.ToolChoice != nil && b.ToolChoice.Type == "none"
	hints := 0
	for _, s := range b.System {
		if s.Type != "text" || s.Text == nil || *s.Text == "" {
			return errors.New("system holds something else than text")
		}
		c.system += *s.Text
		if s.CacheControl != nil {
			hints++
		}
	}
	for _, t := range b.Tools {
		if err := c.tool(t.Name, t.InputSchema); err != nil {
			return err
		}
	}
	role := ""
	for i, m := range b.Messages {
		if m.Role == role || m.Role != "user" && m.Role != "assistant" {
			return fmt.Errorf("message %d: two messages of %q in a row, or no role at all", i, m.Role)
		}
		role = m.Role
		if len(m.Content) == 0 {
			return fmt.Errorf("message %d: no content", i)
		}
		spoke := false
		for j := range m.Content {
			k := &m.Content[j]
			if k.CacheControl != nil {
				if hints++; k.CacheControl.Type != "ephemeral" || k.Type == "thinking" {
					return fmt.Errorf("message %d: cache_control where it can't be", i)
				}
			}
			p, err := k.part(m.Role)
			if err != nil {
				return fmt.Errorf("message %d, block %d: %w", i, j, err)
			}
			if p.kind == "result" && spoke {
				return fmt.Errorf("message %d, block %d: a tool_result must come before the text", i, j)
			}
			spoke = p.kind != "result"
			c.parts = append(c.parts, p)
		}
	}
	if hints > 4 {
		return fmt.Errorf("%d cache_control hints, 4 are allowed", hints)
	}
	return nil
}

// part reads one block of a message by role.
func (k *block) part(role string) (part, error) {
	switch {
	case k.Type == "text" && k.Text != nil && role == "user":
		return part{kind: "user", text: *k.Text}, nil
	case k.Type == "text" && k.Text != nil:
		return part{kind: "text", text: *k.Text}, nil
	case k.Type == "image" && role == "user" && k.Source != nil && k.Source.Type == "base64":
		return picturePart("data:" + k.Source.MediaType + ";base64," + k.Source.Data)
	case k.Type == "tool_result" && role == "user" && k.Content != nil:
		return part{kind: "result", id: k.ToolUseID, text: *k.Content}, nil
	case role == "user":
		return part{}, fmt.Errorf("a user can't send %q", k.Type)
	case k.Type == "thinking" && k.Thinking != nil && k.Signature != "":
		return part{kind: "reasoning", text: *k.Thinking, sign: k.Signature}, nil
	case k.Type == "redacted_thinking" && k.Data != "":
		return part{kind: "reasoning", sign: k.Data}, nil
	case k.Type == "tool_use":
		return part{kind: "call", id: k.ID, name: k.Name, text: string(k.Input)}, nil
	}
	return part{}, fmt.Errorf("the model can't have sent this %q", k.Type)
}
