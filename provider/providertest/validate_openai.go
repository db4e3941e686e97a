package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
)

type responsesBody struct {
	Model           string            `json:"model"`
	Instructions    string            `json:"instructions"`
	Input           []json.RawMessage `json:"input"`
	Stream          bool              `json:"stream"`
	Store           *bool             `json:"store"`
	Include         []string          `json:"include"`
	PromptCacheKey  string            `json:"prompt_cache_key"`
	MaxOutputTokens int               `json:"max_output_tokens"`
	ToolChoice      string            `json:"tool_choice"`
	Reasoning       *struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
	} `json:"reasoning"`
	Text struct {
		Format struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
	Tools []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"tools"`
}

// item is any input item of the Responses API that we may send.
type item struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Status  string `json:"status"`
	Role    string `json:"role"`
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Detail   string `json:"detail"`
		ImageURL string `json:"image_url"`
	} `json:"content"`
	CallID           string  `json:"call_id"`
	Name             string  `json:"name"`
	Arguments        string  `json:"arguments"`
	Output           *string `json:"output"`
	EncryptedContent string  `json:"encrypted_content"`
	Summary          *[]struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"summary"`
}

func (c *conversation) readResponses(body []byte) error {
	var b responsesBody
	if err := decode(body, &b); err != nil {
		return err
	}
	c.model, c.system = b.Model, b.Instructions
	if !b.Stream || b.Store == nil || *b.Store {
		return errors.New("stream must be true and store false")
	}
	if len(b.PromptCacheKey) > 64 {
		return errors.New("prompt_cache_key is longer than 64 bytes")
	}
	for _, t := range b.Tools {
		if t.Type != "function" {
			return fmt.Errorf("a tool of type %q", t.Type)
		}
		if err := c.tool(t.Name, t.Parameters); err != nil {
			return err
		}
	}
	if err := checkChoice(b.ToolChoice, len(b.Tools)); err != nil {
		return err
	}
	c.mute = b.ToolChoice == "none"
	for i, raw := range b.Input {
		var it item
		if err := decode(raw, &it); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		p, err := it.part()
		if err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		c.parts = append(c.parts, p...)
	}
	return nil
}

// checkChoice allows tool_choice auto and none, and only beside tools.
func checkChoice(choice string, tools int) error {
	if choice != "" && (tools == 0 || choice != "none" && choice != "auto") {
		return fmt.Errorf("tool_choice %q beside %d tools", choice, tools)
	}
	return nil
}

func (it *item) part() ([]part, error) {
	switch it.Type {
	case "message":
		want, kind := "input_text", "user"
		if it.Role == "assistant" {
			want, kind = "output_text", "text"
		} else if it.Role != "user" {
			return nil, fmt.Errorf("a message by %q", it.Role)
		}
		var out []part
		for _, k := range it.Content {
			if k.Type == "input_image" && it.Role == "user" {
				p, err := picturePart(k.ImageURL)
				if err != nil || k.Detail != "auto" {
					return nil, fmt.Errorf("detail %q: %w", k.Detail, err)
				}
				out = append(out, p)
				continue
			}
			if k.Type != want {
				return nil, fmt.Errorf("content %q by %s", k.Type, it.Role)
			}
			out = append(out, part{kind: kind, text: k.Text})
		}
		if len(out) == 0 {
			return nil, errors.New("no content")
		}
		return out, nil
	case "reasoning":
		if it.EncryptedContent == "" || it.ID == "" || it.Summary == nil {
			return nil, errors.New("reasoning without id, summary or encrypted_content can't be found again with store:false")
		}
		text := ""
		for _, s := range *it.Summary {
			text += s.Text
		}
		return []part{{kind: "reasoning", text: text, sign: it.EncryptedContent}}, nil
	case "function_call":
		return []part{{kind: "call", id: it.CallID, name: it.Name, text: it.Arguments}}, nil
	case "function_call_output":
		if it.Output == nil {
			return nil, errors.New("no output")
		}
		return []part{{kind: "result", id: it.CallID, text: *it.Output}}, nil
	}
	return nil, fmt.Errorf("an item of type %q", it.Type)
}

type chatBody struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ToolChoice string        `json:"tool_choice"`
	Messages   []chatMessage `json:"messages"`
	Tools      []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type chatMessage struct {
	Role       string       `json:"role"`
	Content    *chatContent `json:"content"`
	Reasoning  *string      `json:"reasoning_content"`
	ToolCallID string       `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Extra    json.RawMessage `json:"extra_content"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (c *conversation) readChat(body []byte) error {
	var b chatBody
	if err := decode(body, &b); err != nil {
		return err
	}
	c.model = b.Model
	if !b.Stream || b.StreamOptions == nil || !b.StreamOptions.IncludeUsage {
		return errors.New("stream and stream_options.include_usage must be true")
	}
	for _, t := range b.Tools {
		if t.Type != "function" {
			return fmt.Errorf("a tool of type %q", t.Type)
		}
		if err := c.tool(t.Function.Name, t.Function.Parameters); err != nil {
			return err
		}
	}
	if err := checkChoice(b.ToolChoice, len(b.Tools)); err != nil {
		return err
	}
	c.mute = b.ToolChoice == "none"
	role := ""
	for i, m := range b.Messages {
		if m.Role == role && role != "tool" {
			return fmt.Errorf("message %d: two messages of %q in a row, which some chat templates refuse", i, role)
		}
		role = m.Role
		if m.Role == "system" && i == 0 && m.Content != nil && m.Content.parts == nil {
			c.system = m.Content.text
			continue
		}
		p, err := m.parts()
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		c.parts = append(c.parts, p...)
	}
	return nil
}

func (m *chatMessage) parts() (out []part, err error) {
	switch {
	case m.Role == "user" && m.Content != nil && m.Content.parts != nil:
		return m.Content.parts, nil
	case m.Role == "user" && m.Content != nil:
		out = append(out, part{kind: "user", text: m.Content.text})
	case m.Content != nil && m.Content.parts != nil:
		return nil, fmt.Errorf("a list of parts by %q", m.Role)
	case m.Role == "tool" && m.Content != nil:
		out = append(out, part{kind: "result", id: m.ToolCallID, text: m.Content.text})
	case m.Role == "assistant":
		if m.Content != nil {
			out = append(out, part{kind: "text", text: m.Content.text})
		}
		for _, t := range m.ToolCalls {
			if t.Type != "function" {
				return nil, fmt.Errorf("a call of type %q", t.Type)
			}
			out = append(out, part{kind: "call", id: t.ID, name: t.Function.Name, text: t.Function.Arguments})
		}
		if len(out) == 0 {
			return nil, errors.New("an assistant message with nothing in it")
		}
	default:
		return nil, fmt.Errorf("no such message: role %q", m.Role)
	}
	return out, nil
}
