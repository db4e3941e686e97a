package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	api "github.com/openai/openai-go/v3/responses"

	"vibey/provider"
	"vibey/provider/chat"
	"vibey/provider/responses"
)

func client(url string) sdk.Client {
	return sdk.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
}

func TestResponses(t *testing.T) {
	fixtures(t, "responses", nil, func(t *testing.T, url string) (said, said) {
		return ours(responses.New(provider.Config{BaseURL: url + "/v1"})), responded(url)
	})
}

func responded(url string) (s said) {
	c := client(url)
	stream := c.Responses.NewStreaming(context.Background(), api.ResponseNewParams{Model: "m"})
	ended := false
	items := map[int64]api.ResponseOutputItemUnion{}
	most := int64(-1)
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.output_item.done":
			items[e.OutputIndex], most = e.Item, max(most, e.OutputIndex)
		case "response.completed", "response.incomplete":
			ended = true
			for i, it := range e.Response.Output {
				items[int64(i)], most = it, max(most, int64(i))
			}
			u := e.Response.Usage
			s.In, s.Out, s.Cached, s.Reasoning = u.InputTokens, u.OutputTokens, u.InputTokensDetails.CachedTokens, u.OutputTokensDetails.ReasoningTokens
			s.Stop = string(e.Response.Status)
			if why := e.Response.IncompleteDetails.Reason; why != "" {
				s.Stop = why
			}
		}
	}
	s.Failed = stream.Err() != nil || !ended
	for i := int64(0); i <= most; i++ {
		switch it := items[i]; it.Type {
		case "message":
			for _, part := range it.Content {
				s.Text += part.Text
				if part.Refusal != "" {
					s.Text, s.Stop = s.Text+part.Refusal, "refusal"
				}
			}
		case "function_call":
			f := it.AsFunctionCall()
			s.Calls = append(s.Calls, fmt.Sprintf("%s %s %s", f.CallID, f.Name, f.Arguments))
		case "reasoning":
			for j, part := range it.Summary {
				if j > 0 {
					s.Thinking += "\n\n"
				}
				s.Thinking += part.Text
			}
		}
	}
	return s
}

func TestResponsesRequest(t *testing.T) {
	var r api.ResponseNewParams
	if err := json.Unmarshal(golden(t, "responses", "request.json"), &r); err != nil {
		t.Fatal(err)
	}
	items := r.Input.OfInputItemList
	if len(items) != 14 || len(r.Tools) != 2 || r.Store.Value || len(r.Include) != 1 {
		t.Fatalf("read %d items: %+v", len(items), r)
	}
	if items[1].OfReasoning == nil || items[1].OfReasoning.ID != "rs_1" || items[1].OfReasoning.EncryptedContent.Value != "gAAA==" {
		t.Errorf("reasoning: %+v", items[1])
	}
	if items[4].OfFunctionCall == nil || items[4].OfFunctionCall.CallID != "call_1" || items[6].OfFunctionCallOutput == nil {
		t.Errorf("a call and its output: %+v, %+v", items[4], items[6])
	}
}

func TestChat(t *testing.T) {
	skip := map[string]string{
		"gemini":       "two calls under one number, which the SDK melts into one",
		"sloppy_calls": "a form that nobody documents",
		"repeated_ids": "a name in every delta, which the SDK adds up",
		"no_terminal":  "the SDK takes a stream's end for the answer's",
		"reasoning":    "DeepSeek's words, which the SDK does not know",
	}
	fixtures(t, "chat", skip, func(t *testing.T, url string) (said, said) {
		return ours(chat.New(provider.Config{BaseURL: url + "/v1"})), chatted(url)
	})
}

func chatted(url string) (s said) {
	c := client(url)
	stream := c.Chat.Completions.NewStreaming(context.Background(), sdk.ChatCompletionNewParams{Model: "m"})
	var a sdk.ChatCompletionAccumulator
	for stream.Next() {
		if !a.AddChunk(stream.Current()) {
			s.Failed = true
		}
	}
	s.Failed = s.Failed || stream.Err() != nil
	if s.Failed || len(a.Choices) == 0 {
		return s
	}
	m := a.Choices[0].Message
	s.Text = m.Content + m.Refusal
	for _, call := range m.ToolCalls {
		s.Calls = append(s.Calls, fmt.Sprintf("%s %s %s", call.ID, call.Function.Name, call.Function.Arguments))
	}
	u := a.Usage
	s.In, s.Out, s.Cached, s.Reasoning = u.PromptTokens, u.CompletionTokens, u.PromptTokensDetails.CachedTokens, u.CompletionTokensDetails.ReasoningTokens
	s.Stop = a.Choices[0].FinishReason
	return s
}

func TestChatRequest(t *testing.T) {
	var r sdk.ChatCompletionNewParams
	if err := json.Unmarshal(golden(t, "chat", "request.json"), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Messages) != 8 || len(r.Tools) != 2 || r.Messages[0].OfSystem == nil || r.Messages[2].OfAssistant == nil || r.Messages[3].OfTool == nil {
		t.Fatalf("read: %+v", r)
	}
	if calls := r.Messages[2].OfAssistant.ToolCalls; len(calls) != 2 || calls[0].GetFunction().Name != "run_command" {
		t.Errorf("the calls: %+v", calls)
	}
}

func TestResponsesPictures(t *testing.T) {
	var r api.ResponseNewParams
	if err := json.Unmarshal(golden(t, "responses", "pictures.json"), &r); err != nil {
		t.Fatal(err)
	}
	items := r.Input.OfInputItemList
	if len(items) != 10 {
		t.Fatalf("read %d items", len(items))
	}
	for _, i := range []int{1, 3, 9} {
		content := items[i].GetContent().AsAny()
		b, err := json.Marshal(content)
		var list []struct {
			Type string
			URL  string `json:"image_url"`
		}
		if err == nil {
			err = json.Unmarshal(b, &list)
		}
		if err != nil || len(list) != 1 || list[0].Type != "input_image" || !strings.HasPrefix(list[0].URL, "data:image/") {
			t.Errorf("item %d: %v %s", i, err, b)
		}
	}
}

func TestChatPictures(t *testing.T) {
	var r sdk.ChatCompletionNewParams
	if err := json.Unmarshal(golden(t, "chat", "pictures.json"), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Messages) != 4 || r.Messages[0].OfUser == nil || r.Messages[3].OfUser == nil {
		t.Fatalf("read: %+v", r.Messages)
	}
	parts := r.Messages[0].OfUser.Content.OfArrayOfContentParts
	if len(parts) != 5 || parts[0].OfText == nil || parts[1].OfImageURL == nil || parts[3].OfImageURL == nil || parts[4].OfText.Text != "Which is older?\n\nLook well." {
		t.Fatalf("the parts: %+v", parts)
	}
	if url := parts[3].OfImageURL.ImageURL.URL; !strings.HasPrefix(url, "data:image/webp;base64,UklGR") {
		t.Errorf("the picture: %s", url)
	}
}
