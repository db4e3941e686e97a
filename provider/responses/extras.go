package responses

import (
	"strings"

	"vibey/provider"
)

// extras are what not every model, or account, may be asked for. They are no
// part of the conversation.
type extras struct {
	encrypted bool // reasoning that can travel back
	summary   bool // reasoning that can be read
}

func (p *Provider) extras(model string) extras {
	if x, ok := p.refused.Load(model); ok {
		return x.(extras)
	}
	return extras{true, reasons(model)}
}

// without takes away what a refusal is about. An organization that OpenAI has
// not verified may not ask for summaries ("must be verified to generate
// reasoning summaries"), and models that don't reason refuse encrypted content
// ("Encrypted content is not supported with this model"); nothing tells so
// before.
func (x extras) without(err *provider.Error) extras {
	if err.Kind != provider.KindRefused {
		return x
	}
	words := strings.ToLower(err.Message)
	if strings.Contains(words, "reasoning summar") || strings.Contains(words, "reasoning.summary") {
		x.summary = false
	}
	if strings.Contains(words, "encrypted content") || strings.Contains(words, "encrypted_content") {
		x.encrypted = false
	}
	return x
}

// reasons tells which of OpenAI's models reason, by the beginning of their
// name. Chat variants ("gpt-5-chat-latest") don't.
func reasons(model string) bool {
	if strings.Contains(model, "-chat") {
		return false
	}
	for _, m := range []string{"gpt-5", "gpt-6", "o1", "o3", "o4"} {
		if strings.HasPrefix(model, m) {
			return true
		}
	}
	return false
}
