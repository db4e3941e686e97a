package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"vibey/provider"
	"vibey/provider/anthropic"
)

func TestMessages(t *testing.T) {
	skip := map[string]string{
		"compatible": "a server that leaves out event names, which the SDK goes by",
		"error_bare": "an error as gateways send it, which the SDK passes over",
		"length":     "arguments that a limit cut, in place of which the SDK puts {}",
	}
	fixtures(t, "anthropic", skip, func(t *testing.T, url string) (said, said) {
		return ours(anthropic.New(provider.Config{BaseURL: url})), messages(url)
	})
}

func messages(url string) (s said) {
	client := sdk.NewClient(option.WithBaseURL(url), option.WithAPIKey("k"), option.WithMaxRetries(0))
	stream := client.Messages.NewStreaming(context.Background(), sdk.MessageNewParams{
		Model: "m", MaxTokens: 100, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("Go."))},
	})
	var m sdk.Message
	for stream.Next() {
		// The SDK refuses event types of later versions; the documentation asks to pass them over.
		if e := stream.Current(); strings.HasPrefix(e.Type, "message") || strings.HasPrefix(e.Type, "content") {
			if err := m.Accumulate(e); err != nil {
				s.Failed = true
				return s
			}
		}
	}
	s.Failed = stream.Err() != nil
	if s.Failed {
		return s
	}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			s.Text += b.Text
		case "thinking":
			s.Thinking += b.Thinking
		case "tool_use":
			s.Calls = append(s.Calls, fmt.Sprintf("%s %s %s", b.ID, b.Name, b.Input))
		}
	}
	u := m.Usage
	s.In = u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens
	s.Out, s.Cached, s.Reasoning = u.OutputTokens, u.CacheReadInputTokens, u.OutputTokensDetails.ThinkingTokens
	s.Stop = string(m.StopReason)
	if e := m.StopDetails.Explanation; e != "" {
		s.Stop += ": " + strings.Join(strings.Fields(e), " ")
	}
	return s
}

// The SDK reads our request as the one that it would have written.
func TestMessagesRequest(t *testing.T) {
	body := golden(t, "anthropic", "request.json")
	var r sdk.MessageNewParams
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Messages) != 5 || len(r.Tools) != 2 || len(r.System) != 1 || r.Thinking.OfAdaptive == nil || r.ToolChoice.OfNone == nil {
		t.Errorf("read: %+v", r)
	}
	said := r.Messages[1].Content
	if said[0].OfThinking == nil || said[2].OfRedactedThinking == nil || said[3].OfToolUse == nil || said[3].OfToolUse.Name != "run_command" {
		t.Errorf("the model's blocks: %+v", said)
	}
	results := r.Messages[2].Content
	if results[1].OfToolResult == nil || !results[1].OfToolResult.IsError.Value || results[3].OfText == nil || results[3].OfText.CacheControl.Type == "" {
		t.Errorf("the results: %+v", results)
	}
}

func TestMessagesPictures(t *testing.T) {
	var r sdk.MessageNewParams
	if err := json.Unmarshal(golden(t, "anthropic", "pictures.json"), &r); err != nil {
		t.Fatal(err)
	}
	said := r.Messages[0].Content
	if len(said) != 6 || said[1].OfImage == nil || said[3].OfImage == nil || said[5].OfText == nil {
		t.Fatalf("read: %+v", said)
	}
	if s := said[3].OfImage.Source.OfBase64; s == nil || s.MediaType != "image/webp" || !strings.HasPrefix(s.Data, "UklGR") {
		t.Errorf("the picture: %+v", said[3].OfImage.Source)
	}
	if last := r.Messages[2].Content; len(last) != 2 || last[1].OfImage == nil || last[1].OfImage.CacheControl.Type == "" {
		t.Errorf("behind a result: %+v", last)
	}
}
